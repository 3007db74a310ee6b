#if canImport(UIKit) && canImport(UserNotifications) && !os(tvOS) && !os(watchOS)
import CarillonModel
public import Foundation
public import UIKit

// What the app's delegate passes on.
@available(iOSApplicationExtension, unavailable)
extension CarillonApp {
    /// Handles the device token, from `application(_:didRegisterForRemoteNotificationsWithDeviceToken:)`.
    ///
    /// - Parameter deviceToken: The token.
    public func didRegister(deviceToken: Data) {
        guard let token = DeviceToken(bytes: deviceToken) else {
            return answerWaiters(.failure(.noDeviceToken("the system's token has \(deviceToken.count) bytes")))
        }
        let isAwaited = !tokenWaiters.isEmpty
        answerWaiters(.success(token))
        // A waiting caller registers it; a token that the system changed is sent here.
        if !isAwaited { Task { [client] in try? await client.setDeviceToken(token) } }
    }

    /// Handles the failure, from `application(_:didFailToRegisterForRemoteNotificationsWithError:)`.
    ///
    /// - Parameter error: The system's error.
    public func didFailToRegister(_ error: any Error) {
        answerWaiters(.failure(.noDeviceToken("the system gave no token")))
    }

    /// Handles a silent push, from `application(_:didReceiveRemoteNotification:fetchCompletionHandler:)`, and reports that it
    /// was received: no service extension runs for it.
    ///
    /// - Parameter userInfo: The payload.
    /// - Returns: The result for the system; `noData` when the push is not Carillon's.
    public func didReceiveRemoteNotification(_ userInfo: [AnyHashable: Any]) async -> UIBackgroundFetchResult {
        guard let push = ReceivedPush(userInfo: userInfo) else { return .noData }
        let aps = userInfo[PayloadKey.aps] as? [String: Any]
        guard aps?["alert"] == nil else { return .newData }
        await client.report(.received, of: push)
        if let message = PushMessage(userInfo: userInfo) { notify(.received(message)) }
        await client.flush(within: 10)
        return .newData
    }

    /// Observes that the app becomes active, and sends what changed while it was in the background.
    ///
    /// "If your app uses scenes, UIKit doesn't call" `applicationDidBecomeActive(_:)`; the notifications are posted in any case
    /// (Apple, UIApplicationDelegate). A tap is delivered between the two.
    func observeActivity() -> [NotificationObserver] {
        let comes = NotificationObserver(
            of: UIApplication.willEnterForegroundNotification,
            from: UIApplication.shared
        ) { [weak self] in
            MainThread.run {
                // A tap is delivered after this: a link that still waits is of an earlier time.
                self?.waitingLink = nil
                self?.becomeDelegate()
            }
        }
        let isActive = NotificationObserver(
            of: UIApplication.didBecomeActiveNotification,
            from: UIApplication.shared
        ) { [weak self, client] in
            MainThread.run {
                self?.becomeDelegate()
                self?.openWaitingLink()
            }
            Task {
                try? await client.prepare(permission: await SystemPermission.current())
                await client.refresh()
            }
        }
        return [comes, isActive]
    }

    /// Gets the device token at each start of a registered app; ``didRegister(deviceToken:)`` sends a changed one.
    ///
    /// "Each time your app launches, it must register with APNs" (Apple, Remote Notification Programming Guide).
    func registerAgain() async {
        guard (try? await client.lastRegistration) != nil, tokenWaiters.isEmpty else { return }
        UIApplication.shared.registerForRemoteNotifications()
    }

    private func answerWaiters(_ result: Result<DeviceToken, CarillonError>) {
        for waiter in tokenWaiters { waiter.complete(result) }
        tokenWaiters = []
    }
}
#endif
