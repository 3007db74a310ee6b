import CarillonBytes
import CarillonModel
import CarillonOperatorModel

/// Fills a template for the rows of a slice.
struct PersonalBatch {
    private let template: PersonalTemplate
    private let values: PersonalValues
    private var payloads = ByteColumn()
    private var receiptOffsets: [Int] = []
    /// Rows that get nothing, with the reason.
    private(set) var refusals: [(row: Int, outcome: Delivery.Outcome, reason: FailureReason)] = []

    init(_ template: PersonalTemplate, _ values: PersonalValues) {
        self.template = template
        self.values = values
    }

    /// Writes the payloads.
    ///
    /// - Returns: The slice without the rows that get nothing.
    mutating func fill(_ slice: DeliveryPlan.Slice, of recipients: Recipients) -> DeliveryPlan.Slice {
        let count = slice.rows.count
        payloads.reserveCapacity(count, byteCount: count * (template.fixedCount + 64))
        var filled: [Int32] = []
        filled.reserveCapacity(slice.rows.count)
        for row in slice.rows {
            do throws(PersonalTemplate.Refusal) {
                let offset = try payloads.append { (bytes) throws(PersonalTemplate.Refusal) in
                    try template.write(recipients.numbers[Int(row)], values, into: &bytes)
                }
                receiptOffsets.append(offset)
                filled.append(row)
            } catch {
                switch error {
                case .missingValue: refusals.append((Int(row), .skipped, SkipReason.missingValue.reason))
                case .tooLarge: refusals.append((Int(row), .failed, OutcomeAccumulator.tooLarge))
                }
            }
        }
        var slice = slice
        slice.rows = filled[...]
        return slice
    }

    /// Moves the payloads, with their receipts, into a batch.
    mutating func finish(_ batch: inout NotificationBatch) {
        for (index, offset) in receiptOffsets.enumerated() {
            payloads.overwrite(
                at: offset,
                with: batch.receipts[Receipt.length * index..<Receipt.length * (index + 1)]
            )
        }
        batch.payloads = payloads
    }
}
