/// Numbers as a language writes them.
struct NumberText: Sendable {
    private let language: Language

    init(_ language: Language) { self.language = language }

    /// All digits, with commas: 1,234,567.
    func full(_ number: Int) -> String {
        let digits = Array(String(number.magnitude))
        var text = number < 0 ? "-" : ""
        for (index, digit) in digits.enumerated() {
            if index > 0, (digits.count - index).isMultiple(of: 3) { text += "," }
            text.append(digit)
        }
        return text
    }

    /// Three digits and a unit, for tiles and charts: 1.23M, 123万.
    func short(_ number: Int) -> String {
        let units: [(size: UInt, name: String)]
        switch language {
        case .english, .pseudo:
            units = [(1_000_000_000, "B"), (1_000_000, "M"), (1_000, "K")]
        case .japanese: units = [(100_000_000, "億"), (10_000, "万")]
        case .korean: units = [(100_000_000, "억"), (10_000, "만")]
        case .chinese: units = [(100_000_000, "億"), (10_000, "萬")]
        }
        guard let unit = units.first(where: { number.magnitude >= $0.size }) else { return full(number) }
        return (number < 0 ? "-" : "") + Self.threeDigits(number.magnitude, unit.size) + unit.name
    }

    /// A share: one decimal below 10 %, none above, `<0.1 %` for less, `–` of nothing.
    func percent(_ part: Int, of whole: Int) -> String {
        guard whole > 0 else { return "–" }
        let tenths = (Double(part) / Double(whole) * 1_000).rounded()
        if part > 0, Double(part) / Double(whole) < 0.001 { return "<0.1 %" }
        if tenths < 100 { return "\(Int(tenths) / 10).\(Int(tenths) % 10) %" }
        return "\(Int((Double(part) / Double(whole) * 100).rounded())) %"
    }

    /// Bytes: all digits up to 9,999, then KB and MB.
    func bytes(_ count: Int) -> String {
        guard count > 9_999 else { return full(count) + " B" }
        if count < 1_000_000 { return Self.threeDigits(UInt(count), 1_000) + " KB" }
        return Self.threeDigits(UInt(count), 1_000_000) + " MB"
    }

    /// At least three digits of a quotient, the rest cut: 1.23, 12.3, 123, 12345 of 10,000s.
    private static func threeDigits(_ number: UInt, _ size: UInt) -> String {
        let whole = number / size
        let places = whole >= 100 ? 0 : whole >= 10 ? 1 : 2
        guard places > 0 else { return String(whole) }
        let scale: UInt = places == 1 ? 10 : 100
        let fraction = String(number % size * scale / size)
        let padded = String(repeating: "0", count: places - fraction.count) + fraction
        let kept = String(padded.reversed().drop { $0 == "0" }.reversed())
        return kept.isEmpty ? String(whole) : "\(whole).\(kept)"
    }
}
