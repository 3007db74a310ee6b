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

    /// Is told what happens to the app's pushes; set it in `application(_:didFinishLaunchingWithOptions:)`, so that it is
    /// told of the one that started the app.
    public weak var delegate: (any CarillonAppDelegate)?

    /// Called on the main actor when the person opened, dismissed or answered one of Carillon's notifications.
    public var onGesture: (@MainActor @Sendable (NotificationGesture) -> Void)?

    /// Whether the app is registered although the person did not allow notifications; they can change their mind.
    public var alwaysRegisters = false

    /// Whether links are opened by themselves: a notification's when it is tapped, and that of a button that opens one.
    ///
    /// A survey's link never is. The delegate may keep single links to itself.
    public var opensLinks = true

    /// Takes part in calls.
    public private(set) lazy var voIP = CarillonVoIP(client: client)

    private var system: NotificationDelegate?
    private var running: Task<Void, Never>?
    private var categoryWork: Task<Void, Never>?
    private var tokenWaiters: [OneShot<Result<DeviceToken, CarillonError>>] = []
    private var backlog = EventBacklog<CarillonAppEvent>()

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

    /// How notifications make themselves noticed: not in front, with badge and sound, unless the app says otherwise.
    ///
    /// Badge and sound count when the person is asked for permission, and in front; an app's own notification delegate
    /// decides for itself what is shown in front.
    public var notificationOptions = NotificationOptions() {
        didSet { system?.foregroundPresentation = notificationOptions.presentation }
    }

    /// What happens to the app's pushes, from now on; the first one also has what happened before, as the tap that
    /// started the app.
    ///
    /// Each use makes a stream of its own, which ends when its reader does.
    public var messages: AsyncStream<CarillonAppEvent> {
        let (stream, continuation, number) = backlog.add()
        continuation.onTermination = { [weak self] _ in
            Task { @MainActor in self?.backlog.remove(number) }
        }
        return stream
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
        let system = NotificationDelegate(client: client) { [weak self] in self?.take($0) }
        system.appDelegate = appDelegate ?? center.delegate
        system.foregroundPresentation = notificationOptions.presentation
        self.system = system
        center.delegate = system
        workOnCategories { await SystemCategories.register() }
        running = Task { [client] in await client.run() }
    }

    /// Stops keeping the server up to date, and gives the notifications back to the app's own delegate.
    public func stop() {
        running?.cancel()
        running = nil
        let center = UNUserNotificationCenter.current()
        if let system, center.delegate === system { center.delegate = system.appDelegate }
        system = nil
    }

    /// Asks the person for permission if they were not asked before, gets a device token and registers.
    ///
    /// Without a token, as without a network, the installation is registered all the same: it can be reached once there
    /// is one.
    ///
    /// - Parameters:
    ///   - consent: What the person agreed to in the app.
    ///   - user: The person, under the app's own id; `nil`: nobody.
    ///   - proof: Made by the app's back end, for an App whose identity is `signed`.
    ///   - options: What to ask the person for; `nil`: what ``notificationOptions`` say.
    /// - Returns: What is registered now.
    /// - Throws: ``CarillonError``; the registration is tried again unless the server refused it. `permissionDenied` when
    ///   the person does not allow notifications: nothing is sent then, unless ``alwaysRegisters``.
    @discardableResult
    public func register(
        consent: Consent,
        user: UserID? = nil,
        proof: UserProof? = nil,
        options: UNAuthorizationOptions? = nil
    ) async throws(CarillonError) -> CarillonClient.Registered {
        try await prepare(options)
        return try await client.register(consent: consent, user: user, proof: proof)
    }

    /// Registers again as the app did last, with the same consent and the same user; without an earlier registration,
    /// with no consent and nobody.
    ///
    /// - Returns: What is registered now.
    /// - Throws: ``CarillonError``, as ``register(consent:user:proof:options:)`` does.
    @discardableResult
    public func register() async throws(CarillonError) -> CarillonClient.Registered {
        try await prepare(nil)
        return try await client.register()
    }

    private func prepare(_ options: UNAuthorizationOptions?) async throws(CarillonError) {
        let permission = await SystemPermission.request(options ?? notificationOptions.authorization)
        guard permission != .denied || alwaysRegisters else { throw .permissionDenied }
        try await client.prepare(token: try? await deviceToken(), permission: permission)
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
        if let message = PushMessage(userInfo: userInfo) { tell(.received(message)) }
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

// MARK: - What the app is told

extension CarillonApp {
    private func take(_ news: NotificationDelegate.News) {
        switch news {
        case .received(let message): tell(.received(message))
        case .gesture(let gesture, let message, let category): take(gesture, message, category)
        }
    }

    private func take(_ gesture: NotificationGesture, _ message: PushMessage, _ category: String) {
        onGesture?(gesture)
        switch gesture.kind {
        case .opened: tell(.opened(message))
        case .action:
            let action = gesture.action ?? ""
            tell(.action(PushAction(id: action, category: category, reply: gesture.reply, message: message)))
        case .received, .dismissed, .launched: break
        }
        if let link = gesture.link, opensLinks { open(link, gesture, message) }
    }

    private func open(_ link: URL, _ gesture: NotificationGesture, _ message: PushMessage) {
        guard LinkText.isSafe(link), gesture.kind != .opened || !message.isSurvey,
            delegate?.carillon(self, shouldOpen: link, of: message) ?? true
        else { return }
        UIApplication.shared.open(link)
    }

    private func tell(_ event: CarillonAppEvent) {
        backlog.send(event)
        switch event {
        case .received(let message): delegate?.carillon(self, didReceive: message)
        case .opened(let message): delegate?.carillon(self, didOpen: message)
        case .action(let action): delegate?.carillon(self, didPerform: action)
        }
    }
}

// MARK: - Categories, badge and place

extension CarillonApp {
    /// Registers the kinds of notifications that have actions of the app's own, in place of those before.
    ///
    /// Call it at each start; Carillon's own categories stay.
    ///
    /// - Parameter categories: The categories; empty: none.
    /// - Throws: ``CarillonError`` with code `invalidArgument` when an id is there twice; nothing is changed then.
    public func setActionCategories(_ categories: [NotificationCategory]) async throws(CarillonError) {
        guard Set(categories.map(\.id)).count == categories.count else {
            throw .invalidArgument("a category's id is there twice")
        }
        await setSystemCategories(Set(categories.map(\.systemCategory)))
    }

    /// Registers the app's own categories in the system's words, in place of those before; Carillon's own stay.
    ///
    /// - Parameter categories: The categories; empty: none.
    public func setSystemCategories(_ categories: Set<UNNotificationCategory>) async {
        let shared = SystemCategories.Shared(value: categories)
        await workOnCategories { await SystemCategories.setOwn(shared) }.value
    }

    /// One after the other: each reads what is registered, and writes all of it.
    @discardableResult
    private func workOnCategories(_ work: @escaping @MainActor () async -> Void) -> Task<Void, Never> {
        let earlier = categoryWork
        let task = Task {
            await earlier?.value
            await work()
        }
        categoryWork = task
        return task
    }

    /// Sets the number on the app's icon.
    ///
    /// - Parameter count: The number; 0 or less takes it away.
    public func setBadge(_ count: Int) {
        let count = max(0, count)
        #if os(iOS)
        guard #available(iOS 16, *) else {
            UIApplication.shared.applicationIconBadgeNumber = count
            return
        }
        #endif
        UNUserNotificationCenter.current().setBadgeCount(count, withCompletionHandler: nil)
    }

    /// Takes the number off the app's icon.
    public func resetBadge() { setBadge(0) }

    /// Sets the number on the app's icon to what is unread in the inbox, as it was fetched last.
    ///
    /// - Throws: ``CarillonError`` when the phone's storage cannot be read.
    public func setBadgeToUnread() async throws(CarillonError) { setBadge(try await client.unreadCount) }

    /// Finds the phone and tells the server, if ``CarillonClient/isLocationEnabled``; the person is asked at first.
    ///
    /// - Returns: Whether it was told; false when it is not enabled, and then nobody is asked.
    /// - Throws: ``CarillonError``: `permissionDenied` when the person does not allow it, `noLocation` when the phone does
    ///   not know, and what sending may meet.
    @discardableResult
    public func reportCurrentLocation() async throws(CarillonError) -> Bool {
        guard client.isLocationEnabled else { return false }
        let finder = LocationFinder()
        let location = try await withDeadline(of: client.configuration.deadline, client.time) {
            () throws(CarillonError) in try await finder.find()
        }
        return try await client.setLocation(location)
    }
}
#endif
