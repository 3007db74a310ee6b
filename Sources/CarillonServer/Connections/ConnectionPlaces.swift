package import CarillonEngine
package import NIOCore

/// Bounds how many connections each address has open.
///
/// Proxies that are trusted have as many as they want: behind them is everybody.
package struct ConnectionPlaces: Sendable {
    private let places: Places<String>?
    private let proxies: TrustedProxies

    /// Makes places that are all free.
    ///
    /// - Parameters:
    ///   - limit: How many one address may have, of version 6 one block of 64 bits; 1 or more, `nil` does not bound them.
    ///   - proxies: Whose connections are not counted.
    package init(limit: Int?, proxies: TrustedProxies) {
        places = limit.map { Places(perKey: $0) }
        self.proxies = proxies
    }

    /// Acquires a place for a connection.
    ///
    /// - Parameter address: The other end.
    /// - Returns: `nil` when it needs none: nothing is bounded, or it is a proxy, or it has no IP address.
    /// - Throws: When the address has as many as it may have.
    package func acquire(_ address: SocketAddress?) throws(Places<String>.Refusal) -> Places<String>.Place? {
        guard let places, let address = address?.ipAddress, !proxies.contains(address) else { return nil }
        return try places.acquire(TrustedProxies.network(of: address))
    }
}
