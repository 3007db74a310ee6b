#if canImport(PushKit) && canImport(CallKit) && canImport(UIKit) && !os(tvOS) && !os(watchOS)
public import CallKit
public import CarillonModel
public import Foundation
import PushKit

/// Is told of calls.
@MainActor
public protocol CarillonVoIPDelegate: AnyObject {
    /// A call came; the app may have been started by it.
    ///
    /// The system demands that the call is reported before this returns. Do so by ``IncomingCall/report(_:)``, or by a
    /// provider of your own with ``IncomingCall/id`` and ``IncomingCall/markReported()``; if you do not, it is done here.
    func carillonVoIP(_ voIP: CarillonVoIP, didReceive call: IncomingCall)
}

/// A call that came.
@MainActor
public final class IncomingCall {
    /// Names the call at the system: made of the push's id, so that no push rings twice.
    public let id: UUID
    /// The push that announced it.
    public let message: PushMessage
    /// Whether the system was told.
    public private(set) var isReported = false

    private let provider: CXProvider

    init(_ message: PushMessage, provider: CXProvider) {
        id = message.callID
        self.message = message
        self.provider = provider
    }

    /// Has the phone ring, by the SDK's provider; does nothing the second time.
    ///
    /// - Parameter update: What is known of the call; `nil`: the push's title is the caller.
    public func report(_ update: CXCallUpdate? = nil) {
        guard !isReported else { return }
        isReported = true
        provider.reportNewIncomingCall(with: id, update: update ?? Self.update(for: message)) { _ in }
    }

    /// Says that the app has reported the call by a provider of its own.
    public func markReported() { isReported = true }

    static func update(for message: PushMessage) -> CXCallUpdate {
        let update = CXCallUpdate()
        update.remoteHandle = CXHandle(type: .generic, value: message.title ?? message.body ?? message.id.description)
        update.localizedCallerName = message.title
        return update
    }
}

/// Takes part in calls: gets PushKit's token, registers it apart from the one for notifications, and sees to it that each
/// push for a call is reported to the system exactly once.
///
/// No permission and no consent are needed. Call ``start()`` in `application(_:didFinishLaunchingWithOptions:)`, so that
/// calls come through when the app was not running.
@MainActor
public final class CarillonVoIP {
    /// Is told of calls.
    public weak var delegate: (any CarillonVoIPDelegate)?

    /// Is told what the person does with calls that the SDK's own provider has reported.
    public weak var callDelegate: (any CXProviderDelegate)? {
        didSet { provider.setDelegate(callDelegate, queue: nil) }
    }

    /// Tells the system of calls.
    public private(set) lazy var provider = CXProvider(configuration: configuration)

    /// What the app's calls are like; set it before the first call.
    public var configuration = CXProviderConfiguration()

    private let client: CarillonClient
    private let observer = CXCallObserver()
    private var registry: PKPushRegistry?
    private var bridge: PushRegistryBridge?
    private var tokenWaiters: [OneShot<Result<DeviceToken, CarillonError>>] = []
    private var recent: [UUID] = []

    init(client: CarillonClient) { self.client = client }

    /// Takes calls from now on.
    public func start() {
        guard registry == nil else { return }
        let registry = PKPushRegistry(queue: .main)
        let bridge = PushRegistryBridge { [weak self] in self?.take($0) }
        registry.delegate = bridge
        registry.desiredPushTypes = [.voIP]
        self.registry = registry
        self.bridge = bridge
    }

    /// Gets PushKit's token and registers it.
    ///
    /// - Returns: What the server knows of it.
    /// - Throws: ``CarillonError``: `noDeviceToken` or `deadlineExceeded` when the system gives none; otherwise the token
    ///   is kept and sent later.
    @discardableResult
    public func register() async throws(CarillonError) -> VoIPRecord {
        try await client.setVoIPToken(try await token())
    }

    /// Asks the server what it knows of the token for calls.
    ///
    /// - Returns: What it knows.
    /// - Throws: ``CarillonError``; `notRegistered` when there is no such token.
    public func registration() async throws(CarillonError) -> VoIPRecord { try await client.voIPRegistration() }

    /// Takes no more calls, and asks the server to forget the token; the one for notifications stays.
    ///
    /// - Throws: ``CarillonError``; it is tried again until the server has forgotten.
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

    private func take(_ news: PushRegistryBridge.News) {
        switch news {
        case .token(let bytes): take(token: bytes)
        case .invalid: Task { [client] in try? await client.removeVoIPToken() }
        case .push(let message, let completion): take(message, completion)
        }
    }

    private func take(token bytes: Data) {
        guard let token = DeviceToken(bytes: bytes) else { return }
        let isAwaited = !tokenWaiters.isEmpty
        for waiter in tokenWaiters { waiter.give(.success(token)) }
        tokenWaiters = []
        guard !isAwaited else { return }
        // Only a token that changed is told by itself: whether to register at all is the app's to say.
        Task { [client] in
            guard let known = try? await client.lastVoIPToken(), known.token != token else { return }
            _ = try? await client.setVoIPToken(token)
        }
    }

    /// The system ends an app that was woken for a call and reports none, whatever the push says.
    private func take(_ message: PushMessage?, _ completion: PushRegistryBridge.Completion) {
        guard let message else {
            reportAndEnd(UUID(), CXCallUpdate())
            return completion.call()
        }
        let call = IncomingCall(message, provider: provider)
        // A copy of a push that was dealt with: the system refuses its id, and the phone does not ring again.
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

/// Brings PushKit's calls, which come on the main queue, onto the main actor.
private final class PushRegistryBridge: NSObject, PKPushRegistryDelegate {
    /// What PushKit says.
    indirect enum News: Sendable {
        case token(Data)
        case invalid
        /// A push; without a message it is not Carillon's.
        case push(PushMessage?, Completion)
    }

    /// Unchecked: it is called once, on the main queue that it came on.
    struct Completion: @unchecked Sendable {
        let call: () -> Void
    }

    private let onNews: @MainActor @Sendable (News) -> Void

    init(_ onNews: @escaping @MainActor @Sendable (News) -> Void) { self.onNews = onNews }

    func pushRegistry(
        _ registry: PKPushRegistry,
        didUpdate pushCredentials: PKPushCredentials,
        for type: PKPushType
    ) {
        guard type == .voIP else { return }
        tell(.token(pushCredentials.token))
    }

    func pushRegistry(
        _ registry: PKPushRegistry,
        didReceiveIncomingPushWith payload: PKPushPayload,
        for type: PKPushType,
        completion: @escaping () -> Void
    ) {
        guard type == .voIP else { return completion() }
        tell(.push(PushMessage(userInfo: payload.dictionaryPayload), Completion(call: completion)))
    }

    func pushRegistry(_ registry: PKPushRegistry, didInvalidatePushTokenFor type: PKPushType) {
        if type == .voIP { tell(.invalid) }
    }

    private func tell(_ news: News) {
        let onNews = onNews
        MainActor.assumeIsolated { onNews(news) }
    }
}
#endif
