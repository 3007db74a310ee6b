import CarillonEngine
import CarillonModel
import NIOConcurrencyHelpers

/// Limits how many registrations one address may send to one App.
///
/// Many phones share one address of a mobile network, so the limit is high: it stops floods, not crowds.
package final class RegistrationLimiter: Sendable {
    private struct Key: Hashable, Sendable {
        var app: AppID
        var network: String
    }

    private let limiter: NIOLockedValueBox<RateLimiter<Key>>

    /// Creates a limiter.
    ///
    /// - Parameters:
    ///   - rate: Registrations a second, above 0.
    ///   - burst: Registrations at once, 1 or more.
    package init(rate: Double, burst: Double) {
        limiter = NIOLockedValueBox(RateLimiter(rate: rate, burst: burst, capacity: 100_000))
    }

    /// Counts a registration, or returns how long to wait.
    ///
    /// - Parameters:
    ///   - app: The App.
    ///   - network: An IPv4 address or an IPv6 /64 block.
    /// - Returns: `nil` when it is within the limit.
    func delay(app: AppID, network: String) -> Duration? {
        limiter.withLockedValue { $0.consume(Key(app: app, network: network), now: .now) }
    }
}
