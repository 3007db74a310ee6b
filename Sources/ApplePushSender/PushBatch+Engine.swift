import ApplePush
import ApplePushConnection
import CarillonBytes
import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import Foundation

extension PushBatch {
    /// Converts the engine's batch to one for APNs; `nil` when the topic is malformed.
    init?(_ batch: NotificationBatch, topic bundleID: String) {
        guard let headers = RequestHeaders(batch.options, bundleID: bundleID) else { return nil }
        guard batch.payloads.isEmpty else {
            self.init(personal: batch, headers)
            return
        }
        let start = batch.rendering.receiptOffset
        let slot = start == Rendering.noReceipt ? nil : start..<start + Receipt.length
        guard
            let payload = try? EncodedPayload(
                bytes: batch.rendering.bytes,
                slot: slot,
                limit: headers.pushType.payloadLimit
            ),
            let push = try? PushBatch(
                headers: headers,
                payload: payload,
                tokens: batch.tokens,
                slots: slot == nil ? [] : batch.receipts,
                ids: batch.devices.map { UUID(batch.occurrence, $0) }
            )
        else { return nil }
        self = push
    }

    /// Creates a batch of notifications with payloads of their own, including receipts.
    private init?(personal batch: NotificationBatch, _ headers: RequestHeaders) {
        let push = try? PushBatch(
            headers: headers,
            payloads: batch.payloads,
            tokens: batch.tokens,
            ids: batch.devices.map { UUID(batch.occurrence, $0) }
        )
        guard let push else { return nil }
        self = push
    }

    /// Some of the notifications, to be sent again with the same ids.
    func picking(_ indices: [Int]) -> PushBatch? {
        let tokens = tokens.picking(indices)
        let ids = indices.map { self.ids[$0] }
        guard payloads.isEmpty else {
            return try? PushBatch(headers: headers, payloads: payloads.picking(indices), tokens: tokens, ids: ids)
        }
        let slotLength = payload.slot?.count ?? 0
        let slots = indices.flatMap { self.slots[$0 * slotLength..<($0 + 1) * slotLength] }
        return try? PushBatch(headers: headers, payload: payload, tokens: tokens, slots: slots, ids: ids)
    }
}

extension RequestHeaders {
    /// Converts delivery options to Apple's header fields; `nil` when the bundle id is not a valid topic.
    init?(_ options: DeliveryOptions, bundleID: String) {
        let pushType: APNsPushType =
            switch options.purpose {
            case .alert: .alert
            case .background: .background
            case .call: .voip
            }
        guard let topic = Topic(bundleID: bundleID, for: pushType) else { return nil }
        self.init(
            topic: topic,
            pushType: pushType,
            priority: Priority(options.priority),
            expiration: Expiration(options.expiration),
            collapseID: options.collapseID.flatMap(CollapseID.init)
        )
    }
}

extension Priority {
    fileprivate init(_ priority: Message.Priority) {
        switch priority {
        case .high: self = .immediate
        case .normal: self = .considerate
        case .low: self = .low
        }
    }
}

extension Expiration {
    fileprivate init?(_ expiration: DeliveryOptions.Expiration) {
        switch expiration {
        case .unset: return nil
        case .immediately: self = .nowOrNever
        case .at(let time): self.init(time.date)
        }
    }
}
