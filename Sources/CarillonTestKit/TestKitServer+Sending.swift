import Carillon
import CarillonModel
public import Foundation

extension TestKitServer {
    /// Sends a push to every phone that is registered with consent to notifications, and to their inboxes; a silent one is in
    /// no inbox.
    ///
    /// - Parameter push: The push.
    /// - Returns: The payload for the phones; `nil` when there are none.
    public func send(_ push: TestKitPush) -> Data? {
        with { state in
            let reached = state.devices.values.filter { device in
                device.registration.token != nil && device.registration.consent.notifications
            }
            guard !reached.isEmpty else { return nil }
            return write(push, to: push.isSilent ? [] : Set(reached.map(\.number)), &state)
        }
    }

    /// Sends a VoIP push to every phone that has registered a VoIP token; calls are in no inbox.
    ///
    /// - Parameter push: Title and data of the call.
    /// - Returns: The payload for the phones; `nil` when there are none.
    public func call(_ push: TestKitPush) -> Data? {
        with { state in
            guard state.devices.values.contains(where: { $0.voIP != nil }) else { return nil }
            return write(push, to: [], &state)
        }
    }

    private func write(_ push: TestKitPush, to readers: Set<Int>, _ state: inout State) -> Data? {
        state.sent += 1
        let occurrence = OccurrenceID(milliseconds: 1_800_000_000_000, sequence: state.sent)
        let number = String(state.sent)
        let zeros = String(repeating: "0", count: Receipt.length - number.count)
        guard let receipt = Receipt(rawValue: zeros + number) else { return nil }
        state.receipts[occurrence] = receipt
        if !readers.isEmpty {
            var message = InboxMessage(occurrence: occurrence, sentAt: now(), isRead: false)
            message.title = push.title
            message.body = push.body
            message.link = push.link
            message.isSurvey = push.isSurvey
            state.messages.append(TestKitMessage(message: message, readers: readers))
        }
        return push.payload(state.sent, occurrence, receipt, sentAt: now())
    }
}
