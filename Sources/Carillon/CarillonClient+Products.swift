package import CarillonModel
package import Foundation

/// What another product of the SDK has a client do beside its own work.
package protocol ClientPart: Sendable {
    /// Sends what is due.
    ///
    /// - Parameters:
    ///   - client: The client.
    ///   - retryNow: Whether to end the backoff after a failure.
    /// - Returns: When something else is due; `nil`: not before a change.
    func synchronize(_ client: CarillonClient, retryNow: Bool) async -> Timestamp?

    /// Erases what it has on this phone.
    func erase(_ client: CarillonClient) async
}

/// The parts of a client, one of each type.
///
/// Unchecked: `lock` protects `parts`.
final class ClientParts: @unchecked Sendable {
    private let lock = NSLock()
    private var parts: [ObjectIdentifier: any ClientPart] = [:]

    var all: [any ClientPart] {
        lock.lock()
        defer { lock.unlock() }
        return Array(parts.values)
    }

    func part<Part: ClientPart>(_ make: () -> Part) -> Part {
        lock.lock()
        defer { lock.unlock() }
        if let known = parts[ObjectIdentifier(Part.self)] as? Part { return known }
        let new = make()
        parts[ObjectIdentifier(Part.self)] = new
        return new
    }

    /// - Returns: When the parts have something else to send.
    func synchronize(_ client: CarillonClient, retryNow: Bool) async -> [Timestamp] {
        var dues: [Timestamp] = []
        for part in all {
            if let due = await part.synchronize(client, retryNow: retryNow) { dues.append(due) }
        }
        return dues
    }
}

extension CarillonClient {
    /// The client's part of a type, which is made if there is none.
    package func part<Part: ClientPart>(_ make: () -> Part) -> Part { parts.part(make) }

    /// Has ``run()`` look at once for something to send.
    package func wake() { signal.wake() }

    /// The user as the app has set them, whether or not the server knows.
    package var user: UserID? {
        get async throws(CarillonError) { try await registrations.memory().registration.user }
    }

    /// Whether the server has confirmed a registration.
    package var isRegistered: Bool {
        get async { (try? await registrations.memory().intent.confirmation) != nil }
    }

    /// Sends a request of another product of the SDK's, with the App key and without the Device's secret.
    ///
    /// - Parameters:
    ///   - method: The HTTP method.
    ///   - path: The path after the server's address.
    ///   - query: The query, percent-encoded.
    ///   - headers: Further header fields.
    ///   - body: JSON; `nil` for none.
    /// - Returns: The answer's body.
    /// - Throws: ``CarillonError``.
    package func request(
        _ method: String,
        _ path: String,
        query: String? = nil,
        headers: [String: String] = [:],
        body: Data? = nil
    ) async throws(CarillonError) -> Data {
        try await withDeadline(of: configuration.deadline, time) { [api] () throws(CarillonError) in
            await api.request(method, path, query: query, headers: headers, body: body)
        }.get()
    }

    /// Sends a request of another product of the SDK's about the user, as this Device.
    ///
    /// - Parameters:
    ///   - method: The HTTP method.
    ///   - path: The path after `/v1/devices/{device}/`.
    ///   - user: The user; nothing is sent if the app sets another one before.
    ///   - body: JSON; `nil` for none.
    ///   - retryNow: Whether to end the backoff of the registration that it needs.
    /// - Returns: The answer's body.
    /// - Throws: ``CarillonError``; `userRequired` without a user.
    package func requestAsUser(
        _ method: String,
        _ path: String,
        as user: UserID,
        body: Data? = nil,
        retryNow: Bool = true
    ) async throws(CarillonError) -> Data {
        try await requestAsDevice(needsUser: true, retryNow: retryNow) { [registrations] api, identity in
            // The registration that it waits for takes along whom the app has set meanwhile.
            guard (try? await registrations.memory().registration.user) == user else { return .unreachable(nil) }
            return await api.data(method, path, of: identity, body: body)
        }.get()
    }
}
