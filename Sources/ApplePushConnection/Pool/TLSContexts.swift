import NIOConcurrencyHelpers
import NIOSSL

/// The TLS contexts of many pools.
///
/// Creating a context reads and parses the trust roots: some hundred certificates. Pools without a client certificate
/// have no other difference, so they share one for each kind of trust roots. Its lock is separate from that of the
/// pools: a caller that waits for the first reading of the roots does not block tenants that have a pool.
final class TLSContexts: Sendable {
    typealias Maker = @Sendable (TrustRoots, ClientIdentity?) throws -> NIOSSLContext

    private let shared = NIOLockedValueBox<[TrustRoots: NIOSSLContext]>([:])
    private let make: Maker

    /// Creates an empty cache; tests count the calls of `make`.
    init(make: @escaping Maker = TLSContexts.context) {
        self.make = make
    }

    /// The context for trust roots, with or without a client certificate.
    ///
    /// Unreadable roots are read again the next time.
    func context(trusting roots: TrustRoots, as identity: ClientIdentity?) throws -> NIOSSLContext {
        guard identity == nil else { return try make(roots, identity) }
        return try shared.withLockedValue { shared in
            if let known = shared[roots] { return known }
            let context = try make(roots, nil)
            shared[roots] = context
            return context
        }
    }

    /// Creates a context.
    static func context(trusting roots: TrustRoots, as identity: ClientIdentity?) throws -> NIOSSLContext {
        try NIOSSLContext(configuration: .apns(trusting: roots, as: identity))
    }
}
