/// Language tags (BCP 47) as texts to compare.
enum LanguageTag {
    static func normalized(_ tag: String) -> String {
        String(tag.map { $0 == "_" ? "-" : $0 }).lowercased()
    }

    static func shortened(_ tag: String) -> String {
        guard let end = tag.lastIndex(of: "-") else { return "" }
        return String(tag[..<end])
    }

    /// Letters and digits in groups of one through eight, joined by `-`; at most 35 characters.
    static func isWellFormed(_ tag: String) -> Bool {
        tag.utf8.count <= 35
            && tag.split(separator: "-", omittingEmptySubsequences: false).allSatisfy { group in
                (1...8).contains(group.utf8.count) && group.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) }
            }
    }
}
