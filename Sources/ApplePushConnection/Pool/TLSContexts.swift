import NIOConcurrencyHelpers
import NIOSSL

/// The TLS contexts of many pools.
///
/// A context holds the trust roots, which are read from the disk and parsed when it is made: some hundred certificates.
/// Pools without a client certificate differ in nothing else, so they share one for each kind of trust roots. Its lock is
/// not that of the pools: who waits for the first reading of the roots keeps nobody waiting who has a pool.
final class TLSContexts: Sendable {
    typealias Maker = @Sendable (TrustRoots, ClientIdentity?) throws -> NIOSSLContext

    private let shared = NIOLockedValueBox<[TrustRoots: NIOSSLContext]>([:])
    private let make: Maker

    /// Makes no context yet; tests count how often `make` is called.
    init(make: @escaping Maker = TLSContexts.context) {
        self.make = make
    }

    /// The context for trust roots, with a client certificate or without.
    ///
    /// Roots that could not be read are read again the next time.
    func context(trusting roots: TrustRoots, as identity: ClientIdentity?) throws -> NIOSSLContext {
        guard identity == nil else { return try make(roots, identity) }
        return try shared.withLockedValue { shared in
            if let known = shared[roots] { return known }
            let context = try make(roots, nil)
            shared[roots] = context
            return context
        }
    }

    /// Makes a context of its own.
    static func context(trusting roots: TrustRoots, as identity: ClientIdentity?) throws -> NIOSSLContext {
        try NIOSSLContext(configuration: .apns(trusting: roots, as: identity))
    }
}
