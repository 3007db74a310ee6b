import CarillonModel
import Foundation

extension CarillonClient {
    typealias Question<Value: Sendable> = @Sendable (ServerAPI, DeviceIdentity) async -> ServerReply<Value>

    /// Asks something about the user.
    func asUser<Value>(_ question: @escaping Question<Value>) async throws(CarillonError) -> Value {
        try await asDevice(needsUser: true, question)
    }

    /// Asks something as this Device, which is made known first if need be; once more if the server has lost it.
    func asDevice<Value>(
        needsUser: Bool = false,
        _ question: @escaping Question<Value>
    ) async throws(CarillonError) -> Value {
        let facts = facts()
        defer { signal.wake() }
        return try await withDeadline(of: configuration.deadline, time) {
            [registrations, api] () throws(CarillonError) in
            let identity = try await registrations.introduce(facts, needsUser: needsUser)
            let reply = await question(api, identity)
            guard reply.isUnknownDevice else { return try reply.get() }
            try await registrations.markUnknown()
            return try await question(api, registrations.introduce(facts, needsUser: needsUser)).get()
        }
    }

    /// Sees to it that the server knows the Device.
    func introduce() async throws(CarillonError) {
        let facts = facts()
        try await withDeadline(of: configuration.deadline, time) { [registrations] () throws(CarillonError) in
            _ = try await registrations.introduce(facts, needsUser: false)
        }
    }
}

/// Holds values against the server's own rules before they are kept: one that it refuses would hold up all others.
enum Checked {
    static func value<Value: Codable>(_ value: Value) throws(CarillonError) -> Value {
        do {
            return try JSONDecoder().decode(Value.self, from: JSONEncoder().encode(value))
        } catch let error as FieldError {
            throw .invalidArgument(error.field + " " + error.problem)
        } catch {
            throw .invalidArgument("the value cannot be written as JSON")
        }
    }
}
