#if canImport(UserNotifications) && !os(tvOS) && !os(watchOS)
import CarillonModel
import Foundation
import UserNotifications

/// Stands between the system and the app's own delegate: reports what the person does, and hands everything on.
final class NotificationDelegate: NSObject, UNUserNotificationCenterDelegate {
    /// What it tells.
    indirect enum News: Sendable {
        /// A push came while the app is in front.
        case received(PushMessage)
        /// The person did something with one, out of a category.
        case gesture(NotificationGesture, PushMessage, category: String)
    }

    private let client: CarillonClient
    private let ownDelegate = DelegateReference()
    private let presentation = PresentationChoice()
    private let onNews: @MainActor @Sendable (News) -> Void

    /// How long the app, woken behind, waits for the server before it lets the system put it to sleep, in seconds.
    private static let backgroundTime: TimeInterval = 5

    init(client: CarillonClient, onNews: @escaping @MainActor @Sendable (News) -> Void) {
        self.client = client
        self.onNews = onNews
    }

    /// The app's own delegate, which is called as if it were the only one.
    var appDelegate: (any UNUserNotificationCenterDelegate)? {
        get { ownDelegate.value }
        set { ownDelegate.value = newValue === self ? nil : newValue }
    }

    /// What is shown while the app is in front and its own delegate does not say.
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
        // iOS 18.0 asks twice for the same notification.
        if presentation.isNews(notification), let message = PushMessage(userInfo: notification.request.content.userInfo)
        {
            let onNews = onNews
            Task { await onNews(.received(message)) }
        }
        let isAnswered = OneShot<Void>()
        let isForwarded = appDelegate.forward(center, willPresent: notification, standard: standard) { options in
            if isAnswered.give(()) { completionHandler(options) }
        }
        if !isForwarded { completionHandler(standard) }
    }

    func userNotificationCenter(
        _ center: UNUserNotificationCenter,
        didReceive response: UNNotificationResponse,
        withCompletionHandler completionHandler: @escaping @Sendable () -> Void
    ) {
        let completion = JointCompletion(completionHandler)
        report(response, completion)
        let isForwarded = appDelegate.forward(center, didReceive: response) { completion.finish(.app) }
        if !isForwarded { completion.finish(.app) }
    }

    /// Writes the event down before the system may put the app to sleep; behind, there is a moment to send it too.
    private func report(_ response: UNNotificationResponse, _ completion: JointCompletion) {
        let content = response.notification.request.content
        guard let gesture = NotificationGesture(response), let message = PushMessage(userInfo: content.userInfo) else {
            return completion.finish(.sdk)
        }
        let told = Told(client: client, onNews: onNews, message: message, category: content.categoryIdentifier)
        Task { await told.tell(gesture, completion) }
    }

    /// Who is told of a gesture, and what it was about.
    private struct Told: Sendable {
        let client: CarillonClient
        let onNews: @MainActor @Sendable (News) -> Void
        let message: PushMessage
        let category: String

        func tell(_ gesture: NotificationGesture, _ completion: JointCompletion) async {
            await client.report(gesture.kind, of: gesture.push, action: gesture.action, reply: gesture.reply)
            await onNews(.gesture(gesture, message, category: category))
            if !gesture.opensApp { await client.flush(within: NotificationDelegate.backgroundTime) }
            completion.finish(.sdk)
        }
    }
}

/// A weak reference that any thread may read.
///
/// Unchecked: `lock` protects it.
private final class DelegateReference: @unchecked Sendable {
    private let lock = NSLock()
    private weak var delegate: (any UNUserNotificationCenterDelegate)?

    var value: (any UNUserNotificationCenterDelegate)? {
        get {
            lock.lock()
            defer { lock.unlock() }
            return delegate
        }
        set {
            lock.lock()
            defer { lock.unlock() }
            delegate = newValue
        }
    }
}

/// What the app chose to show in front, and what was asked last, which any thread may read.
///
/// Unchecked: `lock` protects it.
private final class PresentationChoice: @unchecked Sendable {
    private let lock = NSLock()
    private var chosen: UNNotificationPresentationOptions = []
    private var last: (identifier: String, date: Date)?

    var options: UNNotificationPresentationOptions {
        get {
            lock.lock()
            defer { lock.unlock() }
            return chosen
        }
        set {
            lock.lock()
            defer { lock.unlock() }
            chosen = newValue
        }
    }

    /// Whether it is another notification than the last one.
    func isNews(_ notification: UNNotification) -> Bool {
        lock.lock()
        defer { lock.unlock() }
        let now = (identifier: notification.request.identifier, date: notification.date)
        defer { last = now }
        return last.map { $0 != now } ?? true
    }
}
#endif
