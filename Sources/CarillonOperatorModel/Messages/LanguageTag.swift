/// Comparison of language tags (BCP 47).
enum LanguageTag {
    static func normalized(_ tag: String) -> String {
        String(tag.map { $0 == "_" ? "-" : $0 }).lowercased()
    }

    static func shortened(_ tag: String) -> String {
        guard let end = tag.lastIndex(of: "-") else { return "" }
        return String(tag[..<end])
    }

    /// The tag with a two-letter code instead of a three-letter one, for the languages whose phones report those.
    static func canonical(_ tag: String) -> String {
        let normalized = normalized(tag)
        let language = normalized.prefix { $0 != "-" }
        let short =
            switch language {
            case "kor": "ko"
            case "jpn": "ja"
            case "zho", "chi": "zh"
            case "eng": "en"
            default: String(language)
            }
        return short + normalized.dropFirst(language.count)
    }

    /// The similarity of two tags: the number of equal leading groups; 0 for two languages, and for two scripts of one,
    /// which a reader of one may not read.
    static func similarity(_ tag: String, _ other: String) -> Int {
        let (groups, others) = (tag.split(separator: "-"), other.split(separator: "-"))
        let common = zip(groups, others).prefix { $0 == $1 }.count
        guard common > 0 else { return 0 }
        if let own = script(groups), let foreign = script(others), own != foreign { return 0 }
        return common
    }

    /// The script of a tag: its only group of four letters.
    private static func script(_ groups: [Substring]) -> Substring? {
        groups.dropFirst().first { $0.utf8.count == 4 && $0.allSatisfy(\.isLetter) }
    }

    /// Whether it consists of groups of one through eight letters and digits, joined by `-`; at most 35 characters.
    static func isWellFormed(_ tag: String) -> Bool {
        tag.utf8.count <= 35
            && tag.split(separator: "-", omittingEmptySubsequences: false).allSatisfy { group in
                (1...8).contains(group.utf8.count) && group.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) }
            }
    }
}
