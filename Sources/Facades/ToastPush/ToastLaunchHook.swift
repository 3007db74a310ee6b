#if canImport(UIKit) && canImport(ObjectiveC)
import Foundation

/// What the target `ToastPushLaunch` calls, by these names, when the app has launched.
@objc(CarillonToastPushLaunch)
final class ToastLaunchHook: NSObject {
    @objc(didFinishLaunching)
    static func didFinishLaunching() { ToastPushAdapter.current.beginByInfo() }
}
#endif
