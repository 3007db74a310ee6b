#if canImport(UIKit)
public import Foundation
public import ToastPush

#if canImport(ObjectiveC)
/// Notified of calls, on the main thread.
@preconcurrency @MainActor @objc(ToastVoIPDelegate)
public protocol ToastVoIPDelegate: NSObjectProtocol {
    /// A call comes in.
    @objc(didReceiveIncomingVoiceCallWithMessage:)
    func didReceiveIncomingVoiceCall(message: ToastPushMessage)
}
#else
/// Notified of calls, on the main thread.
@preconcurrency @MainActor
public protocol ToastVoIPDelegate: NSObjectProtocol {
    /// A call comes in.
    func didReceiveIncomingVoiceCall(message: ToastPushMessage)
}
#endif
#endif
