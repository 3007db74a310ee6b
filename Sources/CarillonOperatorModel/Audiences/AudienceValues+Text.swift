import CarillonModel

extension AudienceNumber {
    /// Parses digits with a sign, a point and an exponent; `nil` for anything else, or a number that is not finite.
    init?(text: String) {
        guard text.utf8.contains(where: { (0x30...0x39).contains($0) }),
            text.utf8.allSatisfy({ (0x30...0x39).contains($0) || "+-.eE".utf8.contains($0) })
        else { return nil }
        if let whole = Int64(text) {
            self.init(whole)
        } else if let value = Double(text) {
            self.init(value)
        } else {
            return nil
        }
    }

    var text: String { whole.map(String.init) ?? value.description }
}

extension AudienceInstant {
    private static let units: [(name: Character, seconds: Int)] = [
        ("w", 604_800), ("d", 86_400), ("h", 3_600), ("m", 60), ("s", 1),
    ]

    /// Parses `now`, `now-30d` or an RFC 3339 time; `nil` for anything else.
    init?(text: String) {
        guard text.hasPrefix("now") else {
            guard let instant = Timestamp(text) else { return nil }
            self = .at(instant)
            return
        }
        let offset = text.dropFirst(3)
        guard let sign = offset.first else {
            self = .now(seconds: 0)
            return
        }
        let digits = offset.dropFirst().dropLast()
        guard sign == "-" || sign == "+", (1...10).contains(digits.utf8.count),
            digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let count = Int(digits),
            let unit = Self.units.first(where: { $0.name == offset.last })?.seconds,
            count <= Self.maximumSeconds / unit
        else { return nil }
        self = .now(seconds: sign == "-" ? -count * unit : count * unit)
    }

    var text: String {
        switch self {
        case .at(let instant): return instant.description
        case .now(seconds: 0): return "now"
        case .now(let seconds):
            let unit = Self.units.first { seconds.isMultiple(of: $0.seconds) && $0.name != "w" } ?? ("s", 1)
            return "now\(seconds < 0 ? "-" : "+")\(abs(seconds) / unit.seconds)\(unit.name)"
        }
    }
}

extension AudienceArea {
    /// Parses a length in `m` or `km`, in whole metres; `nil` for anything else.
    static func radius(text: String) -> Int? {
        let isKilometres = text.hasSuffix("km")
        guard isKilometres || text.hasSuffix("m"),
            let number = AudienceNumber(text: String(text.dropLast(isKilometres ? 2 : 1)))
        else { return nil }
        let metres = (number.value * (isKilometres ? 1_000 : 1) * 1_000).rounded() / 1_000
        return Int(exactly: metres)
    }

    var radiusText: String { radius.isMultiple(of: 1_000) ? "\(radius / 1_000)km" : "\(radius)m" }
}
