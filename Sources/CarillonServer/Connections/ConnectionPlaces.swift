package import CarillonEngine
package import NIOCore

/// Limits how many open connections each address has.
///
/// Trusted proxies are not limited: they carry the connections of all clients.
package struct ConnectionPlaces: Sendable {
    private let places: Places<String>?
    private let proxies: TrustedProxies

    /// Creates places, all of them free.
    ///
    /// - Parameters:
    ///   - limit: Maximum number for one IPv4 address or IPv6 /64 block; 1 or more, unlimited when `nil`.
    ///   - proxies: Addresses that are not limited.
    package init(limit: Int?, proxies: TrustedProxies) {
        places = limit.map { Places(perKey: $0) }
        self.proxies = proxies
    }

    /// Acquires a place for a connection.
    ///
    /// - Parameter address: The peer's address.
    /// - Returns: `nil` when it needs none: there is no limit, or it is a proxy or has no IP address.
    /// - Throws: When the address has no free place.
    package func acquire(_ address: SocketAddress?) throws(Places<String>.Refusal) -> Places<String>.Place? {
        guard let places, let address = address?.ipAddress, !proxies.contains(address) else { return nil }
        return try places.acquire(TrustedProxies.network(of: address))
    }
}
