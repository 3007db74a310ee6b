#if canImport(PushKit) && canImport(CallKit) && canImport(UIKit) && !os(tvOS) && !os(watchOS)
public import CallKit
public import CarillonModel
public import Foundation
import PushKit

/// Receives calls.
@MainActor
public protocol CarillonVoIPDelegate: AnyObject {
    /// A call arrived; the system may have launched the app for it.
    ///
    /// The system demands that the call is reported before this returns. Do so with ``IncomingCall/report(_:)``, or with a
    /// provider of your own, ``IncomingCall/id`` and ``IncomingCall/markReported()``; otherwise the SDK does it.
    func carillonVoIP(_ voIP: CarillonVoIP, didReceive call: IncomingCall)
}

/// An incoming call.
@MainActor
public final class IncomingCall {
    /// The call's id for the system: derived from the push's id, so that no push rings twice.
    public let id: UUID
    /// The push that announced it.
    public let message: PushMessage
    /// Whether it was reported to the system.
    public private(set) var isReported = false

    private let provider: CXProvider

    init(_ message: PushMessage, provider: CXProvider) {
        id = message.callID
        self.message = message
        self.provider = provider
    }

    /// Reports the call with the SDK's provider, so that the phone rings; does nothing when it is reported already.
    ///
    /// - Parameter update: The call's details; `nil`: the push's title is the caller.
    public func report(_ update: CXCallUpdate? = nil) {
        guard !isReported else { return }
        isReported = true
        provider.reportNewIncomingCall(with: id, update: update ?? Self.update(for: message)) { _ in }
    }

    /// Marks the call as reported by a provider of the app's own.
    public func markReported() { isReported = true }

    static func update(for message: PushMessage) -> CXCallUpdate {
        let update = CXCallUpdate()
        update.remoteHandle = CXHandle(type: .generic, value: message.title ?? message.body ?? message.id.description)
        update.localizedCallerName = message.title
        return update
    }
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
        didSet { provider.setDelegate(callDelegate, queue: nil) }
    }

    /// Reports calls to the system.
    public private(set) lazy var provider = CXProvider(configuration: configuration)

    /// The provider's configuration; set it before the first call.
    public var configuration = CXProviderConfiguration()

    private let client: CarillonClient
    private let observer = CXCallObserver()
    private var registry: PKPushRegistry?
    private var bridge: PushRegistryBridge?
    private var tokenWaiters: [OneShot<Result<DeviceToken, CarillonError>>] = []
    private var recent: [UUID] = []

    init(client: CarillonClient) { self.client = client }

    /// Receives calls from now on.
    public func start() {
        guard registry == nil else { return }
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
    /// - Throws: ``CarillonError``: `noDeviceToken` or `deadlineExceeded` when the system gives none; otherwise the token
    ///   is saved and sent later.
    @discardableResult
    public func register() async throws(CarillonError) -> VoIPRecord {
        try await client.setVoIPToken(try await token())
    }

    /// Fetches the server's record of the VoIP token.
    ///
    /// - Returns: The record.
    /// - Throws: ``CarillonError``; `notRegistered` when there is no VoIP token.
    public func fetchRecord() async throws(CarillonError) -> VoIPRecord { try await client.fetchVoIPRecord() }

    /// Receives no more calls, and deletes the VoIP token on the server; the device token stays.
    ///
    /// - Throws: ``CarillonError``; the SDK retries until the server confirms it.
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
            guard let known = try? await client.lastVoIPRegistration(), known.token != token else { return }
            _ = try? await client.setVoIPToken(token)
        }
    }

    /// The system kills an app that was launched for a VoIP push and reports no call, whatever is in the push.
    private func handle(_ message: PushMessage?, _ completion: PushRegistryBridge.Completion) {
        guard let message else {
            reportAndEnd(UUID(), CXCallUpdate())
            return completion.call()
        }
        let call = IncomingCall(message, provider: provider)
        // A copy of a push that was handled: the system refuses its id, and the phone does not ring again.
        guard !recent.contains(call.id) else {
            call.report()
            return completion.call()
        }
        recent = recent.suffix(31) + [call.id]
        let before = Set(observer.calls.map(\.uuid))
        delegate?.carillonVoIP(self, didReceive: call)
        let isNew = observer.calls.contains { !before.contains($0.uuid) }
        if !call.isReported, !isNew {
            call.report()
            // Nobody could answer it.
            if delegate == nil, callDelegate == nil {
                provider.reportCall(with: call.id, endedAt: nil, reason: .unanswered)
            }
        }
        Task { [client] in
            await client.report(.received, of: message.push)
            await client.flush(within: 5)
        }
        completion.call()
    }

    private func reportAndEnd(_ id: UUID, _ update: CXCallUpdate) {
        provider.reportNewIncomingCall(with: id, update: update) { _ in }
        provider.reportCall(with: id, endedAt: nil, reason: .failed)
    }
}

/// Passes PushKit's calls, which are made on the main queue, to the main actor.
private final class PushRegistryBridge: NSObject, PKPushRegistryDelegate {
    /// A call of PushKit.
    indirect enum Event: Sendable {
        case token(Data)
        case invalid
        /// A push; the message is `nil` when it is not Carillon's.
        case push(PushMessage?, Completion)
    }

    /// Unchecked: it is called once, on the main queue, from which it was received.
    struct Completion: @unchecked Sendable {
        let call: () -> Void
    }

    private let onEvent: @MainActor @Sendable (Event) -> Void

    init(_ onEvent: @escaping @MainActor @Sendable (Event) -> Void) { self.onEvent = onEvent }

    func pushRegistry(
        _ registry: PKPushRegistry,
        didUpdate pushCredentials: PKPushCredentials,
        for type: PKPushType
    ) {
        guard type == .voIP else { return }
        notify(.token(pushCredentials.token))
    }

    func pushRegistry(
        _ registry: PKPushRegistry,
        didReceiveIncomingPushWith payload: PKPushPayload,
        for type: PKPushType,
        completion: @escaping () -> Void
    ) {
        guard type == .voIP else { return completion() }
        notify(.push(PushMessage(userInfo: payload.dictionaryPayload), Completion(call: completion)))
    }

    func pushRegistry(_ registry: PKPushRegistry, didInvalidatePushTokenFor type: PKPushType) {
        if type == .voIP { notify(.invalid) }
    }

    private func notify(_ event: Event) {
        let onEvent = onEvent
        MainActor.assumeIsolated { onEvent(event) }
    }
}
#endif
