import CarillonModel
import CarillonOperatorModel
import Foundation

/// Makes rules of every kind, the same in each run.
struct RandomRules {
    /// SplitMix64.
    struct Generator: RandomNumberGenerator {
        var state: UInt64

        mutating func next() -> UInt64 {
            state &+= 0x9E37_79B9_7F4A_7C15
            var mixed = state
            mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
            mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
            return mixed ^ (mixed >> 31)
        }
    }

    var random: Generator

    init(seed: UInt64) { random = Generator(state: seed) }

    mutating func rule(depth: Int) -> AudienceRule {
        guard depth > 0 else { return .term(term()) }
        switch Int.random(in: 0..<4, using: &random) {
        case 0: return .and(rules(depth: depth))
        case 1: return .or(rules(depth: depth))
        case 2: return .not(rule(depth: depth - 1))
        default: return .term(term())
        }
    }

    private mutating func rules(depth: Int) -> [AudienceRule] {
        (0..<Int.random(in: 2...3, using: &random)).map { _ in rule(depth: depth - 1) }
    }

    mutating func term() -> AudienceTerm {
        switch Int.random(in: 0..<14, using: &random) {
        case 0:
            return TagID(rawValue: "0a1B2c3\(Int.random(in: 0...9, using: &random))").map { .tag($0) } ?? .flag(.ads)
        case 1: return .tagName(text())
        case 2: return .category(dimension: Bool.random(using: &random) ? nil : text(), match { $0.text() })
        case 3: return .attribute("a.b-c_9", test())
        case 4: return .text(.language, match { $0.one(["ja", "zh-Hant-TW", "ko_KR"]) })
        case 5: return .text(one([.model, .timeZone]), match { $0.text() })
        case 6: return .user(match { UserID(rawValue: $0.text()) ?? $0.user })
        case 7:
            let id = DeviceID(rawValue: UUID())
            return .device(match { _ in id })
        case 8: return .pushType(match { $0.one(PushType.allCases) })
        case 9:
            let version = AudienceVersion(numbers: [.random(in: 0...99, using: &random), 0, 7])
            return version.map {
                .version(one(AudienceVersionField.allCases), .relation(one(AudienceRelation.allCases), $0))
            }
                ?? .flag(.ads)
        case 10: return .time(one(AudienceTimeField.allCases), one([.less, .atLeast]), instant())
        case 11: return .exists(one([.attribute("x"), .text(.country), .version(.appVersion)]))
        case 12:
            let area = AudienceArea(
                latitude: .random(in: -90...90, using: &random),
                longitude: .random(in: -180...180, using: &random),
                radius: .random(in: 1...10_000_000, using: &random)
            )
            return area.map { .within($0) } ?? .flag(.ads)
        default:
            let kind = one(AudienceEvent.Kind.allCases)
            let action = kind == .clicked ? text() : nil
            let campaign = CampaignID(rawValue: .random(in: 0..<(1 << 60), using: &random))
            return AudienceEvent(kind, campaign: campaign, action: action).map { .event($0) } ?? .flag(.hasUser)
        }
    }

    // MARK: - Private

    private mutating func one<Value>(_ values: [Value]) -> Value {
        values[.random(in: values.indices, using: &random)]
    }

    private mutating func match<Value>(_ value: (inout RandomRules) -> Value) -> AudienceMatch<Value> {
        switch Int.random(in: 0..<3, using: &random) {
        case 0: .isEqual(value(&self))
        case 1: .isNotEqual(value(&self))
        default: .isAny([value(&self), value(&self)])
        }
    }

    /// Texts that are hard to write: quotation marks, backslashes, keywords, other scripts.
    private mutating func text() -> String {
        one(["and", "now", "神奈川", "a\"b", "\\", "a b", "1", "-", "true", "e\u{301}", "👨‍👩‍👧", "]", "now-1d"])
    }

    private var user: UserID {
        guard let user = UserID(rawValue: "u") else { preconditionFailure("One letter is a user's id.") }
        return user
    }

    private mutating func test() -> AudienceAttributeTest {
        switch Int.random(in: 0..<4, using: &random) {
        case 0: return .text(match { $0.one(["", "a\nb\tc\r", "\"\\"]) })
        case 1: return .flag(isEqual: Bool.random(using: &random), Bool.random(using: &random))
        case 2: return .number(.isAny([number(), number()]))
        default: return .number(.relation(one(AudienceRelation.allCases), number()))
        }
    }

    private mutating func number() -> AudienceNumber {
        let number: AudienceNumber? =
            switch Int.random(in: 0..<4, using: &random) {
            case 0: AudienceNumber(Int64.random(in: .min ... .max, using: &random))
            case 1: AudienceNumber(Double(bitPattern: .random(in: 0...UInt64.max, using: &random)))
            case 2: AudienceNumber(Double.random(in: -100...100, using: &random))
            default: AudienceNumber(-0.0)
            }
        return number ?? AudienceNumber(0)
    }

    private mutating func instant() -> AudienceInstant {
        Bool.random(using: &random)
            ? .now(seconds: .random(in: -315_360_000...315_360_000, using: &random))
            : .at(Timestamp(rawValue: .random(in: 0..<253_402_300_800_000, using: &random)))
    }
}
