import AsyncHTTPClient
import Dispatch
import NIOConcurrencyHelpers

/// HTTP clients that each connect to one address for one name, and keep their connections for the next post.
///
/// Clients in use are not limited; the number of idle ones is, and the least recently used are closed first.
final class PinnedClients: Sendable {
    /// A name, and its checked address.
    struct Key: Hashable, Sendable {
        var host: String
        var address: PublicAddress
    }

    private struct Entry {
        var client: HTTPClient
        var users: Int
        var usedAt: UInt64
    }

    private struct State {
        var entries: [Key: Entry] = [:]
        var uses: UInt64 = 0
    }

    private let limit: Int
    private let make: @Sendable (Key) -> HTTPClient
    private let state = NIOLockedValueBox(State())

    /// - Parameters:
    ///   - limit: Maximum number of idle clients.
    ///   - make: Creates a client.
    init(limit: Int, make: @escaping @Sendable (Key) -> HTTPClient) {
        self.limit = limit
        self.make = make
    }

    deinit {
        for entry in state.withLockedValue({ $0.entries.values.map(\.client) }) { Self.end(entry) }
    }

    /// Acquires the client of a key until ``giveBack(_:)``.
    func acquire(_ key: Key) -> HTTPClient {
        state.withLockedValue { state in
            state.uses += 1
            let client = state.entries[key]?.client ?? make(key)
            let users = state.entries[key]?.users ?? 0
            state.entries[key] = Entry(client: client, users: users + 1, usedAt: state.uses)
            return client
        }
    }

    /// Releases a client, and closes idle ones above the limit.
    func giveBack(_ key: Key) {
        let ended: [HTTPClient] = state.withLockedValue { state in
            state.entries[key]?.users -= 1
            var ended: [HTTPClient] = []
            while state.entries.count > limit,
                let oldest = state.entries.filter({ $0.value.users == 0 }).min(by: { $0.value.usedAt < $1.value.usedAt }
                )
            {
                ended.append(oldest.value.client)
                state.entries[oldest.key] = nil
            }
            return ended
        }
        for client in ended { Self.end(client) }
    }

    /// Closes an unused client in the background.
    private static func end(_ client: HTTPClient) {
        client.shutdown(queue: .global()) { _ in }
    }
}
