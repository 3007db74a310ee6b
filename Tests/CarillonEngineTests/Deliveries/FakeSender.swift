import CarillonBytes
import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import NIOConcurrencyHelpers

/// A push service whose answers a test sets.
final class FakeSender: Sender {
    /// A notification as it was sent.
    struct Notification: Hashable, Sendable {
        var device: DeviceNumber
        var token: [UInt8]
        var pushType: PushType
        var options: DeliveryOptions
        var payload: [UInt8]
    }

    typealias Script = @Sendable (Notification) -> Consequence

    private struct State {
        var script: Script = { _ in .accepted }
        var sent: [Notification] = []
        var batchSizes: [Int] = []
        var holdsBatches = false
        /// The App whose batches are held; `nil` for all.
        var heldApp: AppID?
        var held: [CheckedContinuation<Void, Never>] = []
        var isDisconnected = false
    }

    private let state = NIOLockedValueBox(State())
    private let arrivals = AsyncSignal()

    /// Maximum bytes of a payload.
    let limit: Int

    init(limit: Int = 4_096, script: @escaping Script = { _ in .accepted }) {
        self.limit = limit
        state.withLockedValue { $0.script = script }
    }

    var sent: [Notification] { state.withLockedValue { $0.sent } }
    var batchSizes: [Int] { state.withLockedValue { $0.batchSizes } }
    var counts: [DeviceNumber: Int] { sent.reduce(into: [:]) { $0[$1.device, default: 0] += 1 } }

    func answer(_ script: @escaping Script) { state.withLockedValue { $0.script = script } }

    /// Holds answers back until ``release()``, all or those of an App.
    func hold(_ app: AppID? = nil) {
        state.withLockedValue { state in
            state.holdsBatches = true
            state.heldApp = app
        }
    }

    func release() {
        let held = state.withLockedValue { state in
            state.holdsBatches = false
            defer { state.held = [] }
            return state.held
        }
        for continuation in held { continuation.resume() }
    }

    /// Answers the batch that was held longest, and continues to hold others.
    func releaseOne() {
        state.withLockedValue { $0.held.isEmpty ? nil : $0.held.removeFirst() }?.resume()
    }

    /// Lets nothing arrive any more, as if the process that sends had ended.
    func disconnect() { state.withLockedValue { $0.isDisconnected = true } }

    /// Lets notifications arrive again.
    func connect() { state.withLockedValue { $0.isDisconnected = false } }

    /// Waits until a number of batches has arrived; returns early when the task is cancelled.
    func batches(_ count: Int) async {
        while !Task.isCancelled {
            let signal = arrivals.count
            if batchSizes.count >= count { return }
            await arrivals.wait(after: signal)
        }
    }

    func render(_ draft: NotificationDraft) throws(RenderingError) -> Rendering {
        let content = draft.language.flatMap { draft.message.content[$0] }
        let badge = draft.badgeMark.map { ",\"badge\":\"\($0)\"" } ?? ""
        let text = "\(draft.language ?? "silent"):\(content?.body ?? "")\(badge):"
        let bytes = Array(text.utf8) + Array(repeating: 0x30, count: 24)
        let limit = min(limit, draft.limit ?? .max)
        guard draft.isTemplate || bytes.count <= limit else {
            throw RenderingError(language: draft.language, byteCount: bytes.count, limit: limit)
        }
        return Rendering(bytes: bytes, receiptOffset: bytes.count - 24, limit: limit)
    }

    func send(_ batch: NotificationBatch, until deadline: ContinuousClock.Instant) async -> [Consequence] {
        let notifications = (0..<batch.count).map { batch.notification($0) }
        let script = state.withLockedValue { $0.script }
        await withCheckedContinuation { continuation in
            // A batch is visible when it can be released, not before.
            let isHeld = state.withLockedValue { state in
                if !state.isDisconnected {
                    state.sent += notifications
                    state.batchSizes.append(batch.count)
                }
                let isHeld = state.holdsBatches && (state.heldApp.map { $0 == batch.app } ?? true)
                if isHeld { state.held.append(continuation) }
                return isHeld
            }
            arrivals.signal()
            if !isHeld { continuation.resume() }
        }
        return notifications.map(script)
    }
}

extension NotificationBatch {
    fileprivate func notification(_ index: Int) -> FakeSender.Notification {
        var payload = rendering.bytes
        if payloads.isEmpty {
            payload.replaceSubrange(
                rendering.receiptOffset..<rendering.receiptOffset + 24,
                with: receipts[(24 * index)..<(24 * index + 24)]
            )
        } else {
            payload = Array(payloads[index])
        }
        return FakeSender.Notification(
            device: devices[index],
            token: Array(tokens[index]),
            pushType: pushType,
            options: options,
            payload: payload
        )
    }
}
