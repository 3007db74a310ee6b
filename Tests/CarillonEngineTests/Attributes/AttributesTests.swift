import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import Testing

@Suite struct AttributesTests {
    private func person() async throws -> Person {
        let registry = try await Registry()
        let person = Person(registry: registry, app: try await registry.app().app.id)
        try await person.register("u1")
        return person
    }

    private func apply(_ attributes: [String: JSONValue], _ person: Person) async throws -> [String: JSONValue] {
        try await person.registry.attributes.apply(UserAttributes(attributes: attributes), of: person.caller).attributes
    }

    @Test("Values keep their type and precision") func keepsTypes() async throws {
        let person = try await person()
        let values: [String: JSONValue] = [
            "text": .string("gold\n\"é😀"), "empty": .string(""), "whole": .integer(.max), "least": .integer(.min),
            "part": .number(0.1), "large": .number(1e300), "yes": .bool(true), "no": .bool(false), "zero": .integer(0),
        ]

        #expect(try await apply(values, person) == values)
        #expect(try await person.registry.attributes.attributes(of: person.caller).attributes == values)
    }

    @Test("A change sets the given attributes, removes nulls and leaves the others") func appliesChanges() async throws
    {
        let person = try await person()
        _ = try await apply(["a": .integer(1), "b": .string("x"), "c": .bool(true)], person)

        let result = try await apply(["a": .string("one"), "b": .null, "d": .null, "e": .number(1.5)], person)

        #expect(result == ["a": .string("one"), "c": .bool(true), "e": .number(1.5)])
        #expect(try await apply([:], person) == result)
    }

    @Test("A User has at most 64 attributes") func limitsAttributes() async throws {
        let person = try await person()
        let names = (0..<64).map { "n\($0)" }
        _ = try await apply(Dictionary(uniqueKeysWithValues: names.map { ($0, .integer(1)) }), person)

        let problem = FieldError(field: "attributes", problem: "must leave the User at most 64 attributes in all")
        await #expect(throws: EngineError.invalid(problem)) { try await apply(["n64": .integer(1)], person) }
        #expect(try await apply(["n64": .integer(1), "n0": .null], person).count == 64)
    }

    @Test("All Devices of a User share attributes, and no other Device has them") func sharesAttributes() async throws {
        let person = try await person()
        let tablet = Person(registry: person.registry, app: person.app)
        try await tablet.register("u1")
        _ = try await apply(["plan": .string("gold")], person)

        #expect(try await apply([:], tablet) == ["plan": .string("gold")])
        try await tablet.register("u2")
        #expect(try await apply([:], tablet).isEmpty)
        try await tablet.register(nil)
        await #expect(throws: EngineError.refused(.userRequired)) { try await apply([:], tablet) }
    }
}
