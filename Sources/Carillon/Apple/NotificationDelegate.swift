#if canImport(UserNotifications) && !os(tvOS) && !os(watchOS)
import CarillonModel
import Foundation
import UserNotifications

/// The system's notification delegate: reports what the person does, and forwards everything to the app's own delegate.
final class NotificationDelegate: NSObject, UNUserNotificationCenterDelegate {
    /// What it notifies of.
    indirect enum Event: Sendable {
        /// A push arrived in the foreground.
        case received(PushMessage)
        /// The person did something with a push of a category.
        case gesture(NotificationGesture, PushMessage, category: String)
    }

    private let client: CarillonClient
    private let delegates = ForeignDelegates()
    private let presentation = PresentationChoice()
    /// The payload of the last response, known before the app's own delegate is called.
    let latestResponse = LatestResponse()
    private let onEvent: @MainActor @Sendable (Event) -> Void

    /// The longest wait for the server, in seconds, before an app in the background lets the system suspend it.
    private static let backgroundTime: TimeInterval = 5

    init(client: CarillonClient, onEvent: @escaping @MainActor @Sendable (Event) -> Void) {
        self.client = client
        self.onEvent = onEvent
    }

    /// The app's own delegate, which receives every call.
    var appDelegate: (any UNUserNotificationCenterDelegate)? {
        get { delegates.own }
        set { delegates.own = newValue === self ? nil : newValue }
    }

    /// A delegate that another SDK set later, which receives every call too.
    var laterDelegate: (any UNUserNotificationCenterDelegate)? {
        get { delegates.later }
        set { delegates.later = newValue === self || newValue === appDelegate ? nil : newValue }
    }

    /// What is shown in the foreground when the app's own delegate does not decide.
    var foregroundPresentation: UNNotificationPresentationOptions {
        get { presentation.options }
        set { presentation.options = newValue }
    }

    func userNotificationCenter(
        _ center: UNUserNotificationCenter,
        willPresent notification: UNNotification,
        withCompletionHandler completionHandler: @escaping @Sendable (UNNotificationPresentationOptions) -> Void
    ) {
        let standard = foregroundPresentation
        let isNew = delegates.begin(notification)
        // iOS 18.0 calls this twice for the same notification.
        if isNew, presentation.isNew(notification),
            let message = PushMessage(userInfo: notification.request.content.userInfo)
        {
            let onEvent = onEvent
            Task { await onEvent(.received(message)) }
        }
        let isAnswered = OneShot<Void>()
        let answer: @Sendable (UNNotificationPresentationOptions) -> Void = { options in
            guard isAnswered.complete(()) else { return }
            MainThread.run { completionHandler(options) }
        }
        let asksLater =
            isNew && laterDelegate.forward(center, willPresent: notification, standard: standard, completion: answer)
        // Of two delegates the later one decides; the app's own is called once, by the later one or here.
        let asksOwn =
            delegates.claimOwn(notification)
            && appDelegate.forward(center, willPresent: notification, standard: standard) { [asksLater] options in
                if !asksLater { answer(options) }
            }
        if !asksLater, !asksOwn { answer(standard) }
    }

    func userNotificationCenter(
        _ center: UNUserNotificationCenter,
        didReceive response: UNNotificationResponse,
        withCompletionHandler completionHandler: @escaping @Sendable () -> Void
    ) {
        let isNew = delegates.begin(response)
        let completion = JointCompletion(completionHandler)
        if isNew {
            // A dismissal in the background is no tap.
            if response.actionIdentifier == UNNotificationDefaultActionIdentifier
                || NotificationGesture(response)?.opensApp == true
            {
                latestResponse.set(response.notification.request.content.userInfo)
            }
            report(response, completion)
        } else {
            completion.finish(.sdk)
        }
        if !isNew || !laterDelegate.forward(center, didReceive: response, completion: { completion.finish(.later) }) {
            completion.finish(.later)
        }
        let isOwn = delegates.claimOwn(response)
        if !isOwn || !appDelegate.forward(center, didReceive: response, completion: { completion.finish(.own) }) {
            completion.finish(.own)
        }
    }

    func userNotificationCenter(_ center: UNUserNotificationCenter, openSettingsFor notification: UNNotification?) {
        guard delegates.beginSettings(at: client.time.now()) else { return }
        laterDelegate.forward(center, openSettingsFor: notification)
        appDelegate.forward(center, openSettingsFor: notification)
    }

    /// Saves the event before the system may suspend the app; in the background it is also sent.
    private func report(_ response: UNNotificationResponse, _ completion: JointCompletion) {
        let content = response.notification.request.content
        guard let gesture = NotificationGesture(response), let message = PushMessage(userInfo: content.userInfo) else {
            return completion.finish(.sdk)
        }
        let report = Report(client: client, onEvent: onEvent, message: message, category: content.categoryIdentifier)
        Task { await report.send(gesture, completion) }
    }

    /// A gesture's report to the server and the app.
    private struct Report: Sendable {
        let client: CarillonClient
        let onEvent: @MainActor @Sendable (Event) -> Void
        let message: PushMessage
        let category: String

        func send(_ gesture: NotificationGesture, _ completion: JointCompletion) async {
            await client.report(gesture.kind, of: gesture.push, action: gesture.action, reply: gesture.reply)
            await onEvent(.gesture(gesture, message, category: category))
            if !gesture.opensApp { await client.flush(within: NotificationDelegate.backgroundTime) }
            completion.finish(.sdk)
        }
    }
}
#endif
