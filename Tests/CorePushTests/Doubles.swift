import Carillon
import CarillonModel
import CarillonTestKit
import FacadeSupport
import Foundation
import Testing
import UIKit
import UserNotifications

@testable import CorePush

/// What an app of CORE PUSH was told, in order.
@MainActor
final class CoreLog {
    var heard: [String] = []
    var last: [String: String] = [:]

    nonisolated init() {}

    func write(_ name: String, _ userInfo: [AnyHashable: Any] = [:]) {
        heard.append(name)
        last = [:]
        for (key, value) in userInfo {
            if let key = key as? String, let value = value as? String { last[key] = value }
        }
    }
}

/// An app of CORE PUSH, as the vendor's samples write it.
@MainActor
final class CoreApp: UIResponder, UIApplicationDelegate, CorePushManagerDelegate, UNUserNotificationCenterDelegate {
    private let log: CoreLog
    private let launch: @MainActor @Sendable (CoreApp) -> Void

    init(log: CoreLog, launch: @escaping @MainActor @Sendable (CoreApp) -> Void) {
        self.log = log
        self.launch = launch
        super.init()
    }

    func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool {
        UNUserNotificationCenter.current().delegate = self
        let manager = CorePushManager.shared
        manager.delegate = self
        manager.configKey = TestKitServer.appKey
        launch(self)
        manager.handleLaunchingNotification(withOption: launchOptions)
        return true
    }

    func application(
        _ application: UIApplication,
        didRegisterForRemoteNotificationsWithDeviceToken deviceToken: Data
    ) {
        CorePushManager.shared.registerDeviceToken(deviceToken)
    }

    func application(
        _ application: UIApplication,
        didFailToRegisterForRemoteNotificationsWithError error: any Error
    ) {
        CorePushManager.shared.didFailToRegister(error)
    }

    nonisolated func userNotificationCenter(
        _ center: UNUserNotificationCenter,
        willPresent notification: UNNotification,
        withCompletionHandler completionHandler: @escaping @Sendable (UNNotificationPresentationOptions) -> Void
    ) {
        let userInfo = Box(notification.request.content.userInfo)
        MainThread.run { CorePushManager.shared.handleRemoteNotification(userInfo.value) }
        completionHandler([])
    }

    nonisolated func userNotificationCenter(
        _ center: UNUserNotificationCenter,
        didReceive response: UNNotificationResponse,
        withCompletionHandler completionHandler: @escaping @Sendable () -> Void
    ) {
        let userInfo = Box(response.notification.request.content.userInfo)
        MainThread.run { CorePushManager.shared.handleRemoteNotification(userInfo.value) }
        completionHandler()
    }

    func handleBackgroundNotification(_ notification: [AnyHashable: Any]) { log.write("background", notification) }

    func handleForegroundNotifcation(_ notification: [AnyHashable: Any]) { log.write("foreground", notification) }

    func handleLaunchingNotification(_ notification: [AnyHashable: Any]) { log.write("launching", notification) }
}

/// Carries a payload between threads.
///
/// Unchecked: nobody changes it.
struct Box<Value>: @unchecked Sendable {
    let value: Value

    init(_ value: Value) { self.value = value }
}

/// A phone with an app of CORE PUSH on it.
struct CorePhone {
    let server: TestKitServer
    let phone: TestKitPhone
    let log = CoreLog()

    /// - Parameters:
    ///   - server: Answers it.
    ///   - setup: Changes what the phone is like.
    ///   - launch: What else the app does at its start.
    /// - Throws: Any error when there is no place to keep anything.
    init(
        server: TestKitServer = TestKitServer(),
        setup: (inout TestKitPhone.Setup) -> Void = { _ in },
        launch: @escaping @MainActor @Sendable (CoreApp) -> Void = { _ in }
    ) async throws {
        self.server = server
        var traits = TestKitPhone.Setup()
        setup(&traits)
        phone = try TestKitPhone(server: server, setup: traits) { [log] in CoreApp(log: log, launch: launch) }
        await phone.openApp()
    }

    /// Runs something as the app, on the main thread.
    @discardableResult
    func run<Result: Sendable>(
        _ body: @escaping @MainActor @Sendable (CorePushManager) throws -> Result
    ) async rethrows -> Result {
        try await phone.run { try await MainActor.run { try body(CorePushManager.shared) } }
    }

    /// Does something, and waits until everything that was asked for is done.
    ///
    /// - Returns: The notifications that were posted meanwhile.
    @discardableResult
    func doing(_ body: @escaping @MainActor @Sendable (CorePushManager) -> Void) async -> [String] {
        await posted(body).names
    }

    /// Does something, and waits until everything that was asked for is done.
    func posted(_ body: @escaping @MainActor @Sendable (CorePushManager) -> Void) async -> Posted {
        let names: [Notification.Name] = [
            .CorePushManagerRegisterTokenRequestSuccess, .CorePushManagerRegisterTokenRequestFail,
            .CorePushManagerUnregisterTokenRequestSuccess, .CorePushManagerUnregisterTokenRequestFail,
            .CorePushManagerRegisterUserAttributesRequestSuccess, .CorePushManagerRegisterUserAttributesRequestFail,
        ]
        let posted = Posted()
        let manager = await run { $0 }
        let observers = names.map { name in
            NotificationCenter.default.addObserver(forName: name, object: manager, queue: nil) {
                posted.add($0)
            }
        }
        await run(body)
        await finishSteps()
        for observer in observers { NotificationCenter.default.removeObserver(observer) }
        return posted
    }

    /// Waits until everything that was asked for is done.
    func finishSteps() async {
        let steps = await phone.run { await MainActor.run { CorePushAdapter.current.steps } }
        await steps.finish()
    }

    /// Registers, as the app's switch does.
    @discardableResult
    func register() async -> [String] { await doing { $0.registerForRemoteNotifications() } }

    /// Brings the app to where a call meets it.
    func state(_ state: SimulatedSystem.AppState) { phone.system.appState = state }
}

/// The notifications that were posted.
///
/// Unchecked: `lock` protects `list`.
final class Posted: @unchecked Sendable {
    private let lock = NSLock()
    private var list: [(name: String, reason: (any Error)?)] = []

    /// Their names without the common beginning; one that came on another thread than the main one is marked.
    var names: [String] { lock.withLock { list.map(\.name) } }

    /// Why the failures among them failed.
    var reasons: [any Error] { lock.withLock { list.compactMap(\.reason) } }

    func add(_ notification: Notification) {
        let short = notification.name.rawValue.replacingOccurrences(of: "CorePushManager", with: "")
        let name = MainThread.isCurrent ? short : short + " elsewhere"
        lock.withLock { list.append((name, notification.userInfo?[NSUnderlyingErrorKey] as? any Error)) }
    }
}
