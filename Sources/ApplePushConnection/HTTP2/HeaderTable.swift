/// A copy of the dynamic table of the peer's decoder (RFC 7541 §2.3.2 and §4).
struct HeaderTable {
    /// Maximum size used, also when the peer allows more.
    static let preferredSize = 4096
    private static let staticCount = 61

    private struct Entry {
        let name: String
        let value: String
        var size: Int { HeaderTable.size(name, value) }
    }

    /// Newest first, as they are indexed.
    private var entries: [Entry] = []
    private var size = 0
    private(set) var maximumSize = preferredSize

    static func size(_ name: String, _ value: String) -> Int { name.utf8.count + value.utf8.count + 32 }

    /// The index of an entry with this name and value.
    func index(of name: String, _ value: String) -> Int? {
        entries.firstIndex { $0.name == name && $0.value == value }.map { $0 + Self.staticCount + 1 }
    }

    /// The index of any entry with this name.
    func index(of name: String) -> Int? {
        entries.firstIndex { $0.name == name }.map { $0 + Self.staticCount + 1 }
    }

    /// Inserts an entry that fits; evicts the oldest.
    mutating func insert(_ name: String, _ value: String) {
        let entry = Entry(name: name, value: value)
        evict(downTo: maximumSize - entry.size)
        entries.insert(entry, at: 0)
        size += entry.size
    }

    mutating func resize(to newMaximum: Int) {
        maximumSize = newMaximum
        evict(downTo: newMaximum)
    }

    private mutating func evict(downTo limit: Int) {
        while size > limit, let last = entries.popLast() { size -= last.size }
    }
}
