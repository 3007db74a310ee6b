#if canImport(UIKit)
import FacadeSupport
public import Foundation

/// The common part of the vendor's products.
#if canImport(ObjectiveC)
@objc(ToastSDK)
#endif
public final class ToastSDK: NSObject {
    /// Sets the user of the app.
    ///
    /// An existing registration is updated automatically. `nil` after logging out: the token stays registered, under
    /// the device's own id.
    ///
    /// - Parameter userID: The person, under the app's own id, 1 through 128 characters.
    #if canImport(ObjectiveC)
    @objc(setUserID:)
    #endif
    public static func setUserID(_ userID: String?) {
        let adapter = ToastPushAdapter.current
        adapter.setUser(userID)
        adapter.beginByInfo()
    }

    /// The user of the app.
    #if canImport(ObjectiveC)
    @objc(userID)
    #endif
    public static func userID() -> String? { ToastPushAdapter.current.identity.userID }

    /// Sets whether the SDK logs to the console.
    #if canImport(ObjectiveC)
    @objc(setDebugMode:)
    #endif
    public static func setDebugMode(_ debugMode: Bool) { ToastPushAdapter.current.isDebugging = debugMode }

    /// Whether the SDK logs to the console.
    #if canImport(ObjectiveC)
    @objc(isDebugMode)
    #endif
    public static func isDebugMode() -> Bool { ToastPushAdapter.current.isDebugging }

    /// The version of Carillon's SDK.
    @nonobjc
    public static func version() -> String { ToastPushAdapter.version }

    #if canImport(ObjectiveC)
    /// The version of Carillon's SDK, for Objective-C: `+version` is a number of every `NSObject`, which Swift cannot replace.
    @objc(sdkVersion)
    public static func sdkVersion() -> String { ToastPushAdapter.version }
    #endif
}
#endif
