#if canImport(UIKit) && canImport(UserNotifications) && !os(tvOS) && !os(watchOS)
public import CarillonModel
public import Foundation
public import UIKit
public import UserNotifications

/// Joins an app to Carillon: make one in the app's delegate, start it at launch and hand it the system's calls.
///
/// ```swift
/// final class AppDelegate: UIResponder, UIApplicationDelegate {
///     private let carillon = try? CarillonApp(CarillonConfiguration(bundle: .main))
///
///     func application(
///         _ application: UIApplication,
///         didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
///     ) -> Bool {
///         carillon?.start()
///         return true
///     }
///
///     func application(
///         _ application: UIApplication,
///         didRegisterForRemoteNotificationsWithDeviceToken deviceToken: Data
///     ) {
///         carillon?.didRegister(deviceToken: deviceToken)
///     }
/// }
/// ```
@MainActor
public final class CarillonApp {
    /// The SDK that does the work.
    public let client: CarillonClient

    /// Called on the main actor when the person opened, dismissed or answered one of Carillon's notifications.
    public var onGesture: (@MainActor @Sendable (NotificationGesture) -> Void)?

    private var delegate: NotificationDelegate?
    private var running: Task<Void, Never>?
    private var tokenWaiters: [OneShot<Result<DeviceToken, CarillonError>>] = []
    private var chosenPresentation: UNNotificationPresentationOptions = []

    /// Makes a client and joins it to the app.
    ///
    /// - Parameter configuration: Where the server is, and the App's key.
    /// - Throws: ``CarillonError`` when the configuration cannot be used.
    public convenience init(_ configuration: CarillonConfiguration) throws(CarillonError) {
        self.init(client: try CarillonClient(configuration))
    }

    /// Joins a client to the app.
    ///
    /// - Parameter client: The client.
    public init(client: CarillonClient) { self.client = client }

    deinit { running?.cancel() }

    /// What is shown while the app is in front, unless the app's own delegate says; nothing at first.
    public var foregroundPresentation: UNNotificationPresentationOptions {
        get { chosenPresentation }
        set {
            chosenPresentation = newValue
            delegate?.foregroundPresentation = newValue
        }
    }

    /// Starts: takes part in the system's notifications, adds Carillon's category and keeps the server up to date.
    ///
    /// Call it in `application(_:didFinishLaunchingWithOptions:)`, where the system hands over what the app was started
    /// for only afterwards. A delegate that the app has set before, or names here, goes on working.
    ///
    /// - Parameter appDelegate: The app's own notification delegate; `nil`: the one that is set.
    public func start(appDelegate: (any UNUserNotificationCenterDelegate)? = nil) {
        guard running == nil else { return }
        let center = UNUserNotificationCenter.current()
        let delegate = NotificationDelegate(client: client) { [weak self] in self?.onGesture?($0) }
        delegate.appDelegate = appDelegate ?? center.delegate
        delegate.foregroundPresentation = chosenPresentation
        self.delegate = delegate
        center.delegate = delegate
        running = Task { [client] in
            await SystemCategories.register()
            await client.run()
        }
    }

    /// Stops keeping the server up to date, and gives the notifications back to the app's own delegate.
    public func stop() {
        running?.cancel()
        running = nil
        let center = UNUserNotificationCenter.current()
        if let delegate, center.delegate === delegate { center.delegate = delegate.appDelegate }
        delegate = nil
    }

    /// Asks the person for permission, gets a device token and registers.
    ///
    /// Without permission or token the installation is registered all the same, without a token: it can be reached once
    /// the person changes their mind.
    ///
    /// - Parameters:
    ///   - consent: What the person agreed to in the app.
    ///   - user: The person, under the app's own id; `nil`: nobody.
    ///   - proof: Made by the app's back end, for an App whose identity is `signed`.
    ///   - options: What to ask the person for.
    /// - Returns: What is registered now.
    /// - Throws: ``CarillonError``; the registration is tried again unless the server refused it.
    @discardableResult
    public func register(
        consent: Consent,
        user: UserID? = nil,
        proof: UserProof? = nil,
        options: UNAuthorizationOptions = [.alert, .badge, .sound]
    ) async throws(CarillonError) -> CarillonClient.Registered {
        let permission = await SystemPermission.request(options)
        let token: DeviceToken? = if permission.allowsTokens { try? await deviceToken() } else { nil }
        try await client.prepare(token: token, permission: permission)
        return try await client.register(consent: consent, user: user, proof: proof)
    }

    /// Gets the app's device token from the system.
    ///
    /// - Returns: The token.
    /// - Throws: ``CarillonError`` when the system gives none, or none within the deadline.
    public func deviceToken() async throws(CarillonError) -> DeviceToken {
        let waiter = OneShot<Result<DeviceToken, CarillonError>>()
        tokenWaiters.append(waiter)
        UIApplication.shared.registerForRemoteNotifications()
        return try await withDeadline(of: client.configuration.deadline, client.time) { () throws(CarillonError) in
            try await waiter.wait().get()
        }
    }
}

// MARK: - What the app's delegate hands on

extension CarillonApp {
    /// Takes the device token, from `application(_:didRegisterForRemoteNotificationsWithDeviceToken:)`.
    ///
    /// - Parameter deviceToken: What the system handed over.
    public func didRegister(deviceToken: Data) {
        guard let token = DeviceToken(bytes: deviceToken) else {
            return answerWaiters(.failure(.noDeviceToken("the system's token has \(deviceToken.count) bytes")))
        }
        let isAwaited = !tokenWaiters.isEmpty
        answerWaiters(.success(token))
        // Whoever waits for it registers it; a token that changes by itself is told here.
        if !isAwaited { Task { [client] in try? await client.setDeviceToken(token) } }
    }

    /// Takes the failure, from `application(_:didFailToRegisterForRemoteNotificationsWithError:)`.
    ///
    /// - Parameter error: What the system said.
    public func didFailToRegister(_ error: any Error) {
        answerWaiters(.failure(.noDeviceToken("the system gave no token")))
    }

    /// Takes a silent push, from `application(_:didReceiveRemoteNotification:fetchCompletionHandler:)`, and reports that
    /// it was received: no service extension runs for it.
    ///
    /// - Parameter userInfo: The payload.
    /// - Returns: What to tell the system; `noData` when the push is not Carillon's.
    public func didReceiveRemoteNotification(_ userInfo: [AnyHashable: Any]) async -> UIBackgroundFetchResult {
        guard let push = ReceivedPush(userInfo: userInfo) else { return .noData }
        let aps = userInfo["aps"] as? [String: Any]
        guard aps?["alert"] == nil else { return .newData }
        await client.report(.received, of: push)
        await client.flush(within: 10)
        return .newData
    }

    /// Looks after everything that may have changed meanwhile, from `applicationDidBecomeActive(_:)`.
    public func didBecomeActive() {
        Task { [client] in
            try? await client.prepare(permission: await SystemPermission.current())
            await client.refresh()
        }
    }

    private func answerWaiters(_ result: Result<DeviceToken, CarillonError>) {
        for waiter in tokenWaiters { waiter.give(result) }
        tokenWaiters = []
    }
}

extension NotificationPermission {
    fileprivate var allowsTokens: Bool {
        switch self {
        case .authorized, .provisional, .ephemeral: true
        case .notDetermined, .denied: false
        }
    }
}
#endif
