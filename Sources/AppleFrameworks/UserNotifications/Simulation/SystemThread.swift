import Dispatch
import Foundation

/// The main thread, on which UIKit demands its completion handlers.
enum SystemThread {
    /// Marks the main queue: on Linux another thread than the process's first may run it.
    private static let mark: DispatchSpecificKey<Bool> = {
        let key = DispatchSpecificKey<Bool>()
        DispatchQueue.main.setSpecific(key: key, value: true)
        return key
    }()

    /// Whether the calling code runs on it.
    static var isMain: Bool { DispatchQueue.getSpecific(key: mark) == true || Thread.isMainThread }
}

extension SimulatedSystem {
    /// Complains when a completion handler of UIKit's is called on another thread than the main one: on a phone the app
    /// aborts then, with "Call must be made on main thread".
    func checkThread(of handler: String) {
        if !SystemThread.isMain { complain("\(handler)'s completion handler was called off the main thread") }
    }

    /// Shows the app's own settings for notifications, as the person chooses in the system's settings.
    ///
    /// - Parameter identifier: The visible notification whose settings are opened; `nil` from the system's settings.
    package func openSettings(for identifier: String? = nil) async {
        await Self.$current.withValue(self) {
            await MainActor.run {
                let notification = visible.first { $0.request.identifier == identifier }
                delegate?.userNotificationCenter(center, openSettingsFor: notification)
            }
        }
    }
}
