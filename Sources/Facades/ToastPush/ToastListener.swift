#if canImport(UIKit)
import Carillon

/// Passes events of Carillon's SDK to the vendor's delegate.
@MainActor
final class ToastListener: CarillonAppDelegate {
    private unowned let adapter: ToastPushAdapter

    init(adapter: ToastPushAdapter) { self.adapter = adapter }

    func carillon(_ app: CarillonApp, didReceive message: PushMessage) {
        adapter.delegate?.notifyReceived(ToastPushMessage(message))
    }

    func carillon(_ app: CarillonApp, didOpen message: PushMessage) {
        adapter.delegate?.notifyOpened(ToastPushMessage(message))
    }

    func carillon(_ app: CarillonApp, didPerform action: PushAction) {
        adapter.delegate?.notifyAction(ToastPushNotificationAction(action))
    }
}
#endif
