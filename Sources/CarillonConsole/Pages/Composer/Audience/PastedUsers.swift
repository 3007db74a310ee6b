import CarillonModel

/// A list of User ids as it was pasted: one a line, or with commas between them.
struct PastedUsers: Hashable, Sendable {
    /// Those that can be Users, each once.
    private(set) var users: [UserID] = []
    private(set) var duplicates = 0
    /// Too long, or no ids.
    private(set) var malformed = 0
    /// Beyond what a list may have.
    private(set) var excess = 0

    init(_ text: String, limit: Int) {
        var seen: Set<String> = []
        for part in text.split(whereSeparator: { $0.isNewline || ",;\t".contains($0) }) {
            let word = String(part).trimmed
            guard !word.isEmpty else { continue }
            guard let id = UserID(rawValue: word) else {
                malformed += 1
                continue
            }
            guard seen.insert(word).inserted else {
                duplicates += 1
                continue
            }
            if users.count < limit { users.append(id) } else { excess += 1 }
        }
    }
}
