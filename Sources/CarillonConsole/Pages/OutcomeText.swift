import CarillonModel
import CarillonOperatorModel

/// The outcome of one notification in words.
extension Look {
    /// Its state with its colour.
    func outcome(_ outcome: Delivery.Outcome) -> PillView {
        let colour =
            switch outcome {
            case .accepted: "good"
            case .failed, .expired: "bad"
            case .skipped: "muted"
            }
        return PillView(words: texts.word("outcome", outcome.rawValue), colour: colour)
    }

    /// Why there was no notification, in a sentence; `nil` for a reason that this version does not know.
    func meaning(of reason: String, isSkip: Bool) -> String? {
        let known: DeliveryReason = isSkip ? .skip(reason) : .failure(reason)
        return known.texts.map { texts.word("reason.meaning", $0) }
    }
}
