import CarillonModel
import CarillonOperatorModel
import Foundation

/// Generates random rules about a population, with every kind of condition.
struct AudienceRuleSource {
    let population: AudiencePopulation

    func rule(depth: Int, using random: inout some RandomNumberGenerator) -> AudienceRule {
        guard depth > 0 else { return .term(term(using: &random)) }
        func parts(using random: inout some RandomNumberGenerator) -> [AudienceRule] {
            (0..<Int.random(in: 2...3, using: &random)).map { _ in rule(depth: depth - 1, using: &random) }
        }
        switch Int.random(in: 0..<6, using: &random) {
        case 0, 1: return .and(parts(using: &random))
        case 2, 3: return .or(parts(using: &random))
        case 4: return .not(rule(depth: depth - 1, using: &random))
        default: return .term(term(using: &random))
        }
    }

    /// Conditions of one kind.
    static let kinds = 15

    func term(_ kind: Int? = nil, using random: inout some RandomNumberGenerator) -> AudienceTerm {
        switch kind ?? Int.random(in: 0..<Self.kinds, using: &random) {
        case 0: return .tag(one(population.tags.map(\.id) + [TagID(rawValue: "unknown0")], using: &random))
        case 1: return .tagName(one(population.tags.map(\.name) + ["unknown"], using: &random))
        case 2:
            let label = one(
                population.labels + [(dimension: "", label: "unknown"), (dimension: "9", label: "1")],
                using: &random
            )
            let labels = population.labels.filter { $0.dimension == label.dimension }.map(\.label) + [label.label]
            return .category(
                dimension: label.dimension.isEmpty ? nil : label.dimension,
                match(labels, using: &random)
            )
        case 3: return .attribute(one(["age", "plan", "a.b-c_d", "none"], using: &random), test(using: &random))
        case 4: return .text(.language, match(["ko", "ja", "zh-hant", "zh", "en-US"], using: &random))
        case 5:
            return one(
                [
                    .text(.country, match(["jp", "KR"], using: &random)),
                    .text(.model, match(AudiencePopulation.models, using: &random)),
                    .text(.timeZone, match(AudiencePopulation.zones, using: &random)),
                ],
                using: &random
            )
        case 6: return .user(match((0..<45).compactMap { UserID(rawValue: "u-\($0)") }, using: &random))
        case 7: return .device(match(population.devices.map(\.id) + [DeviceID(rawValue: UUID())], using: &random))
        case 8: return .pushType(match(PushType.allCases, using: &random))
        case 9: return .version(one(AudienceVersionField.allCases, using: &random), versions(using: &random))
        case 10: return .flag(one(AudienceFlag.allCases, using: &random))
        case 11: return time(using: &random)
        case 12:
            return .exists(
                one(
                    [.attribute("age"), .attribute("none"), .text(.language), .version(.osVersion), .text(.model)],
                    using: &random
                )
            )
        case 13: return area(using: &random)
        default: return event(using: &random)
        }
    }

    // MARK: - Private

    private func one<Value>(_ values: [Value?], using random: inout some RandomNumberGenerator) -> Value {
        let values = values.compactMap(\.self)
        return values[.random(in: values.indices, using: &random)]
    }

    private func match<Value>(_ values: [Value], using random: inout some RandomNumberGenerator) -> AudienceMatch<Value>
    {
        switch Int.random(in: 0..<3, using: &random) {
        case 0: .isEqual(one(values, using: &random))
        case 1: .isNotEqual(one(values, using: &random))
        default: .isAny((0...Int.random(in: 0...5, using: &random)).map { _ in one(values, using: &random) })
        }
    }

    private func test(using random: inout some RandomNumberGenerator) -> AudienceAttributeTest {
        let numbers = AudiencePopulation.numbers.compactMap { value -> AudienceNumber? in
            switch value {
            case .integer(let whole): AudienceNumber(whole)
            case .number(let number): AudienceNumber(number)
            default: nil
            }
        }
        switch Int.random(in: 0..<4, using: &random) {
        case 0: return .text(match(AudiencePopulation.texts, using: &random))
        case 1: return .flag(isEqual: Bool.random(using: &random), Bool.random(using: &random))
        case 2: return .number(.isAny([one(numbers, using: &random), one(numbers, using: &random)]))
        default:
            return .number(.relation(one(AudienceRelation.allCases, using: &random), one(numbers, using: &random)))
        }
    }

    private func versions(using random: inout some RandomNumberGenerator) -> AudienceOrdering<AudienceVersion> {
        let versions = ["2.9", "2.10", "2.10.3", "17.4", "1.2.3.4", "99.1.0"].compactMap(AudienceVersion.init(_:))
        if Int.random(in: 0..<4, using: &random) == 0 {
            return .isAny([one(versions, using: &random), one(versions, using: &random)])
        }
        return .relation(one(AudienceRelation.allCases, using: &random), one(versions, using: &random))
    }

    private func time(using random: inout some RandomNumberGenerator) -> AudienceTerm {
        let day = 86_400
        let instant: AudienceInstant =
            Bool.random(using: &random)
            ? .now(seconds: -day * .random(in: 0...90, using: &random))
            : .at(
                Timestamp(rawValue: AudiencePopulation.now - 1_000 * Int64(day) * .random(in: 0...90, using: &random))
            )
        let relation = one([AudienceRelation.less, .atMost, .greater, .atLeast], using: &random)
        return .time(one(AudienceTimeField.allCases, using: &random), relation, instant)
    }

    private func area(using random: inout some RandomNumberGenerator) -> AudienceTerm {
        let centre = AudiencePopulation.centre
        let areas = [10_000, 60_000, 150_000, 9_000_000].map { radius in
            AudienceArea(latitude: centre.latitude, longitude: centre.longitude, radius: radius)
        }
        return .within(one(areas + [AudienceArea(latitude: 89, longitude: 0, radius: 7_000_000)], using: &random))
    }

    private func event(using random: inout some RandomNumberGenerator) -> AudienceTerm {
        let kind = one(AudienceEvent.Kind.allCases, using: &random)
        let campaign = one(population.campaigns.keys.sorted() + [CampaignID(rawValue: 99)], using: &random)
        let action = kind == .clicked && Bool.random(using: &random) ? one(["buy", "other"], using: &random) : nil
        return AudienceEvent(kind, campaign: campaign, action: action).map(AudienceTerm.event) ?? .flag(.hasUser)
    }
}

/// A generator whose numbers are the same in every run.
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    /// SplitMix64.
    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
