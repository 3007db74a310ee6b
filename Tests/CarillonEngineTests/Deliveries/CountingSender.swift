import CarillonEngine
import NIOConcurrencyHelpers
import Testing

/// Records what it renders; it never sends.
final class CountingSender: Sender {
    private let state = NIOLockedValueBox<[NotificationDraft]>([])

    var drafts: [NotificationDraft] { state.withLockedValue { $0 } }

    func render(_ draft: NotificationDraft) throws(RenderingError) -> Rendering {
        state.withLockedValue { $0.append(draft) }
        return Rendering(bytes: [UInt8](repeating: 0x30, count: 24), receiptOffset: 0)
    }

    func send(_ batch: NotificationBatch, until deadline: ContinuousClock.Instant) async -> [Consequence] {
        Issue.record("Nothing is sent here.")
        return batch.devices.map { _ in .retryLater(.notSent, after: nil) }
    }
}
