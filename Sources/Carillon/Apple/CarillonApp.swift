#if canImport(UIKit) && canImport(UserNotifications) && !os(tvOS) && !os(watchOS)
public import CarillonModel
import Foundation
import UIKit
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
    /// A survey's link never is, nor one whose scheme ``CarillonConfiguration/linkSchemes`` does not have. The delegate may
    /// keep single links to itself.
    public var opensLinks = true

    /// Takes part in calls.
    public private(set) lazy var voIP = CarillonVoIP(client: client)

    var system: NotificationDelegate?
    private var running: Task<Void, Never>?
    var categoryWork: Task<Void, Never>?
    var tokenWaiters: [OneShot<Result<DeviceToken, CarillonError>>] = []
    var backlog = EventBacklog<CarillonAppEvent>()

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
#endif
