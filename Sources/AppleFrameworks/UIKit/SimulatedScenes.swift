import Foundation
import UserNotifications

/// How a phone makes the delegates of its app's scenes.
///
/// Objective-C makes an object of any class by `init()`; Swift does so of none that does not ask for it, so a test says how.
///
/// Unchecked: `lock` protects `make`.
package final class SimulatedScenes: SimulatedPart, @unchecked Sendable {
    private let lock = NSLock()
    private var make: (@MainActor @Sendable () -> any UISceneDelegate)?

    package init() {}

    /// Makes a scene's delegate; `nil`: scenes have none.
    package var makeDelegate: (@MainActor @Sendable () -> any UISceneDelegate)? {
        get { lock.withLock { make } }
        set { lock.withLock { make = newValue } }
    }
}
