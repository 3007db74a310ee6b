import CarillonModel

extension Look {
    /// A time for a table; `nil` without one.
    func table(_ time: Timestamp?) -> TimeView? { time.map { times.table($0) } }

    /// A list in words.
    func list(_ parts: [String]) -> String {
        switch language {
        case .english, .korean, .pseudo: parts.joined(separator: ", ")
        case .japanese, .chinese: parts.joined(separator: "、")
        }
    }
}

/// A row of a list of facts; the template shows the first of time, code and words that there is.
struct FactView: Hashable, Sendable {
    let label: String
    var words: String?
    var code: String?
    var time: TimeView?
    /// Where it leads.
    var path: String?

    init(_ label: String, _ words: String, path: String? = nil) {
        self.label = label
        self.words = words
        self.path = path
    }

    init(_ label: String, code: String, path: String? = nil) {
        self.label = label
        self.code = code
        self.path = path
    }

    init?(_ label: String, _ time: TimeView?) {
        guard let time else { return nil }
        self.label = label
        self.time = time
    }
}

/// The links of a list's page; `nil` without any.
struct PagingView: Hashable, Sendable {
    /// The first page; `nil` on it.
    let newest: String?
    /// The page after this one; `nil` on the last.
    let older: String?

    init?(newest: String?, older: String?) {
        guard newest != nil || older != nil else { return nil }
        self.newest = newest
        self.older = older
    }

    /// The links of a list whose query names the row that a page begins after.
    init?<Cursor>(isFirst: Bool, next: Cursor?, at path: String, fields: (Cursor?) -> FormFields) {
        self.init(
            newest: isFirst ? nil : fields(nil).appended(to: path),
            older: next.map { fields($0).appended(to: path) }
        )
    }
}

/// A state with its colour: `muted`, `active`, `warn`, `good` or `bad`.
struct PillView: Hashable, Sendable {
    let words: String
    let colour: String
}

/// A tab of a list.
struct TabView: Hashable, Sendable {
    let words: String
    let path: String
    let isCurrent: Bool
}

extension FormFields {
    /// A path with these fields as its query; without fields the path alone.
    func appended(to path: String) -> String { isEmpty ? path : path + "?" + encoded }
}

extension String {
    /// Without white space at both ends.
    var trimmed: String {
        var rest = self[...]
        while rest.first?.isWhitespace == true { rest.removeFirst() }
        while rest.last?.isWhitespace == true { rest.removeLast() }
        return String(rest)
    }

    /// The first and last characters of a long text.
    func shortened(ends: Int = 8) -> String {
        count > 2 * ends + 1 ? "\(prefix(ends))…\(suffix(ends))" : self
    }
}
