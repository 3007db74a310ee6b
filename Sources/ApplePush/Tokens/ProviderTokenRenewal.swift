#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// Decides when a provider token is used, renewed or left alone.
///
/// A pure state machine; time is an argument.
///
/// Rules (Apple: no older than 60 minutes, no new one within 20):
/// - a token is used for 50 minutes from its issue, whether or not anybody used it meanwhile;
/// - no second mint within 20 minutes of the last, except after `ExpiredProviderToken` or a change of key;
/// - many `ExpiredProviderToken` answers to one token cause one mint, and a token minted because of such an answer
///   is not replaced for the same cause within 20 minutes: then it is not the token that is wrong, but a clock;
/// - there is one mint at a time.
public struct ProviderTokenRenewal: Sendable {
    /// The age at which a token is renewed.
    public static let renewalAge = Duration.seconds(50 * 60)
    /// The shortest time between two mints.
    public static let minimumInterval = Duration.seconds(20 * 60)

    /// What to do for a caller who needs a token.
    public enum Decision: Hashable, Sendable {
        /// Use this one.
        case use(ProviderToken)
        /// Mint one, then call ``ProviderTokenRenewal/minted(_:)`` or ``ProviderTokenRenewal/mintingFailed()``.
        case mint
        /// Another caller is minting: wait for its token.
        case wait
        /// Apple finds a fresh token expired; nothing can be minted until that date.
        case stuck(until: Date)
    }

    private var current: ProviderToken?
    private var isRefused = false
    private var isMinting = false
    private var mintsBecauseRefused = false
    private var lastForcedMint: Date?

    /// Restores the state from a stored token.
    ///
    /// - Parameter stored: The last token of this key, or `nil` if there is none.
    public init(stored: ProviderToken? = nil) {
        current = stored
    }

    /// The token that was minted or stored last, usable or not.
    public var latest: ProviderToken? { current }

    /// Returns what a caller who needs a token does.
    ///
    /// - Parameter now: The time by the wall clock.
    /// - Returns: What to do. After `.mint` the caller must report how that ended.
    public mutating func decide(at now: Date) -> Decision {
        if isMinting { return .wait }
        guard let current else { return beginMint(refused: false) }
        if isRefused {
            if let lastForcedMint {
                let end = lastForcedMint.advanced(by: Self.minimumInterval)
                if (lastForcedMint..<end).contains(now) { return .stuck(until: end) }
            }
            return beginMint(refused: true)
        }
        // A clock set back makes the age negative: the token stays, and Apple says when it does not suit.
        return now < current.issuedAt.advanced(by: Self.renewalAge) ? .use(current) : beginMint(refused: false)
    }

    /// Sets the token that was minted, or that another node minted meanwhile.
    ///
    /// - Parameter token: The token to use from now on.
    public mutating func minted(_ token: ProviderToken) {
        if mintsBecauseRefused { lastForcedMint = token.issuedAt }
        current = token
        isMinting = false
        isRefused = false
        mintsBecauseRefused = false
    }

    /// Records that minting failed; the next caller may try again.
    public mutating func mintingFailed() {
        isMinting = false
        mintsBecauseRefused = false
    }

    /// Records that APNs answered `ExpiredProviderToken`.
    ///
    /// - Parameter token: The token that the request carried; an answer to an older one than the latest changes nothing.
    public mutating func refusedAsExpired(_ token: ProviderToken) {
        if token == current, !isMinting { isRefused = true }
    }

    /// Drops the token because the key was replaced.
    ///
    /// The next caller mints with the new key at once.
    public mutating func keyChanged() {
        self = ProviderTokenRenewal()
    }

    private mutating func beginMint(refused: Bool) -> Decision {
        isMinting = true
        mintsBecauseRefused = refused
        return .mint
    }
}
