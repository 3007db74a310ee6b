#if canImport(PushKit) && canImport(CallKit) && canImport(UIKit) && !os(tvOS) && !os(watchOS)
import Carillon
import Foundation
import PushKit

/// Passes PushKit's calls, which are made on the main queue, to the main actor.
final class PushRegistryBridge: NSObject, PKPushRegistryDelegate {
    /// A call of PushKit.
    indirect enum Event: Sendable {
        case token(Data)
        case invalid
        /// A push; the message is `nil` when it is not Carillon's.
        case push(PushMessage?, @Sendable () -> Void)
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
        completion: @escaping @Sendable () -> Void
    ) {
        guard type == .voIP else { return completion() }
        notify(.push(PushMessage(userInfo: payload.dictionaryPayload), completion))
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
