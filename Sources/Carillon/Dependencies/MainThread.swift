import Dispatch
import Foundation

/// The thread of an app's launch, of UIKit's completion handlers and of the vendors' callbacks.
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
