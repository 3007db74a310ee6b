import CarillonModel
import Foundation
import Testing

@Suite struct DeviceFieldTests {
    @Test(
        "Each text of a Device goes by its own name through registration, change and record",
        arguments: DeviceField.all
    )
    func names(_ field: DeviceField) throws {
        let text = String(repeating: "x", count: field.limit.lengths.upperBound)
        let registration = try decode(Registration.self, field, "\"\(text)\"")
        var update = try decode(RegistrationUpdate.self, field, "\"\(text)\"")
        let record = DeviceRecord(
            device: DeviceID(rawValue: UUID()),
            app: AppID(rawValue: 1),
            registration: registration,
            tokenState: .none,
            createdAt: Timestamp(rawValue: 0),
            registeredAt: Timestamp(rawValue: 0)
        )
        let empty = Registration(consent: registration.consent)

        #expect(try texts(registration) == ["\(field.name)": text])
        #expect(try texts(update) == ["\(field.name)": text])
        #expect(try texts(record) == ["\(field.name)": text])
        #expect(update.applied(to: empty) == registration)
        update = RegistrationUpdate(from: registration, to: empty)
        #expect(try update == decode(RegistrationUpdate.self, field, "null", consent: ""))
        #expect(update.applied(to: registration) == empty)
    }

    @Test("A text that is too short or too long is refused by its name", arguments: DeviceField.all)
    func limits(_ field: DeviceField) {
        for count in [field.limit.lengths.lowerBound - 1, field.limit.lengths.upperBound + 1] {
            let text = String(repeating: "x", count: count)
            #expect(!field.accepts(text))
            let error = #expect(throws: FieldError.self) { try decode(Registration.self, field, "\"\(text)\"") }
            #expect(error?.field == "\(field.name)" && error?.problem == field.limit.problem(of: text))
        }
    }

    private func decode<Value: Decodable>(
        _ type: Value.Type,
        _ field: DeviceField,
        _ value: String,
        consent: String = #""consent":{"notifications":true},"#
    ) throws -> Value {
        try JSONDecoder().decode(type, from: Data("{\(consent)\"\(field.name)\":\(value)}".utf8))
    }

    /// The texts of the fields in the JSON of a value.
    private func texts(_ value: some Encodable) throws -> [String: String] {
        let json = try JSONDecoder().decode([String: JSONValue].self, from: JSONEncoder().encode(value))
        return json.compactMapValues { if case .string(let text) = $0 { text } else { nil } }
            .filter { name, _ in DeviceField.all.contains { "\($0.name)" == name } }
    }
}
