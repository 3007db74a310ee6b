package import CarillonModel
package import Foundation

/// A clock; tests pass one that they advance.
package protocol TimeSource: Sendable {
    /// The time by the phone's wall clock, which may be wrong and may jump.
    func now() -> Timestamp

    /// Waits, by a monotonic clock.
    ///
    /// - Parameter seconds: The duration, at most a day.
    /// - Throws: `CancellationError` when the task is cancelled.
    func sleep(seconds: TimeInterval) async throws
}

/// The system's clocks.
package struct SystemTime: TimeSource {
    package init() {}

    package func now() -> Timestamp { Timestamp(Date()) }

    package func sleep(seconds: TimeInterval) async throws {
        try await Task.sleep(nanoseconds: UInt64(min(max(seconds, 0), 86_400) * 1e9))
    }
}
