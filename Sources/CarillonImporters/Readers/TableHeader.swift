/// Where the columns of a table are: by name, in any case and order.
struct TableHeader {
    /// The names in lower case, without blanks around them.
    private let names: [String]
    /// As they are written.
    let written: [String]

    init(_ header: [String]) {
        written = header.map { $0.trimmingSpaces }
        names = written.map { $0.lowercased() }
    }

    var count: Int { names.count }

    /// Where a column is; -1 when the table does not have it.
    func position(_ name: String) -> Int { names.firstIndex(of: name.lowercased()) ?? -1 }

    /// The first of these columns; -1 when the table has none of them.
    func position(any names: [String]) -> Int { names.lazy.map(position).first { $0 >= 0 } ?? -1 }

    /// The columns besides these, as they are written.
    func others(than known: some Collection<String>) -> [String] {
        let known = Set(known.map { $0.lowercased() })
        return zip(names, written).filter { !known.contains($0.0) }.map(\.1)
    }

    /// - Throws: ``SourceProblem`` naming the first name that is there twice.
    func requireDistinct() throws(SourceProblem) {
        var met: Set<String> = []
        for (name, written) in zip(names, written) where !met.insert(name).inserted {
            throw SourceProblem("has the column \(written) twice")
        }
    }
}

extension String {
    /// Without blanks and tabs around it.
    var trimmingSpaces: String {
        let isSpace = { (character: Character) in character == " " || character == "\t" }
        guard let start = firstIndex(where: { !isSpace($0) }), let end = lastIndex(where: { !isSpace($0) }) else {
            return ""
        }
        return String(self[start...end])
    }
}
