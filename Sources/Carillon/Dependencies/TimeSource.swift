package import CarillonModel
package import Foundation

/// Tells the time and waits; tests bring one that they move by hand.
package protocol TimeSource: Sendable {
    /// The phone's clock, which may be wrong and may jump.
    func now() -> Timestamp

    /// Waits, by a clock that never jumps.
    ///
    /// - Parameter seconds: How long; not more than a day.
    /// - Throws: `CancellationError` when the task was cancelled.
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
