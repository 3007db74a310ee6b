import CarillonEngine
import CarillonModel
import CarillonOperatorModel

/// Reads the form of the step Delivery: when, how and to which part of the Audience a Campaign goes.
///
/// A function of the form and the draft alone, so that what was typed can be applied to a newer version as well.
struct DeliveryForm {
    /// When a Campaign is sent.
    enum When: String, CaseIterable {
        case now
        /// At a date and time of one zone.
        case at
        /// At a date and time of each Device's zone.
        case local
        /// Again and again.
        case `repeat`
    }

    /// What a Campaign is; the first choice has no default.
    enum Kind: String, CaseIterable {
        case information
        case ad
        case call
    }

    /// The names of fields that may come with a number: those of variants have it at the end.
    static let variantCount = 4

    let fields: FormFields
    let texts: Texts
    let now: Timestamp
    /// Whether the Operator may send, and so go around quiet hours.
    let maySend: Bool
    private(set) var problems: [FieldProblem] = []
    let zones = ZoneNights()

    init(_ fields: FormFields, _ texts: Texts, now: Timestamp, maySend: Bool) {
        self.fields = fields
        self.texts = texts
        self.now = now
        self.maySend = maySend
    }

    var when: When { When(rawValue: fields.text("when")) ?? .now }
    var kind: Kind? { Kind(rawValue: fields.text("kind")) }

    /// Reads everything; what cannot be read is a problem, and stays as it is.
    mutating func update(of draft: Campaign) -> CampaignUpdate {
        var update = CampaignUpdate()
        readTime(&update)
        readKind(&update, draft)
        readPace(&update)
        readLimits(&update, draft)
        readVariants(&update, draft)
        return update
    }

    mutating func wrong(_ field: String, _ key: String, _ parameters: [String: String] = [:]) {
        problems.append(FieldProblem(field, texts("delivery.wrong." + key, parameters)))
    }

    /// A whole number of a field; `nil` without a text, and with a problem when it is out of range.
    mutating func number(_ field: String, _ range: ClosedRange<Int>) -> Int? {
        let text = fields.text(field).trimmed
        guard !text.isEmpty else { return nil }
        guard let number = Int(text), range.contains(number) else {
            wrong(field, "number", ["from": String(range.lowerBound), "to": String(range.upperBound)])
            return nil
        }
        return number
    }

    /// A duration of a number and a unit, in seconds; `nil` without a text, and with a problem when it is out of range.
    mutating func seconds(_ field: String, _ range: ClosedRange<Int>, _ limits: String) -> Int? {
        let text = fields.text(field).trimmed
        guard !text.isEmpty else { return nil }
        let unit = DurationUnit(rawValue: fields.text(field + "Unit")) ?? .minutes
        guard let number = Int(text), (0...10_000_000).contains(number), range.contains(number * unit.seconds) else {
            wrong(field, limits)
            return nil
        }
        return number * unit.seconds
    }
}

/// A unit of time in a form.
enum DurationUnit: String, CaseIterable {
    case seconds
    case minutes
    case hours
    case days

    var seconds: Int {
        switch self {
        case .seconds: 1
        case .minutes: 60
        case .hours: 3_600
        case .days: 86_400
        }
    }

    /// The number and the largest unit that write a duration exactly.
    static func split(_ seconds: Int) -> (number: Int, unit: DurationUnit) {
        let unit = allCases.last { seconds % $0.seconds == 0 && seconds >= $0.seconds } ?? .seconds
        return (seconds / unit.seconds, unit)
    }
}
