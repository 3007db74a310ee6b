import CarillonModel
import Foundation

extension CarillonClient {
    typealias DeviceRequest<Value: Sendable> = @Sendable (ServerAPI, DeviceIdentity) async -> ServerReply<Value>

    /// Sends a request about the user.
    func requestAsUser<Value>(_ request: @escaping DeviceRequest<Value>) async throws(CarillonError) -> Value {
        try await requestAsDevice(needsUser: true, request)
    }

    /// Sends a request as this Device, which is registered first if needed, and again if the server does not know it.
    func requestAsDevice<Value>(
        needsUser: Bool = false,
        retryNow: Bool = true,
        _ request: @escaping DeviceRequest<Value>
    ) async throws(CarillonError) -> Value {
        let facts = facts()
        defer { signal.wake() }
        return try await withDeadline(of: configuration.deadline, time) {
            [registrations, api] () throws(CarillonError) in
            let identity = try await registrations.introduce(facts, needsUser: needsUser, retryNow: retryNow)
            let reply = await request(api, identity)
            guard reply.isUnknownDevice else { return try reply.get() }
            try await registrations.markUnknown()
            return try await request(api, registrations.introduce(facts, needsUser: needsUser)).get()
        }
    }

    /// Registers the Device, without token and consent, unless the server knows it.
    func introduce() async throws(CarillonError) {
        let facts = facts()
        try await withDeadline(of: configuration.deadline, time) { [registrations] () throws(CarillonError) in
            _ = try await registrations.introduce(facts, needsUser: false)
        }
    }
}

/// Checks a value by the server's own rules before it is saved: one that it refuses would block all others.
func validate(_ check: @autoclosure () throws(FieldError) -> Void?) throws(CarillonError) {
    do {
        _ = try check()
    } catch {
        throw .invalidArgument(error.field + " " + error.problem)
    }
}
