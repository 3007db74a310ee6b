import CarillonModel
import CarillonOperatorModel

/// A reason with its number, meaning, consequence and advice.
struct ReasonView: Hashable, Sendable {
    /// The word of Apple or of Carillon, verbatim.
    let reason: String
    /// `nil` for a word that this version does not know.
    let reasonMeaning: String?
    let reasonNumber: String
    let reasonShare: String
    /// What Carillon did.
    let consequence: String
    /// What to do; `nil` for a word that this version does not know.
    let advice: String?
    let isUnknown: Bool

    /// The reasons of failed notifications, the largest number first.
    static func failures(_ counts: [FailureCount], of attempted: Int, _ look: Look) -> [ReasonView] {
        counts.map { ReasonView(.failure($0.reason), $0.count, of: attempted, look) }
    }

    /// The reasons of skipped notifications, the largest number first.
    static func skips(_ counts: [String: Int], of targeted: Int, _ look: Look) -> [ReasonView] {
        counts.filter { $0.value > 0 }.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
            .map { ReasonView(.skip($0.key), $0.value, of: targeted, look) }
    }

    /// The reason of an alarm, without a number.
    init(alarm: String, _ look: Look) {
        self.init(.failure(DeliveryReason.word(ofAlarm: alarm)), nil, of: 0, look)
    }

    private init(_ known: DeliveryReason, _ count: Int?, of whole: Int, _ look: Look) {
        reason = known.word
        reasonMeaning = known.texts.map { look.texts.word("reason.meaning", $0) }
        reasonNumber = count.map { look.numbers.full($0) } ?? ""
        reasonShare = count.map { look.numbers.percent($0, of: whole) } ?? ""
        consequence = look.texts.word("reason.consequence", known.consequence.rawValue)
        advice = known.texts.map { look.texts.word("reason.advice", $0) }
        isUnknown = known.texts == nil
    }
}
