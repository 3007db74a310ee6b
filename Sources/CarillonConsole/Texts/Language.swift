/// A language of the console.
enum Language: String, Hashable, Sendable, CaseIterable {
    case english = "en"
    case japanese = "ja"
    case korean = "ko"
    case chinese = "zh-Hant"
    /// English with accents and 40 % more characters: for tests of the layout.
    case pseudo = "en-XA"

    /// The languages that an Operator can choose.
    static let offered: [Language] = [.english, .japanese, .korean, .chinese]

    /// The language's own name.
    var name: String {
        switch self {
        case .english: "English"
        case .japanese: "日本語"
        case .korean: "한국어"
        case .chinese: "繁體中文"
        case .pseudo: "Pseudo"
        }
    }

    /// The language of a browser's `Accept-Language`, the offered one with the highest weight; English when there is none.
    init(accepting field: String?) {
        let wishes = (field ?? "").prefix(1_000).split(separator: ",").enumerated().compactMap { index, part in
            Wish(part, index)
        }
        let best = wishes.sorted().lazy.compactMap { Language(tag: $0.tag) }.first
        self = best ?? .english
    }

    /// The offered language of a language tag; `nil` when there is none.
    private init?(tag: String) {
        let parts = tag.lowercased().split(separator: "-")
        switch parts.first {
        case "en", "*": self = .english
        case "ja": self = .japanese
        case "ko": self = .korean
        // Simplified characters are nearer than English.
        case "zh": self = .chinese
        default: return nil
        }
    }
}

/// A language of `Accept-Language`, with its weight.
private struct Wish: Comparable {
    let tag: String
    let weight: Double
    let index: Int

    init?(_ part: Substring, _ index: Int) {
        let pieces = part.split(separator: ";").map { $0.filter { $0 != " " } }
        guard let tag = pieces.first, !tag.isEmpty else { return nil }
        let weight = pieces.dropFirst().first { $0.hasPrefix("q=") }.map { Double($0.dropFirst(2)) ?? 0 } ?? 1
        guard weight > 0 else { return nil }
        (self.tag, self.weight, self.index) = (tag, weight, index)
    }

    static func < (one: Wish, other: Wish) -> Bool {
        one.weight == other.weight ? one.index < other.index : one.weight > other.weight
    }
}
