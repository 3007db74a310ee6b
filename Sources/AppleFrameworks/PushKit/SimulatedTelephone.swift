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

    package init() {}

    package func appWasKilled() { lock.withLock { registry = nil } }

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
    /// - Returns: False when a call with that id exists.
    package func ring(_ id: UUID, caller: String?) -> Bool {
        lock.withLock {
            reports += 1
            guard !reported.contains(where: { $0.id == id }) else { return false }
            reported.append(Call(id: id, caller: caller))
            return true
        }
    }

    /// Ends a call.
    package func end(_ id: UUID) {
        lock.withLock {
            guard let index = reported.firstIndex(where: { $0.id == id }) else { return }
            reported[index].hasEnded = true
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
    /// - Returns: Whether the app handled it and reported a call, as Apple requires.
    @MainActor
    fileprivate func hand(_ payload: [AnyHashable: Any]) async -> Bool {
        let (registry, before) = lock.withLock { (self.registry, reports) }
        guard let registry, let delegate = registry.delegate else { return false }
        await withCheckedContinuation { continuation in
            let push = PKPushPayload(type: .voIP, dictionaryPayload: payload)
            delegate.pushRegistry(registry, didReceiveIncomingPushWith: push, for: .voIP) { continuation.resume() }
        }
        // A call that is already known counts as reported, though it does not ring again.
        return lock.withLock { reports > before }
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
            let isReported = await telephone.hand(carried.value)
            if !isReported {
                complain("a push for a call was not reported to CallKit")
                killApp()
            }
            return isReported
        }
    }
}
