import CarillonModel
import Foundation

extension CarillonClient {
    typealias DeviceRequest = @Sendable (ServerAPI, DeviceIdentity) async -> ServerReply

    /// Sends a request about the user.
    func requestAsUser(
        _ method: String,
        _ path: String,
        query: String? = nil,
        body: (any Encodable & Sendable)? = nil
    ) async throws(CarillonError) -> ServerReply {
        try await requestAsDevice(needsUser: true) {
            await $0.request(method, path, query: query, of: $1, body: body)
        }
    }

    /// Sends a request as this Device, which is registered first if needed, and again if the server does not know it.
    func requestAsDevice(
        needsUser: Bool = false,
        retryNow: Bool = true,
        _ request: @escaping DeviceRequest
    ) async throws(CarillonError) -> ServerReply {
        let facts = facts()
        defer { signal.wake() }
        return try await withDeadline(of: configuration.deadline, time) {
            [registrations, api] () throws(CarillonError) in
            let identity = try await registrations.introduce(facts, needsUser: needsUser, retryNow: retryNow)
            let reply = await request(api, identity)
            guard reply.isUnknownDevice else { return reply }
            try await registrations.markUnknown()
            return try await request(api, registrations.introduce(facts, needsUser: needsUser))
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
