#if canImport(PushKit) && canImport(CallKit) && canImport(UIKit) && !os(tvOS) && !os(watchOS)
public import CallKit
public import Carillon
public import CarillonModel
import Foundation
import PushKit

/// Receives calls.
@MainActor
public protocol CarillonVoIPDelegate: AnyObject {
    /// A call arrived; the system may have launched the app for it.
    ///
    /// The system demands that the call is reported before this returns. With ``CarillonVoIP/Reporting/sdk`` the SDK does it
    /// afterwards, unless this calls ``IncomingCall/report(_:)`` with details of its own. With
    /// ``CarillonVoIP/Reporting/app`` this reports ``IncomingCall/id`` to the app's own provider, and calls
    /// ``IncomingCall/markReported()`` in that provider's completion.
    func carillonVoIP(_ voIP: CarillonVoIP, didReceive call: IncomingCall)
}

/// Handles calls: gets PushKit's token, registers it apart from the device token, and makes sure that each VoIP push is
/// reported to the system exactly once.
///
/// It needs no permission and no consent. Call ``start()`` in `application(_:didFinishLaunchingWithOptions:)`, so that
/// calls arrive when the app was not running.
@MainActor
public final class CarillonVoIP {
    /// Receives calls.
    public weak var delegate: (any CarillonVoIPDelegate)?

    /// Receives what the person does with calls that the SDK's own provider reported.
    public weak var callDelegate: (any CXProviderDelegate)? {
        didSet {
            // An app's own provider keeps its own delegate.
            if callDelegate != nil || isOwnProvider { knownProvider?.setDelegate(callDelegate, queue: nil) }
        }
    }

    /// Who reports calls to the system.
    public enum Reporting: Hashable, Sendable {
        /// The SDK, with ``CarillonVoIP/provider``.
        case sdk
        /// The app's delegate, with a provider of the app's own.
        case app
    }

    /// Who reports calls to the system; set it before ``start()``.
    ///
    /// Without a delegate, and for a push that is not Carillon's, the SDK does it in any case: the system terminates an app that
    /// receives such a push and reports no call.
    public var reporting = Reporting.sdk

    /// Reports calls to the system; made on first use.
    ///
    /// "A VoIP app should create only one instance" (Apple, CXProvider): an app that has one sets it here, or sets
    /// ``reporting`` to `app`.
    public var provider: CXProvider {
        get {
            if let knownProvider { return knownProvider }
            let new = CXProvider(configuration: configuration)
            self.provider = new
            isOwnProvider = true
            return new
        }
        set {
            knownProvider = newValue
            isOwnProvider = false
            if let callDelegate { newValue.setDelegate(callDelegate, queue: nil) }
        }
    }

    /// The configuration of the provider that the SDK makes; set it before the first call.
    public var configuration = CXProviderConfiguration()

    /// How long CallKit may take to list a call, in seconds.
    static let listTime: TimeInterval = 10

    /// The longest wait for an app to mark a call as reported, in seconds.
    static let reportTime: TimeInterval = 10

    package let client: CarillonClient
    private var knownProvider: CXProvider?
    /// Whether the SDK has made it.
    private var isOwnProvider = false
    private var registry: PKPushRegistry?
    private var bridge: PushRegistryBridge?
    private var tokenWaiters: [OneShot<Result<DeviceToken, CarillonError>>] = []
    /// The calls of the last pushes, with the time of the first push of each.
    var recent: [(id: UUID, since: Timestamp)] = []
    /// Lists the system's calls; it begins empty, and is filled later.
    lazy var observer = CXCallObserver()

    /// Makes an app's calls; keep it as long as the app runs.
    ///
    /// - Parameter client: The app's client, `CarillonApp.client`.
    public init(client: CarillonClient) { self.client = client }

    /// Receives calls from now on.
    public func start() {
        guard registry == nil else { return }
        _ = observer
        let registry = PKPushRegistry(queue: .main)
        let bridge = PushRegistryBridge { [weak self] in self?.handle($0) }
        registry.delegate = bridge
        registry.desiredPushTypes = [.voIP]
        self.registry = registry
        self.bridge = bridge
    }

    /// Gets PushKit's token and registers it.
    ///
    /// - Returns: What the server knows of it.
    /// - Throws: `CarillonError`: `noDeviceToken` or `deadlineExceeded` when the system gives none; otherwise the token
    ///   is saved and sent later.
    @discardableResult
    public func register() async throws(CarillonError) -> VoIPRecord {
        try await client.setVoIPToken(try await token())
    }

    /// Fetches the server's record of the VoIP token.
    ///
    /// - Returns: The record.
    /// - Throws: `CarillonError`; `notRegistered` when there is no VoIP token.
    public func fetchRecord() async throws(CarillonError) -> VoIPRecord { try await client.fetchVoIPRecord() }

    /// Receives no more calls, and deletes the VoIP token on the server; the device token stays.
    ///
    /// - Throws: `CarillonError`; the SDK retries until the server confirms it.
    public func unregister() async throws(CarillonError) {
        registry?.desiredPushTypes = []
        registry = nil
        bridge = nil
        try await client.removeVoIPToken()
    }

    // MARK: - Private

    private func token() async throws(CarillonError) -> DeviceToken {
        start()
        if let known = registry?.pushToken(for: .voIP).flatMap({ DeviceToken(bytes: $0) }) { return known }
        let waiter = OneShot<Result<DeviceToken, CarillonError>>()
        tokenWaiters.append(waiter)
        return try await withDeadline(of: client.configuration.deadline, client.time) { () throws(CarillonError) in
            try await waiter.wait().get()
        }
    }

    private func handle(_ event: PushRegistryBridge.Event) {
        switch event {
        case .token(let bytes): handle(token: bytes)
        case .invalid: Task { [client] in try? await client.removeVoIPToken() }
        case .push(let message, let completion): handle(message, completion)
        }
    }

    private func handle(token bytes: Data) {
        guard let token = DeviceToken(bytes: bytes) else { return }
        let isAwaited = !tokenWaiters.isEmpty
        for waiter in tokenWaiters { waiter.complete(.success(token)) }
        tokenWaiters = []
        guard !isAwaited else { return }
        // Without a waiting caller only a changed token is sent: the app decides whether to register at all.
        Task { [client] in
            guard let known = try? await client.lastVoIPRegistration, known.token != token else { return }
            _ = try? await client.setVoIPToken(token)
        }
    }
}
#endif
