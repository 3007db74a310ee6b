#if canImport(UIKit)
public import Foundation
public import ToastPush

/// TOAST Push's calls, by PushKit and CallKit.
///
/// No permission and no consent are required, but `ToastPush.initialize` must be called first. As with TOAST Push's own SDK,
/// the delegate reports each VoIP push to CallKit before it returns; ``reportsCalls`` leaves it to Carillon's SDK.
#if canImport(ObjectiveC)
@objc(ToastVoIP)
#endif
public final class ToastVoIP: NSObject {
    /// Sets the delegate, which is notified of calls; a weak reference.
    ///
    /// Call it in `application(_:didFinishLaunchingWithOptions:)`.
    #if canImport(ObjectiveC)
    @objc(setDelegate:)
    #endif
    public static func setDelegate(_ delegate: (any ToastVoIPDelegate)?) {
        ToastVoIPAdapter.current.delegate = delegate
    }

    /// Whether Carillon's SDK reports calls to CallKit in the delegate's place; Carillon's own addition, false at first.
    ///
    /// Without a delegate the SDK always does. Both must not: the phone would ring twice.
    #if canImport(ObjectiveC)
    @objc
    #endif
    public static var reportsCalls: Bool {
        get { ToastVoIPAdapter.current.reportsCalls }
        set { ToastVoIPAdapter.current.reportsCalls = newValue }
    }

    /// Registers the VoIP token.
    #if canImport(ObjectiveC)
    @objc(registerWithCompletionHandler:)
    #endif
    public static func register(completion: ToastPush.TokenInfoHandler?) {
        ToastVoIPAdapter.current.registerCalls(completion)
    }

    /// The last registration of a VoIP token on this device.
    #if canImport(ObjectiveC)
    @objc(queryTokenInfoWithCompletionHandler:)
    #endif
    public static func queryTokenInfo(completion: @escaping ToastPush.TokenInfoHandler) {
        ToastVoIPAdapter.current.queryCalls(completion)
    }

    /// Unregisters the VoIP token; returns it, or nothing when none was registered.
    #if canImport(ObjectiveC)
    @objc(unregisterWithCompletionHandler:)
    #endif
    public static func unregister(completion: (@MainActor @Sendable (String?, (any Error)?) -> Void)?) {
        ToastVoIPAdapter.current.unregisterCalls { token, error in completion?(token ?? nil, error) }
    }
}
#endif
