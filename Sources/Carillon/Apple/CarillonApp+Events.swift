#if canImport(UIKit) && canImport(UserNotifications) && !os(tvOS) && !os(watchOS)
import CarillonModel
import Foundation
import UIKit

// What the app is notified of.
@available(iOSApplicationExtension, unavailable)
extension CarillonApp {
    func handle(_ event: NotificationDelegate.Event) {
        switch event {
        case .received(let message): notify(.received(message))
        case .gesture(let gesture, let message, let category): handle(gesture, message, category)
        }
    }

    private func handle(_ gesture: NotificationGesture, _ message: PushMessage, _ category: String) {
        onGesture?(gesture)
        switch gesture.kind {
        case .opened: notify(.opened(message))
        case .action:
            let action = gesture.action ?? ""
            notify(.action(PushAction(id: action, category: category, reply: gesture.reply, message: message)))
        case .received, .dismissed, .launched: break
        }
        if let link = gesture.link, opensLinks { open(link, gesture, message) }
    }

    private func open(_ link: URL, _ gesture: NotificationGesture, _ message: PushMessage) {
        guard system != nil, LinkText.mayOpen(link, schemes: client.configuration.linkSchemes),
            gesture.kind != .opened || !message.isSurvey,
            delegate?.carillon(self, shouldOpen: link, of: message) ?? true
        else { return }
        guard UIApplication.shared.applicationState == .active else { return waitingLink = link }
        follow(link)
    }

    /// Opens the link of a tap that has brought the app to the foreground, now that it is active: the system refuses links
    /// of apps in the background.
    func openWaitingLink() {
        guard let link = waitingLink else { return }
        waitingLink = nil
        follow(link)
    }

    private func follow(_ link: URL) {
        UIApplication.shared.open(link, options: [:]) { [log = client.log] isOpened in
            if !isOpened { log(.warning, "The system did not open a notification's link") }
        }
    }

    func notify(_ event: CarillonAppEvent) {
        backlog.send(event)
        switch event {
        case .received(let message): delegate?.carillon(self, didReceive: message)
        case .opened(let message): delegate?.carillon(self, didOpen: message)
        case .action(let action): delegate?.carillon(self, didPerform: action)
        }
    }
}
#endif
