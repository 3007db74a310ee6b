import ApplePushSender
import CarillonEngine
import CarillonModel
import NIOConcurrencyHelpers

/// A push service that answers by itself, some notifications with a refusal, and remembers what phones would get.
final class SampleSender: Sender {
    /// A notification that was accepted.
    struct Accepted: Sendable {
        var occurrence: OccurrenceID
        var receipt: Receipt
    }

    private struct State {
        var round: Int64 = 0
        var accepted: [Accepted] = []
    }

    private let apple: APNsSender
    private let state = NIOLockedValueBox(State())

    /// - Parameter apple: Renders the payloads; it is never connected.
    init(rendering apple: APNsSender) { self.apple = apple }

    /// Returns what was accepted since the last call; other Devices are refused from then on.
    func take() -> [Accepted] {
        state.withLockedValue { state in
            state.round += 1
            defer { state.accepted = [] }
            return state.accepted
        }
    }

    func render(_ draft: NotificationDraft) throws(RenderingError) -> Rendering { try apple.render(draft) }

    func blamesToken(_ reason: FailureReason) -> Bool { apple.blamesToken(reason) }

    func send(_ batch: NotificationBatch, until deadline: ContinuousClock.Instant) async -> [Consequence] {
        state.withLockedValue { state in
            (0..<batch.count).map { index in
                let consequence = Self.answer(to: batch.devices[index], state.round)
                let bytes = batch.receipts[(Receipt.length * index)..<(Receipt.length * (index + 1))]
                if consequence == .accepted, let receipt = Receipt(rawValue: String(decoding: bytes, as: UTF8.self)) {
                    state.accepted.append(Accepted(occurrence: batch.occurrence, receipt: receipt))
                }
                return consequence
            }
        }
    }

    /// Few are refused, and no Device twice for the same reason.
    private static func answer(to device: DeviceNumber, _ round: Int64) -> Consequence {
        switch (device.rawValue &* 7 &+ round &* 11) % 90 {
        case 0: .dropDeviceToken(FailureReason(rawValue: "Unregistered"), since: nil)
        case 1: .quarantineDeviceToken(FailureReason(rawValue: "BadDeviceToken"))
        case 2: .quarantineDeviceToken(FailureReason(rawValue: "DeviceTokenNotForTopic"))
        case 3: .dropMessage(FailureReason(rawValue: "PayloadTooLarge"))
        default: .accepted
        }
    }
}
