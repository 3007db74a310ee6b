import CarillonBytes
import CarillonModel
import CarillonOperatorModel

extension NotificationBatch {
    /// Copies a slice's rows into new columns and writes the receipts.
    init(
        _ slice: DeliveryPlan.Slice,
        of recipients: Recipients,
        facts: OccurrenceFacts,
        options: DeliveryOptions,
        rendering: Rendering,
        key: ReceiptKey
    ) {
        self.init(
            app: facts.app,
            occurrence: facts.occurrence,
            pushType: slice.group.pushType,
            options: options,
            rendering: rendering
        )
        let count = slice.rows.count
        devices.reserveCapacity(count)
        tokens.reserveCapacity(count, byteCount: 32 * count)
        for row in slice.rows {
            devices.append(recipients.numbers[Int(row)])
            tokens.append(recipients.tokens[Int(row)])
        }
        // Without a row there is nothing to write: an empty array is one object of the standard library for all threads.
        guard count > 0 else { return }
        receipts = Array(unsafeUninitializedCapacity: Receipt.length * count) { [devices] buffer, initialized in
            let bytes = UnsafeMutableRawBufferPointer(buffer)
            for (place, device) in devices.enumerated() {
                let target = bytes[(Receipt.length * place)..<(Receipt.length * (place + 1))]
                key.write(occurrence: facts.occurrence, device: device, into: .init(rebasing: target))
            }
            initialized = Receipt.length * count
        }
    }
}
