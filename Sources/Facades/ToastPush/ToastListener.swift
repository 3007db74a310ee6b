import Carillon

/// Passes events of Carillon's SDK to the vendor's delegates.
@MainActor
final class ToastListener: CarillonAppDelegate, CarillonVoIPDelegate {
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

    func carillonVoIP(_ voIP: CarillonVoIP, didReceive call: IncomingCall) {
        // The app reports calls under ids of its own, so a copy would ring again.
        guard !call.isCopy else { return call.reportEnded() }
        guard let delegate = adapter.callDelegate else { return call.report() }
        delegate.didReceiveIncomingVoiceCall(message: ToastPushMessage(call.message))
    }
}
