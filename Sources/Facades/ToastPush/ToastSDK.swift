import FacadeSupport
public import Foundation

/// What all of the vendor's products share.
#if canImport(ObjectiveC)
@objc(ToastSDK)
#endif
public final class ToastSDK: NSObject {
    /// Says who uses the app.
    ///
    /// What is registered is told the change by itself. `nil` after logging out: the token stays registered, under the
    /// device's own id.
    ///
    /// - Parameter userID: The person, under the app's own id, 1 through 128 characters.
    #if canImport(ObjectiveC)
    @objc(setUserID:)
    #endif
    public static func setUserID(_ userID: String?) { ToastPushAdapter.current.setUser(userID) }

    /// Who uses the app.
    #if canImport(ObjectiveC)
    @objc(userID)
    #endif
    public static func userID() -> String? { ToastPushAdapter.current.userID }

    /// Says whether the SDK writes to the console.
    #if canImport(ObjectiveC)
    @objc(setDebugMode:)
    #endif
    public static func setDebugMode(_ debugMode: Bool) { ToastPushAdapter.current.isDebugging = debugMode }

    /// Whether the SDK writes to the console.
    #if canImport(ObjectiveC)
    @objc(isDebugMode)
    #endif
    public static func isDebugMode() -> Bool { ToastPushAdapter.current.isDebugging }

    /// The version of Carillon's SDK.
    @nonobjc
    public static func version() -> String { ToastPushAdapter.version }
}
