#if canImport(UIKit)
import Carillon
import CarillonCalls
import FacadeSupport
import Foundation
import ToastPush

/// The shared state of the static calls of ``ToastVoIP``.
///
/// Unchecked: `lock` protects `state`; `voIP` and `listener` belong to the main actor.
final class ToastVoIPAdapter: @unchecked Sendable {
    static var current: ToastVoIPAdapter { FacadeDependencies.current.state(ToastVoIPAdapter.init) }

    private struct State {
        var reportsCalls = false
        weak var delegate: (any ToastVoIPDelegate)?
    }

    private let dependencies: FacadeDependencies
    private let lock = NSLock()
    private var state = State()
    @MainActor private var voIP: CarillonVoIP?
    @MainActor private var listener: ToastCallListener?

    init(_ dependencies: FacadeDependencies) { self.dependencies = dependencies }

    var delegate: (any ToastVoIPDelegate)? {
        get { with(\.delegate) }
        set {
            with { $0.delegate = newValue }
            observeStart()
        }
    }

    var reportsCalls: Bool {
        get { with(\.reportsCalls) }
        set {
            with { $0.reportsCalls = newValue }
            observeStart()
        }
    }

    func registerCalls(_ completion: ToastPushAdapter.Completion<ToastPushTokenInfo>?) {
        push.change(completion) { [self] app in
            try await app.client.setUser(try push.identity.registered())
            let record = try await voIP(of: app).register()
            return try await info(app, record)
        }
    }

    func queryCalls(_ completion: @escaping ToastPushAdapter.Completion<ToastPushTokenInfo>) {
        push.query(completion) { [self] app in try await info(app, try await voIP(of: app).fetchRecord()) }
    }

    func unregisterCalls(_ completion: ToastPushAdapter.Completion<String?>?) {
        push.change(completion) { [self] app in
            guard let registered = try await app.client.lastVoIPRegistration else { return nil }
            try await voIP(of: app).unregister()
            return registered.token.hexadecimal
        }
    }

    // MARK: - Private

    private var push: ToastPushAdapter { dependencies.state(ToastPushAdapter.init) }

    /// Receives calls as soon as there is a delegate and the SDK runs: a call may have launched the app.
    private func observeStart() {
        MainThread.run { [self] in
            push.observeStart { [self] app in
                let voIP = voIP(of: app)
                if delegate != nil { voIP.start() }
            }
        }
    }

    /// The calls of the running SDK, which may have started again with another configuration.
    @MainActor
    private func voIP(of app: CarillonApp) -> CarillonVoIP {
        let voIP: CarillonVoIP
        if let known = self.voIP, known.client === app.client {
            voIP = known
        } else {
            voIP = CarillonVoIP(client: app.client)
            let listener = ToastCallListener(adapter: self)
            voIP.delegate = listener
            self.listener = listener
            self.voIP = voIP
        }
        voIP.reporting = delegate == nil || reportsCalls ? .sdk : .app
        return voIP
    }

    @MainActor
    private func info(_ app: CarillonApp, _ record: VoIPRecord) async throws -> ToastPushTokenInfo {
        guard let registered = try await app.client.lastVoIPRegistration else {
            throw ToastPushError.nothingRegistered
        }
        return ToastPushTokenInfo(registered, record, of: push)
    }

    private func with<Result>(_ body: (inout State) -> Result) -> Result {
        lock.lock()
        defer { lock.unlock() }
        return body(&state)
    }
}

/// Passes calls of Carillon's SDK to the vendor's delegate.
@MainActor
final class ToastCallListener: CarillonVoIPDelegate {
    private unowned let adapter: ToastVoIPAdapter

    init(adapter: ToastVoIPAdapter) { self.adapter = adapter }

    func carillonVoIP(_ voIP: CarillonVoIP, didReceive call: IncomingCall) {
        // The app reports calls under ids of its own, so a copy would ring again.
        guard !call.isCopy else { return call.reportEnded() }
        guard let delegate = adapter.delegate else { return call.report() }
        delegate.didReceiveIncomingVoiceCall(message: ToastPushMessage(call.message))
    }
}
#endif
