import CarillonModel
import CarillonOperatorModel

/// The variants of a Campaign, each with its open rate and the rate's interval.
struct VariantsView {
    var funnel: Funnel

    private static let width = 40

    /// A heading, and one line a variant; empty without variants.
    ///
    /// The scale of all bars ends at the highest bound, so that intervals can be compared: `├` and `┤` are the bounds at
    /// 95 % confidence, `●` is the rate.
    var lines: [String] {
        guard let variants = funnel.variants, !variants.isEmpty else { return [] }
        let most = variants.compactMap(\.openRateHigh).max() ?? 0
        let names = max(8, variants.map(\.name.count).max() ?? 0)
        let heading = "variants, opened of accepted, at 95 % confidence"
        return ["", "  " + heading] + variants.map { line($0, names, most) } + conclusion(variants)
    }

    private func line(_ variant: VariantCounts, _ names: Int, _ most: Double) -> String {
        let counts = Text.aligned("\(Text.grouped(variant.opened)) of \(Text.grouped(variant.accepted))", 18)
        guard let rate = variant.openRate, let low = variant.openRateLow, let high = variant.openRateHigh else {
            return "  \(Text.padded(variant.name, names)) \(counts)"
        }
        let share = Text.aligned(Self.percent(rate), 7) + Text.aligned("\(Self.percent(low))–\(Self.percent(high))", 15)
        return "  \(Text.padded(variant.name, names)) \(counts) \(share)  " + Self.bar(low, rate, high, most: most)
    }

    private func conclusion(_ variants: [VariantCounts]) -> [String] {
        guard variants.count > 1 else { return [] }
        if let winner = funnel.winner { return ["  \(winner) is opened more often than every other"] }
        let least = [VariantCounts].leastAccepted
        return [
            variants.allSatisfy { $0.accepted >= least }
                ? "  no variant is opened significantly more often"
                : "  too few to compare: each variant needs \(least) accepted notifications"
        ]
    }

    /// An interval on a scale from 0 through `most`.
    static func bar(_ low: Double, _ rate: Double, _ high: Double, most: Double) -> String {
        func place(_ value: Double) -> Int {
            most > 0 ? min(width - 1, max(0, Int((value / most * Double(width - 1)).rounded()))) : 0
        }
        var characters = [Character](repeating: "·", count: width)
        for index in place(low)...max(place(low), place(high)) { characters[index] = "─" }
        characters[place(low)] = "├"
        characters[place(high)] = "┤"
        characters[place(rate)] = "●"
        return String(characters)
    }

    private static func percent(_ share: Double) -> String {
        let tenths = Int((share * 1_000).rounded())
        return "\(tenths / 10).\(tenths % 10) %"
    }
}
