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
}
