import CarillonModel
import CarillonOperatorModel

/// Fills a template for the rows of a slice.
struct PersonalBatch {
    private let template: PersonalTemplate
    private let values: PersonalValues
    private var payloads: [UInt8] = []
    private var ends: [Int32] = []
    private var receiptOffsets: [Int] = []
    /// Rows that get nothing, and why.
    private(set) var refusals: [(row: Int, outcome: Delivery.Outcome, reason: FailureReason)] = []

    init(_ template: PersonalTemplate, _ values: PersonalValues) {
        self.template = template
        self.values = values
    }

    /// Writes the payloads.
    ///
    /// - Returns: The slice without the rows that get nothing.
    mutating func fill(_ slice: DeliveryPlan.Slice, of recipients: Recipients) -> DeliveryPlan.Slice {
        payloads.reserveCapacity(slice.rows.count * (template.fixedCount + 64))
        var filled: [Int32] = []
        filled.reserveCapacity(slice.rows.count)
        for row in slice.rows {
            do throws(PersonalTemplate.Refusal) {
                receiptOffsets.append(
                    try template.write(recipients.numbers[Int(row)], values, into: &payloads)
                )
                ends.append(Int32(payloads.count))
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

    /// Gives a batch its payloads, with its receipts in them.
    mutating func finish(_ batch: inout NotificationBatch) {
        for (index, offset) in receiptOffsets.enumerated() {
            let receipt = batch.receipts[Receipt.length * index..<Receipt.length * (index + 1)]
            payloads.replaceSubrange(offset..<offset + Receipt.length, with: receipt)
        }
        batch.payloads = payloads
        batch.payloadEnds = ends
    }
}
