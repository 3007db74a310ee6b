import CarillonModel
package import Logging
import NIOConcurrencyHelpers

/// Limits the new Devices of an App per minute, on one node.
///
/// The App key is public, so anyone who has it can register Devices that do not exist. Registrations of existing
/// Devices are not limited.
package final class NewDeviceLimiter: Sendable {
    private struct State: Sendable {
        var limiter: RateLimiter<AppID>
        /// When the last warning about an App was logged.
        var warnedAt: [AppID: ContinuousClock.Instant] = [:]
    }

    /// Maximum number of Apps with a bucket.
    private static let capacity = 10_000

    private let perMinute: Int
    private let logger: Logger
    private let now: @Sendable () -> ContinuousClock.Instant
    private let state: NIOLockedValueBox<State>

    /// Creates a limiter.
    ///
    /// - Parameters:
    ///   - perMinute: The new Devices of an App per minute, also the burst; at least 1.
    ///   - logger: Receives a warning about refused Devices, once a minute per App.
    ///   - now: The monotonic clock.
    package init(
        perMinute: Int,
        logger: Logger,
        now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
    ) {
        self.perMinute = perMinute
        self.logger = logger
        self.now = now
        let limiter = RateLimiter<AppID>(
            rate: Double(perMinute) / 60,
            burst: Double(perMinute),
            capacity: Self.capacity
        )
        state = NIOLockedValueBox(State(limiter: limiter))
    }

    /// The delay until an App may have another new Device; `nil` when it may now.
    func delay(of app: AppID) -> Duration? {
        state.withLockedValue { $0.limiter.delay(of: app, now: now()) }
    }

    /// Counts a new Device of an App.
    func count(_ app: AppID) { _ = state.withLockedValue { $0.limiter.consume(app, now: now()) } }

    /// Logs that an App was refused a Device.
    func warn(_ app: AppID) {
        let now = now()
        let isDue = state.withLockedValue { state in
            if let last = state.warnedAt[app], last.duration(to: now) < .seconds(60) { return false }
            if state.warnedAt.count >= Self.capacity { state.warnedAt.removeAll() }
            state.warnedAt[app] = now
            return true
        }
        guard isDue else { return }
        logger.warning(
            """
            An App gets more new Devices than registration.newDevicesPerMinute allows; its App key may be misused to \
            register tokens that are none
            """,
            metadata: ["carillon.app": "\(app)", "carillon.limit": "\(perMinute)"]
        )
    }
}
