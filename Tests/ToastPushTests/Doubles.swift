import CallKit
import Carillon
import CarillonModel
import CarillonTestKit
import FacadeSupport
import Foundation
import Testing
import UIKit
import UserNotifications

@testable import ToastPush
@testable import ToastVoIP

/// What an app of TOAST Push was told, in order.
@MainActor
final class ToastLog {
    var received: [ToastPushMessage] = [] {
        didSet {
            let ready = waiters.filter { $0.count <= received.count }
            waiters.removeAll { $0.count <= received.count }
            for waiter in ready { waiter.shot.complete(()) }
        }
    }
    var opened: [ToastPushMessage] = []
    var actions: [ToastPushNotificationAction] = []
    var calls: [ToastPushMessage] = []

    private var waiters: [(count: Int, shot: OneShot<Void>)] = []

    nonisolated init() {}

    /// What was received, once there is so much: the system does not wait until the app is told.
    func received(_ count: Int) async -> [ToastPushMessage] {
        if received.count < count {
            let shot = OneShot<Void>()
            waiters.append((count, shot))
            await shot.wait()
        }
        return received
    }
}

/// An app of TOAST Push, as the vendor's guide writes it.
@MainActor
final class ToastApp: UIResponder, UIApplicationDelegate, ToastPushDelegate, ToastVoIPDelegate {
    private let log: ToastLog
    private let launch: @MainActor @Sendable (ToastApp) -> Void
    private lazy var provider = CXProvider(configuration: CXProviderConfiguration())

    init(log: ToastLog, launch: @escaping @MainActor @Sendable (ToastApp) -> Void) {
        self.log = log
        self.launch = launch
        super.init()
    }

    func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool {
        launch(self)
        return true
    }

    func application(
        _ application: UIApplication,
        didRegisterForRemoteNotificationsWithDeviceToken deviceToken: Data
    ) {
        ToastPush.didRegister(deviceToken: deviceToken)
    }

    func application(
        _ application: UIApplication,
        didFailToRegisterForRemoteNotificationsWithError error: any Error
    ) {
        ToastPush.didFailToRegister(error)
    }

    func didReceiveNotification(message: ToastPushMessage) { log.received.append(message) }

    func didReceiveNotificationResponse(message: ToastPushMessage) { log.opened.append(message) }

    func didReceiveNotificationAction(action: ToastPushNotificationAction) { log.actions.append(action) }

    func didReceiveIncomingVoiceCall(message: ToastPushMessage) {
        log.calls.append(message)
        guard !ToastVoIP.reportsCalls else { return }
        let update = CXCallUpdate()
        update.localizedCallerName = message.title
        provider.reportNewIncomingCall(with: UUID(), update: update) { _ in }
    }
}

/// The vendor's service extension: an empty subclass.
final class ToastExtension: ToastPushServiceExtension {}

/// A phone with an app of TOAST Push on it.
struct ToastPhone {
    let server: TestKitServer
    let phone: TestKitPhone
    let log = ToastLog()

    /// - Parameters:
    ///   - server: Answers it.
    ///   - setup: Changes what the phone is like.
    ///   - isInitialized: Whether the app calls `initialize`.
    ///   - configure: Changes the app's configuration.
    ///   - launch: What else the app does at its start.
    /// - Throws: Any error when there is no place to keep anything.
    init(
        server: TestKitServer = TestKitServer(),
        setup: (inout TestKitPhone.Setup) -> Void = { _ in },
        isInitialized: Bool = true,
        configure: @escaping @Sendable (ToastPushConfiguration) -> Void = { _ in },
        launch: @escaping @MainActor @Sendable (ToastApp) -> Void = { _ in }
    ) async throws {
        self.server = server
        var traits = TestKitPhone.Setup()
        traits.extensionInfo["ToastSDK"] = ["ToastPush": ["AppKey": TestKitServer.appKey]]
        traits.serviceExtension = { ToastExtension() }
        setup(&traits)
        phone = try TestKitPhone(server: server, setup: traits) { [log] in
            ToastApp(log: log) { app in
                if isInitialized {
                    let configuration = ToastPushConfiguration(appKey: TestKitServer.appKey)
                    configure(configuration)
                    ToastPush.initialize(configuration: configuration, delegate: app)
                    ToastVoIP.setDelegate(app)
                }
                launch(app)
            }
        }
        await phone.openApp()
    }

    /// Registers with some consent; missing: with what is stored.
    @discardableResult
    func register(_ consent: Consent? = Consent(notifications: true)) async -> Outcome<ToastPushTokenInfo> {
        await call { completion in
            guard let consent else { return ToastPush.register(completion: completion) }
            let agreement = ToastPushAgreement(allowNotifications: consent.notifications)
            agreement.allowAdvertisements = consent.ads
            agreement.allowNightAdvertisements = consent.nightAds
            ToastPush.register(agreement: agreement, completion: completion)
        }
    }

    func query() async -> Outcome<ToastPushTokenInfo> { await call { ToastPush.queryTokenInfo(completion: $0) } }

    @discardableResult
    func unregister() async -> Outcome<String> { await call { ToastPush.unregister(completion: $0) } }

    func tags() async -> Outcome<Set<String>> { await call { ToastPush.getUserTag(completion: $0) } }

    /// Makes a call on the phone, and waits for its callback.
    func call<Value: Sendable>(
        _ call: @escaping @Sendable (@escaping @MainActor @Sendable (Value?, (any Error)?) -> Void) -> Void
    ) async -> Outcome<Value> {
        await phone.run {
            await withCheckedContinuation { continuation in
                call { value, error in continuation.resume(returning: Outcome(value, error)) }
            }
        }
    }

    /// Calls something whose callback has an error alone.
    func callForError(
        _ call: @escaping @Sendable (@escaping @MainActor @Sendable ((any Error)?) -> Void) -> Void
    ) async -> Outcome<String> {
        await self.call { completion in call { completion(nil, $0) } }
    }

    /// Sets the user, and waits until that is told.
    func setUser(_ userID: String?) async {
        await phone.run { ToastSDK.setUserID(userID) }
        await finishSteps()
    }

    /// Waits until everything that was asked for is done.
    func finishSteps() async { await phone.dependencies.state(ToastPushAdapter.init).steps.finish() }

    /// Sends a push and has the phone take it.
    @discardableResult
    func push(_ push: TestKitPush) async -> String? { await phone.receive(server.send(push)) }
}

/// What a callback said.
struct Outcome<Value: Sendable>: Sendable {
    let value: Value?
    let domain: String?
    let code: Int?
    let text: String?
    let isOnMain: Bool

    init(_ value: Value?, _ error: (any Error)?) {
        self.value = value
        let error = error.map { $0 as NSError }
        domain = error?.domain
        code = error?.code
        text = error?.localizedDescription
        isOnMain = MainThread.isCurrent
    }
}

extension TestKitServer {
    /// A User's tags, as texts.
    func tags(of user: String) -> Set<String> {
        Set((UserID(rawValue: user).map { tags(of: $0) } ?? []).map(\.rawValue))
    }
}
