package import Foundation
package import UserNotifications

/// The calls of a phone: the app's registry, its token, and the reported calls.
///
/// Unchecked: `lock` protects everything.
package final class SimulatedTelephone: SimulatedPart, @unchecked Sendable {
    /// A call that the app reported.
    package struct Call: Hashable, Sendable {
        package let id: UUID
        package let caller: String?
        package var hasEnded = false
    }

    private let lock = NSLock()
    private weak var registry: PKPushRegistry?
    private var token: Data?
    private var reported: [Call] = []
    private var reports = 0
    private var confirmed = 0
    private var listed: [Call] = []
    /// Number of providers of the running app, and which run it is.
    private var providers = (count: 0, run: 0)

    package init() {}

    package func appWasKilled() {
        lock.withLock {
            registry = nil
            providers = (0, providers.run + 1)
        }
    }

    /// Adds a provider of the running app.
    ///
    /// - Returns: The number of its providers, and the app's run, by which the provider is removed.
    package func addProvider() -> (count: Int, run: Int) {
        lock.withLock {
            providers.count += 1
            return providers
        }
    }

    package func removeProvider(of run: Int) {
        lock.withLock { if providers.run == run { providers.count -= 1 } }
    }

    /// The calls that an observer finds: CallKit's process tells the app's of them, which takes a turn.
    package var listedCalls: [Call] { lock.withLock { listed } }

    /// CallKit has answered a report: from now on PushKit's completion handler may be called.
    package func confirmReport() {
        lock.withLock {
            confirmed += 1
            listed = reported
        }
    }

    /// The calls that the app reported, oldest first.
    package var calls: [Call] { lock.withLock { reported } }

    /// Whether the app has a registry for calls.
    package var takesCalls: Bool { lock.withLock { registry != nil } }

    /// The app's VoIP token.
    package var knownToken: Data? { lock.withLock { token } }

    /// Rings.
    ///
    /// - Parameters:
    ///   - id: Identifies the call.
    ///   - caller: The caller.
    /// - Returns: False when a call with that id exists; one that has ended does not count, as no page says that it does.
    package func ring(_ id: UUID, caller: String?) -> Bool {
        lock.withLock {
            reports += 1
            guard !reported.contains(where: { $0.id == id && !$0.hasEnded }) else { return false }
            reported.append(Call(id: id, caller: caller))
            return true
        }
    }

    /// Ends a call.
    package func end(_ id: UUID) {
        lock.withLock {
            guard let index = reported.lastIndex(where: { $0.id == id && !$0.hasEnded }) else { return }
            reported[index].hasEnded = true
            if let index = listed.lastIndex(where: { $0.id == id }) { listed[index].hasEnded = true }
        }
    }

    func use(_ registry: PKPushRegistry?) {
        lock.withLock { self.registry = registry }
        if registry != nil { announce() }
    }

    /// Issues another token, as Apple may at any time.
    package func give(_ newToken: Data?) {
        lock.withLock { token = newToken }
        announce()
    }

    private func announce() {
        let call = lock.withLock { Carried((registry, token)) }
        Task { @MainActor in
            guard let registry = call.value.0, let delegate = registry.delegate else { return }
            guard let token = call.value.1 else {
                return delegate.pushRegistry(registry, didInvalidatePushTokenFor: .voIP)
            }
            delegate.pushRegistry(registry, didUpdate: PKPushCredentials(type: .voIP, token: token), for: .voIP)
        }
    }

    /// Delivers a push to the app's registry.
    ///
    /// - Returns: Whether the app reported a call before its delegate returned, as Apple requires, and whether CallKit had
    ///   answered when the app called the completion handler.
    @MainActor
    fileprivate func hand(_ payload: [AnyHashable: Any]) async -> (isReported: Bool, isInOrder: Bool) {
        let (registry, before, answers) = lock.withLock { (self.registry, reports, confirmed) }
        guard let registry, let delegate = registry.delegate else { return (false, true) }
        var isReported = false
        let isInOrder = await withCheckedContinuation { continuation in
            let push = PKPushPayload(type: .voIP, dictionaryPayload: payload)
            delegate.pushRegistry(registry, didReceiveIncomingPushWith: push, for: .voIP) {
                continuation.resume(returning: self.lock.withLock { self.confirmed > answers })
            }
            // A call that is already known counts as reported, though it does not ring again.
            isReported = lock.withLock { reports > before }
        }
        return (isReported, isInOrder)
    }
}

extension SimulatedSystem {
    /// Receives a VoIP push: launches the app if it does not run, and terminates it when it reports no call.
    ///
    /// "If you fail to report a call to CallKit, the system will terminate your app."
    ///
    /// - Parameter payload: The whole payload: a JSON object.
    /// - Returns: Whether the app reported a call.
    @discardableResult
    package func receiveCall(_ payload: Data) async -> Bool {
        await Self.$current.withValue(self) {
            guard let userInfo = try? JSONSerialization.jsonObject(with: payload) as? [AnyHashable: Any] else {
                return false
            }
            if appState == .notRunning {
                appState = .background
                if let launch { await launch(nil) }
            }
            let telephone: SimulatedTelephone = part()
            let carried = Carried(userInfo)
            let (isReported, isInOrder) = await telephone.hand(carried.value)
            if isReported, !isInOrder { complain("PushKit's completion handler was called before CallKit's") }
            if !isReported {
                complain("a push for a call was not reported to CallKit")
                killApp()
            }
            return isReported
        }
    }
}
