#if canImport(UIKit) && canImport(UserNotifications) && !os(tvOS) && !os(watchOS)
public import CarillonModel
import Foundation
import UIKit
public import UserNotifications

/// Connects an app to Carillon: make one in the app's delegate, start it at launch and pass it the system's calls.
///
/// ```swift
/// final class AppDelegate: UIResponder, UIApplicationDelegate {
///     private var carillon: CarillonApp?
///
///     func application(
///         _ application: UIApplication,
///         didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
///     ) -> Bool {
///         do {
///             carillon = try CarillonApp(CarillonConfiguration(bundle: .main))
///         } catch {
///             // The Info.plist lacks the server's address or the App key; the console says which.
///             assertionFailure("\(error)")
///         }
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
@available(iOSApplicationExtension, unavailable)
public final class CarillonApp {
    /// The client.
    public let client: CarillonClient

    /// Receives what happens to the app's pushes; set it in `application(_:didFinishLaunchingWithOptions:)`, so that it
    /// receives the push that launched the app.
    public weak var delegate: (any CarillonAppDelegate)?

    /// Called on the main actor when the person opened, dismissed or answered one of Carillon's notifications.
    public var onGesture: (@MainActor @Sendable (NotificationGesture) -> Void)?

    /// Whether the app is registered even if the person did not allow notifications, which they may do later.
    public var alwaysRegisters = false

    /// Whether the SDK opens links: a notification's when it is tapped, and that of a button that opens one.
    ///
    /// It never opens a survey's link, nor one whose scheme ``CarillonConfiguration/linkSchemes`` does not have. The delegate
    /// may handle single links itself.
    public var opensLinks = true

    var system: NotificationDelegate?
    private var running: Task<Void, Never>?
    private var activity: [NotificationObserver] = []
    var categoryWork: Task<Void, Never>?
    /// The report of the number on the icon that was begun last, and that number.
    var badgeWork: (report: Task<Void, Never>, count: Int)?
    /// The link of a tap, until the app is active.
    var waitingLink: URL?
    var tokenWaiters: [OneShot<Result<DeviceToken, CarillonError>>] = []
    var backlog = EventBacklog<CarillonAppEvent>()

    /// Makes a client and connects it to the app.
    ///
    /// - Parameter configuration: The client's settings.
    /// - Throws: ``CarillonError`` when the configuration is invalid.
    public convenience init(_ configuration: CarillonConfiguration) throws(CarillonError) {
        self.init(client: try CarillonClient(configuration))
    }

    /// Connects a client to the app.
    ///
    /// - Parameter client: The client.
    public init(client: CarillonClient) { self.client = client }

    deinit { running?.cancel() }

    /// How notifications are presented: by default not in the foreground, with badge and sound.
    ///
    /// Badge and sound apply to the request for permission and to the foreground; an app's own notification delegate decides
    /// itself what is shown in the foreground.
    public var notificationOptions = NotificationOptions() {
        didSet { system?.foregroundPresentation = notificationOptions.presentation }
    }

    /// A new stream of what happens to the app's pushes; the first stream begins with earlier events, as the tap that launched
    /// the app.
    ///
    /// The stream ends with its reader.
    public var messages: AsyncStream<CarillonAppEvent> {
        let (stream, continuation, number) = backlog.add()
        continuation.onTermination = { [weak self] _ in
            Task { @MainActor in self?.backlog.remove(number) }
        }
        return stream
    }

    /// Starts: becomes the system's notification delegate, adds Carillon's category and keeps the server up to date.
    ///
    /// Call it in `application(_:didFinishLaunchingWithOptions:)`: the system delivers the notification that launched the app
    /// after that. A delegate that the app has set before, or passes here, still receives its calls; so does one that another
    /// SDK sets later, from the app's next way to the foreground on.
    ///
    /// - Parameter appDelegate: The app's own notification delegate; `nil`: the one that is set.
    public func start(appDelegate: (any UNUserNotificationCenterDelegate)? = nil) {
        guard running == nil else { return }
        let center = UNUserNotificationCenter.current()
        let system = NotificationDelegate(client: client) { [weak self] in self?.handle($0) }
        system.appDelegate = appDelegate ?? center.delegate
        system.foregroundPresentation = notificationOptions.presentation
        self.system = system
        center.delegate = system
        changeCategories { await SystemCategories.register() }
        activity = observeActivity()
        Task {
            // Whatever else starts at launch may have set a delegate of its own.
            becomeDelegate()
            await registerAgain()
        }
        running = Task { [client] in await client.run() }
    }

    /// Becomes the system's notification delegate again, in place of one that was set later, which receives its calls from now
    /// on.
    func becomeDelegate() {
        let center = UNUserNotificationCenter.current()
        guard let system, center.delegate !== system else { return }
        if let other = center.delegate { system.laterDelegate = other }
        center.delegate = system
    }

    /// Whether the person's last response was to a notification with this payload.
    package func hasResponse(to userInfo: [AnyHashable: Any]) -> Bool { system?.latestResponse.isOf(userInfo) == true }

    /// Stops keeping the server up to date, and restores the app's own notification delegate.
    public func stop() {
        running?.cancel()
        running = nil
        activity = []
        waitingLink = nil
        let center = UNUserNotificationCenter.current()
        if let system, center.delegate === system { center.delegate = system.laterDelegate ?? system.appDelegate }
        system = nil
    }

    /// Requests permission if it was not requested before, gets a device token and registers.
    ///
    /// Without a token, as without a network, the installation is registered all the same; the token is sent later.
    ///
    /// - Parameters:
    ///   - consent: The person's consent, given in the app.
    ///   - user: The user, by the app's own id; `nil`: nobody.
    ///   - proof: The back end's signature, for an App whose identity is `signed`.
    ///   - options: The options of the permission; `nil`: those of ``notificationOptions``.
    /// - Returns: The registration that the server confirmed.
    /// - Throws: ``CarillonError``; the SDK retries unless the server refused the registration. `permissionDenied` when
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

    /// Registers again with the consent and the user of the last registration; without one, with no consent and no user.
    ///
    /// - Returns: The registration that the server confirmed.
    /// - Throws: ``CarillonError``, as ``register(consent:user:proof:options:)`` does.
    @discardableResult
    public func register() async throws(CarillonError) -> CarillonClient.Registered {
        try await prepare(nil)
        return try await client.register()
    }

    private func prepare(_ options: UNAuthorizationOptions?) async throws(CarillonError) {
        let permission = await SystemPermission.request(options ?? notificationOptions.authorization)
        guard permission != .denied || alwaysRegisters else { throw .permissionDenied }
        try await client.prepare(token: try? await requestDeviceToken(), permission: permission)
    }

    /// Asks the system for the app's device token; registering does it by itself.
    ///
    /// - Returns: The token.
    /// - Throws: ``CarillonError`` when the system gives none, or none within the deadline.
    public func requestDeviceToken() async throws(CarillonError) -> DeviceToken {
        let waiter = OneShot<Result<DeviceToken, CarillonError>>()
        tokenWaiters.append(waiter)
        UIApplication.shared.registerForRemoteNotifications()
        return try await withDeadline(of: client.configuration.deadline, client.time) { () throws(CarillonError) in
            try await waiter.wait().get()
        }
    }
}
#endif
