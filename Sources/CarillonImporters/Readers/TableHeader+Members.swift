import CarillonModel

extension TableHeader {
    /// A row as an object of texts; empty fields are missing, a column that is there several times is an array.
    func members(_ row: TableRow) -> [String: JSONValue] {
        var members: [String: JSONValue] = [:]
        for (index, name) in written.enumerated() {
            guard let text = row.text(index) else { continue }
            switch members[name] {
            case nil: members[name] = .string(text)
            case .array(let texts): members[name] = .array(texts + [.string(text)])
            case .some(let first): members[name] = .array([first, .string(text)])
            }
        }
        return members
    }

    /// - Returns: Why a row does not fit the header.
    func objection(to row: TableRow) -> String? {
        row.count == count ? nil : "has \(row.count) fields, the header has \(count)"
    }
}
