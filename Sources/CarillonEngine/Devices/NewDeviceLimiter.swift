import CarillonModel
package import Logging
import NIOConcurrencyHelpers

/// Bounds how many Devices an App gets in a minute, on one node.
///
/// The App key is public, and whoever has it can make Devices that are none. Registrations of Devices that are there
/// are not bounded by it.
package final class NewDeviceLimiter: Sendable {
    private struct State: Sendable {
        var limiter: RateLimiter<AppID>
        /// When it was last said of an App that it gets too many.
        var warnedAt: [AppID: ContinuousClock.Instant] = [:]
    }

    /// How many Apps are told apart.
    private static let capacity = 10_000

    private let perMinute: Int
    private let logger: Logger
    private let now: @Sendable () -> ContinuousClock.Instant
    private let state: NIOLockedValueBox<State>

    /// Makes a limiter.
    ///
    /// - Parameters:
    ///   - perMinute: How many Devices an App gets in a minute, and how many of them at once; 1 or more.
    ///   - logger: Is told once a minute and App that more were refused.
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

    /// After how long an App may get another Device; `nil` when it may now.
    func delay(of app: AppID) -> Duration? {
        state.withLockedValue { $0.limiter.delay(of: app, now: now()) }
    }

    /// Counts a Device that an App got.
    func count(_ app: AppID) { _ = state.withLockedValue { $0.limiter.take(app, now: now()) } }

    /// Says that an App was refused a Device.
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
