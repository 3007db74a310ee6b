import Dispatch
import Foundation

/// The thread of the vendors' callbacks, and of an app's launch.
package enum MainThread {
    /// Marks the main queue: on Linux another thread than the process's first may run it.
    private static let mark: DispatchSpecificKey<Bool> = {
        let key = DispatchSpecificKey<Bool>()
        DispatchQueue.main.setSpecific(key: key, value: true)
        return key
    }()

    /// Whether the calling code runs on it.
    package static var isCurrent: Bool { DispatchQueue.getSpecific(key: mark) == true || Thread.isMainThread }

    /// Runs a closure on it: at once when the caller is there, otherwise asynchronously.
    package static func run(_ body: @escaping @MainActor @Sendable () -> Void) {
        if isCurrent {
            MainActor.assumeIsolated(body)
        } else {
            Task { @MainActor in body() }
        }
    }
}

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
