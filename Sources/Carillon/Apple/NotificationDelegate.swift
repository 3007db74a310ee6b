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
    private let ownDelegate = DelegateReference()
    private let presentation = PresentationChoice()
    private let forwarded = ForwardedCalls()
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
        get { ownDelegate.value }
        set { ownDelegate.value = newValue === self ? nil : newValue }
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
        let call = ObjectIdentifier(notification)
        guard forwarded.begin(call) else { return MainThread.run { completionHandler(standard) } }
        // iOS 18.0 calls this twice for the same notification.
        if presentation.isNew(notification), let message = PushMessage(userInfo: notification.request.content.userInfo)
        {
            let onEvent = onEvent
            Task { await onEvent(.received(message)) }
        }
        let isAnswered = OneShot<Void>()
        let isForwarded = appDelegate.forward(center, willPresent: notification, standard: standard) {
            [forwarded] options in
            guard isAnswered.complete(()) else { return }
            forwarded.end(call)
            MainThread.run { completionHandler(options) }
        }
        guard !isForwarded else { return }
        forwarded.end(call)
        MainThread.run { completionHandler(standard) }
    }

    func userNotificationCenter(
        _ center: UNUserNotificationCenter,
        didReceive response: UNNotificationResponse,
        withCompletionHandler completionHandler: @escaping @Sendable () -> Void
    ) {
        let call = ObjectIdentifier(response)
        guard forwarded.begin(call) else { return MainThread.run { completionHandler() } }
        latestResponse.set(response.notification.request.content.userInfo)
        let completion = JointCompletion { [forwarded] in
            forwarded.end(call)
            completionHandler()
        }
        report(response, completion)
        let isForwarded = appDelegate.forward(center, didReceive: response) { completion.finish(.app) }
        if !isForwarded { completion.finish(.app) }
    }

    func userNotificationCenter(_ center: UNUserNotificationCenter, openSettingsFor notification: UNNotification?) {
        let call = ObjectIdentifier(center)
        guard forwarded.begin(call) else { return }
        appDelegate.forward(center, openSettingsFor: notification)
        forwarded.end(call)
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

/// The calls that the app's delegate has not answered yet.
///
/// A delegate that another SDK set, and that returns each call to the one before it, would otherwise have the call forwarded
/// again, without end.
///
/// Unchecked: `lock` protects it.
private final class ForwardedCalls: @unchecked Sendable {
    private let lock = NSLock()
    private var calls: Set<ObjectIdentifier> = []

    /// - Returns: False when the call was begun and has not ended.
    func begin(_ call: ObjectIdentifier) -> Bool {
        lock.lock()
        defer { lock.unlock() }
        return calls.insert(call).inserted
    }

    func end(_ call: ObjectIdentifier) {
        lock.lock()
        defer { lock.unlock() }
        calls.remove(call)
    }
}

/// The payload of a response, which any thread may read.
///
/// Unchecked: `lock` protects it.
final class LatestResponse: @unchecked Sendable {
    private let lock = NSLock()
    private var payload: NSDictionary?

    func set(_ userInfo: [AnyHashable: Any]) {
        lock.lock()
        defer { lock.unlock() }
        payload = userInfo as NSDictionary
    }

    func isOf(_ userInfo: [AnyHashable: Any]) -> Bool {
        lock.lock()
        defer { lock.unlock() }
        return payload?.isEqual(userInfo as NSDictionary) == true
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

/// What is shown in the foreground, and the last notification, which any thread may read.
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

    /// Whether a notification is another one than the last.
    func isNew(_ notification: UNNotification) -> Bool {
        lock.lock()
        defer { lock.unlock() }
        let now = (identifier: notification.request.identifier, date: notification.date)
        defer { last = now }
        return last.map { $0 != now } ?? true
    }
}
#endif
