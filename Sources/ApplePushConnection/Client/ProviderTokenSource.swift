public import ApplePush
import NIOConcurrencyHelpers

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// The provider token of one key in one process: minted when it is needed, shared by all callers, renewed in time.
///
/// It keeps the rules of `ProviderTokenRenewal`. Processes that share a key should share the token as well,
/// since Apple counts new ones for each key; this type does not store it. All methods are thread-safe.
public final class ProviderTokenSource: Sendable {
    /// Apple finds a new token expired, so another one does not help: this computer's clock, or its peer's, is wrong.
    public struct ClockProblem: Error, Hashable, Sendable, CustomStringConvertible {
        /// When the next token may be minted.
        public let until: Date

        /// The cause, and what to do.
        public var description: String {
            "APNs finds a new provider token expired: check this computer's clock."
        }
    }

    private let key: SigningKey
    private let now: @Sendable () -> Date
    private let renewal = NIOLockedValueBox(ProviderTokenRenewal())

    /// Creates a source.
    ///
    /// - Parameters:
    ///   - key: The key that signs.
    ///   - now: The wall clock.
    public init(key: SigningKey, now: @escaping @Sendable () -> Date = { Date() }) {
        self.key = key
        self.now = now
    }

    /// Returns the token to send with, and mints one where the rules ask for it.
    ///
    /// - Returns: The token.
    /// - Throws: ``ClockProblem``, or what the crypto library throws when it cannot sign.
    public func token() throws -> ProviderToken {
        let now = now()
        // Minting takes some 100 µs every 50 minutes, so it may hold the lock, and nobody has to wait for another.
        return try renewal.withLockedValue { renewal in
            switch renewal.decide(at: now) {
            case .use(let token): return token
            case .stuck(let until): throw ClockProblem(until: until)
            case .mint, .wait:
                do {
                    let token = try ProviderToken(signedWith: key, at: now)
                    renewal.minted(token)
                    return token
                } catch {
                    renewal.mintingFailed()
                    throw error
                }
            }
        }
    }

    /// Records that APNs answered `ExpiredProviderToken`; ignored when there is a newer token already.
    ///
    /// - Parameter token: The token that the request carried.
    public func refusedAsExpired(_ token: ProviderToken) {
        renewal.withLockedValue { $0.refusedAsExpired(token) }
    }
}
