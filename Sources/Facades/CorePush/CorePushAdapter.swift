#if canImport(UIKit)
package import Carillon
import FacadeSupport
package import Foundation
import UIKit

/// The shared state of the facade's managers.
@MainActor
package final class CorePushAdapter {
    package static var current: CorePushAdapter { FacadeDependencies.current.state(CorePushAdapter.init) }

    let dependencies: FacadeDependencies
    /// Registrations and changes run one after another.
    let steps = StepLine()
    let manager: CorePushManager
    let history = CorePushNotificationHistoryManager()
    let research = CoreResearchHistoryManager()
    let analytics = CorePushAnalyticsManager()
    var serverURL: URL?
    private lazy var unkeptSurveyID = UUID().uuidString
    /// Whether a registration waits for the device token.
    var awaitsToken = false
    /// The latest pushes by the vendor's id, the only argument of an analytics call.
    private var pushes: [(id: String, push: ReceivedPush)] = []
    /// The push that launched the app, until the system's own call for the same tap.
    private var launch: NSDictionary?
    /// Whether the next tap is the one that launched the app, if the app is not active before.
    private var awaitsLaunchTap = false
    private var activity: NotificationObserver?
    private var app: Result<CarillonApp, any Error>?
    private var listener: CoreListener?

    nonisolated init(_ dependencies: FacadeDependencies) {
        self.dependencies = dependencies
        manager = CorePushManager(memory: CoreMemory(memory: dependencies.memory))
    }

    /// The running SDK; started on first use.
    func startedApp() throws -> CarillonApp {
        if let app { return try app.get() }
        guard let key = manager.configKey, !key.isEmpty else { throw CorePushCallError.noConfigKey }
        do {
            let app = CarillonApp(client: try makeClient(key))
            // The vendor's SDK sends the token whatever the permission.
            app.alwaysRegisters = true
            let listener = CoreListener(adapter: self)
            self.listener = listener
            app.delegate = listener
            app.client.isLocationEnabled = manager.locationServiceEnabled
            self.app = .success(app)
            app.start()
            return app
        } catch {
            // The vendor's calls return nothing, so the reason is logged to the console.
            NSLog("%@", "CorePush could not start: \(error)")
            app = .failure(error)
            throw error
        }
    }

    /// The running SDK; `nil` when it cannot be started, which is logged.
    var client: CarillonClient? { try? startedApp().client }

    /// The respondent's id in surveys: the stored one, else the SDK's own, else a new one.
    ///
    /// It is stored separately from the SDK's storage, which belongs to a config key and does not exist without one.
    var surveyID: String {
        do {
            if let kept: String = try manager.memory.read(.surveyID), !kept.isEmpty { return kept }
        } catch {
            // It is used until the storage can be read, and not kept: the stored one stays.
            return unkeptSurveyID
        }
        let id = client?.surveyID ?? UUID().uuidString
        manager.memory.keep(id, .surveyID)
        return id
    }

    /// Stops the SDK after a change of the config key, which belongs to another app.
    func restart() {
        (try? app?.get())?.stop()
        app = nil
        _ = try? startedApp()
    }

    private func makeClient(_ key: String) throws -> CarillonClient {
        var configuration = CarillonConfiguration(server: try dependencies.server(serverURL), appKey: key)
        if manager.debugEnabled { configuration.log = { NSLog("%@", "Carillon: \($0.message) \($0.facts)") } }
        return try dependencies.client(configuration)
    }

    // MARK: - Pushes

    /// Records a push, so that its launch can be reported by its id.
    func record(_ userInfo: [AnyHashable: Any]) {
        if let message = PushMessage(userInfo: userInfo) { record(message) }
    }

    /// Records a push, so that its launch can be reported by its id.
    func record(_ message: PushMessage) {
        guard case .string(let id)? = message.payload["push_id"] else { return }
        pushes.removeAll { $0.id == id }
        pushes.append((id, message.push))
        pushes = pushes.suffix(100)
    }

    func push(_ id: String) -> ReceivedPush? { pushes.last { $0.id == id }?.push }

    /// Records the push that launched the app.
    func recordLaunch(_ userInfo: [AnyHashable: Any]) {
        record(userInfo)
        launch = userInfo as NSDictionary
    }

    /// Records that the launch options have no push: with scenes they never do, and the tap that launched the app is the first
    /// before the app is active.
    func recordLaunchWithoutPush() {
        guard launch == nil, UIApplication.shared.applicationState != .active else { return }
        awaitsLaunchTap = true
        activity = NotificationObserver(of: UIApplication.didBecomeActiveNotification, from: UIApplication.shared) {
            MainThread.run { CorePushAdapter.current.endLaunch() }
        }
    }

    /// What a tap on the way to the foreground means.
    enum Tap {
        /// It launched the app, and was reported by the launch options: the system reports it twice.
        case launchedEarlier
        /// It launched the app.
        case launches
        /// The app was in the background.
        case background
    }

    /// What a tap on the way to the foreground means; asked once for each.
    func tap(_ userInfo: [AnyHashable: Any]) -> Tap {
        defer { endLaunch() }
        if launch?.isEqual(userInfo as NSDictionary) == true { return .launchedEarlier }
        return awaitsLaunchTap ? .launches : .background
    }

    /// Whether the person has tapped a notification with this payload.
    func isTap(_ userInfo: [AnyHashable: Any]) -> Bool { (try? app?.get())?.hasResponse(to: userInfo) == true }

    func endLaunch() {
        launch = nil
        awaitsLaunchTap = false
        activity = nil
    }

    // MARK: - Doing and telling

    /// Creates a change after all earlier ones, and posts its result.
    package func change(
        success: Notification.Name,
        failure: Notification.Name,
        _ work: @escaping @MainActor @Sendable (CarillonApp) async throws -> Void
    ) {
        steps.add { @MainActor [self] in
            do {
                try await work(try startedApp())
                NotificationCenter.default.post(name: success, object: manager)
            } catch {
                post(failure, error)
            }
        }
    }

    /// Posts a failure with its reason, which the vendor's SDK does not tell.
    func post(_ failure: Notification.Name, _ error: any Error) {
        NotificationCenter.default.post(name: failure, object: manager, userInfo: [NSUnderlyingErrorKey: error])
    }
}
#endif
