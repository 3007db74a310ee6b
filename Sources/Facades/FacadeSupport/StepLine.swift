import Foundation

/// Runs asynchronous steps one after another, in the order of their calls.
///
/// Unchecked: `lock` protects `last`.
package final class StepLine: @unchecked Sendable {
    private let lock = NSLock()
    private var last: Task<Void, Never>?

    package init() {}

    /// Adds a step.
    ///
    /// - Parameter step: Runs when all earlier ones are done.
    package func add(_ step: @escaping @Sendable () async -> Void) {
        lock.lock()
        defer { lock.unlock() }
        let before = last
        last = Task {
            await before?.value
            await step()
        }
    }

    /// Waits until every step so far is done.
    package func finish() async { await current?.value }

    /// The last step so far, to wait for.
    package var current: Task<Void, Never>? {
        lock.lock()
        defer { lock.unlock() }
        return last
    }
}
