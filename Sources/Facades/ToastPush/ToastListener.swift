import Carillon

/// Hands what Carillon's SDK tells to the vendor's delegates.
@MainActor
final class ToastListener: CarillonAppDelegate, CarillonVoIPDelegate {
    private unowned let room: ToastRoom

    init(room: ToastRoom) { self.room = room }

    func carillon(_ app: CarillonApp, didReceive message: PushMessage) {
        room.delegate?.tellReceived(ToastPushMessage(message))
    }

    func carillon(_ app: CarillonApp, didOpen message: PushMessage) {
        room.delegate?.tellOpened(ToastPushMessage(message))
    }

    func carillon(_ app: CarillonApp, didPerform action: PushAction) {
        room.delegate?.tellAction(ToastPushNotificationAction(action))
    }

    func carillonVoIP(_ voIP: CarillonVoIP, didReceive call: IncomingCall) {
        // The app reports the call by a provider of its own, or the SDK does it afterwards.
        room.callDelegate?.didReceiveIncomingVoiceCall(message: ToastPushMessage(call.message))
    }
}
