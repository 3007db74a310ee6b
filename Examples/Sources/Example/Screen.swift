#if canImport(UIKit)
import Carillon
import CarillonCalls
import CarillonPages
import Foundation
import UIKit

/// Shows what happens to the app's pushes.
@MainActor
final class Screen: CarillonAppDelegate, CarillonVoIPDelegate {
    private let log: @MainActor (String) -> Void
    private let window = UIView(frame: CGRect(x: 0, y: 0, width: 390, height: 844))
    private var popup: PopupView?

    init(log: @escaping @MainActor (String) -> Void) { self.log = log }

    func carillon(_ app: CarillonApp, didReceive message: PushMessage) {
        log("received: \(message.title ?? "")")
    }

    func carillon(_ app: CarillonApp, didOpen message: PushMessage) {
        log("opened: \(message.title ?? "")")
        if let survey = SurveyLink.url(for: message, id: app.client.surveyID) {
            SurveyViewController.present(survey)
            log("survey: \(survey)")
        } else if let popup = Popup(for: message, title: "News") {
            show(popup)
        }
    }

    func carillon(_ app: CarillonApp, didPerform action: PushAction) {
        log("button: \(action.button?.title ?? action.id) \(action.reply ?? "")")
    }

    /// The app shows pages itself; the system opens what else there is.
    func carillon(_ app: CarillonApp, shouldOpen link: URL, of message: PushMessage) -> Bool { !WebLink.isWeb(link) }

    func carillonVoIP(_ voIP: CarillonVoIP, didReceive call: IncomingCall) {
        log("call: \(call.message.title ?? "")")
        call.report()
    }

    private func show(_ popup: Popup) {
        let view = PopupView(popup, frame: CGRect(x: 45, y: 222, width: 300, height: 400), over: window)
        view.controller.buildLayout()
        view.controller.show()
        self.popup = view
        log("popup: \(popup.url?.absoluteString ?? "")")
    }
}
#endif
