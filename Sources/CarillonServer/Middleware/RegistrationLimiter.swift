import CarillonEngine
import CarillonModel
import NIOConcurrencyHelpers

/// Bounds how many registrations one address may send to one App.
///
/// Many phones stand behind one address of a mobile network, so the bound is meant for floods and not for crowds.
package final class RegistrationLimiter: Sendable {
    private struct Key: Hashable, Sendable {
        var app: AppID
        var network: String
    }

    private let limiter: NIOLockedValueBox<RateLimiter<Key>>

    /// Makes a limiter.
    ///
    /// - Parameters:
    ///   - rate: How many a second, above 0.
    ///   - burst: How many at once, 1 or more.
    package init(rate: Double, burst: Double) {
        limiter = NIOLockedValueBox(RateLimiter(rate: rate, burst: burst, capacity: 100_000))
    }

    /// Lets a registration pass, or tells how long to wait.
    ///
    /// - Parameters:
    ///   - app: Whose registration it is.
    ///   - network: An address of version 4, or a block of 64 bits of version 6.
    /// - Returns: `nil` when it may pass.
    func delay(app: AppID, network: String) -> Duration? {
        limiter.withLockedValue { $0.take(Key(app: app, network: network), now: .now) }
    }
}
