#if canImport(PushKit) && canImport(CallKit) && canImport(UIKit) && !os(tvOS) && !os(watchOS)
import CallKit
import Carillon
import CarillonModel
import Foundation

// Each VoIP push is reported to the system, by the SDK or by the app.
extension CarillonVoIP {
    /// The system kills an app that was launched for a VoIP push and reports no call, whatever is in the push.
    func handle(_ message: PushMessage?, _ completion: @escaping @Sendable () -> Void) {
        guard let message else { return provider.reportEnded(completion) }
        let since = recent.first { $0.id == message.callID }?.since
        let isCopy = since != nil
        let call = IncomingCall(message, isCopy: isCopy, provider: { [self] in provider }, completion: completion)
        recent = recent.filter { $0.id != call.id }.suffix(31) + [(call.id, since ?? client.time.now())]
        // Of a copy only who reports is notified.
        if !isCopy || reporting == .app { delegate?.carillonVoIP(self, didReceive: call) }
        if reporting == .app, delegate != nil {
            completeLate(call)
        } else if !call.isReported {
            report(call, since: since)
        }
        guard !isCopy else { return }
        Task { [client] in
            await client.report(.received, of: message.push)
            await client.flush(within: 5)
        }
    }

    /// Reports a call, or a copy of its push: the system refuses an id that it has, and the phone does not ring again.
    ///
    /// Whether it refuses the id of a call that has ended, no page of Apple's says.
    private func report(_ call: IncomingCall, since: Timestamp?) {
        if let since, hasEnded(call.id, since: since) { return call.reportEnded() }
        call.report()
        // Nobody could answer it.
        if delegate == nil, callDelegate == nil {
            provider.reportCall(with: call.id, endedAt: nil, reason: .unanswered)
        }
    }

    private func hasEnded(_ id: UUID, since: Timestamp) -> Bool {
        let isListed = client.time.now().rawValue - since.rawValue > Int64(Self.listTime * 1_000)
        return isListed && !observer.calls.contains { $0.uuid == id && !$0.hasEnded }
    }

    /// An app may report a call and not say so: PushKit's completion is called nevertheless.
    private func completeLate(_ call: IncomingCall) {
        guard !call.isReported else { return }
        Task { [client] in
            try? await client.time.sleep(seconds: Self.reportTime)
            call.complete()
        }
    }
}
#endif
