#if canImport(UserNotifications) && !os(tvOS) && !os(watchOS)
import Foundation
import UserNotifications

/// Stands between the system and the app's own delegate: reports what the person does, and hands everything on.
final class NotificationDelegate: NSObject, UNUserNotificationCenterDelegate {
    private let client: CarillonClient
    private let ownDelegate = DelegateReference()
    private let presentation = PresentationChoice()
    private let onGesture: @MainActor @Sendable (NotificationGesture) -> Void

    /// How long the app, woken behind, waits for the server before it lets the system put it to sleep, in seconds.
    private static let backgroundTime: TimeInterval = 5

    init(client: CarillonClient, onGesture: @escaping @MainActor @Sendable (NotificationGesture) -> Void) {
        self.client = client
        self.onGesture = onGesture
    }

    /// The app's own delegate, which is called as if it were the only one.
    var appDelegate: (any UNUserNotificationCenterDelegate)? {
        get { ownDelegate.value }
        set { ownDelegate.value = newValue === self ? nil : newValue }
    }

    /// What is shown while the app is in front and its own delegate does not say.
    var foregroundPresentation: UNNotificationPresentationOptions {
        get { presentation.value }
        set { presentation.value = newValue }
    }

    func userNotificationCenter(
        _ center: UNUserNotificationCenter,
        willPresent notification: UNNotification,
        withCompletionHandler completionHandler: @escaping @Sendable (UNNotificationPresentationOptions) -> Void
    ) {
        let standard = foregroundPresentation
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
        guard let gesture = NotificationGesture(response) else { return completion.finish(.sdk) }
        let told = Told(client: client, onGesture: onGesture)
        Task { await told.tell(gesture, completion) }
    }

    /// Who is told of a gesture.
    private struct Told: Sendable {
        let client: CarillonClient
        let onGesture: @MainActor @Sendable (NotificationGesture) -> Void

        func tell(_ gesture: NotificationGesture, _ completion: JointCompletion) async {
            await client.report(gesture.kind, of: gesture.push, action: gesture.action, reply: gesture.reply)
            await onGesture(gesture)
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

/// What the app chose to show in front, which any thread may read.
///
/// Unchecked: `lock` protects it.
private final class PresentationChoice: @unchecked Sendable {
    private let lock = NSLock()
    private var options: UNNotificationPresentationOptions = []

    var value: UNNotificationPresentationOptions {
        get {
            lock.lock()
            defer { lock.unlock() }
            return options
        }
        set {
            lock.lock()
            defer { lock.unlock() }
            options = newValue
        }
    }
}
#endif
