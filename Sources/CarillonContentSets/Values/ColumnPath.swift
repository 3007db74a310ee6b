import CarillonModel

/// Where a record has a value: a member of its name, or a member of an object in another one.
struct ColumnPath: Hashable, Sendable {
    /// As the definition writes it.
    let name: String
    /// The names on the way to it; several where the name has dots.
    private let members: [String]

    init(_ name: String) {
        self.name = name
        members = name.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    }

    /// The record's own members that may have it: a column's name may have dots too.
    var wanted: [String] { members.count > 1 ? [name, members[0]] : [name] }

    /// The value; a member of the whole name comes first.
    func value(in record: [String: JSONValue]) -> JSONValue? {
        if let whole = record[name] { return whole }
        guard members.count > 1 else { return nil }
        return members.dropFirst().reduce(record[members[0]]) { value, name in value?[name] }
    }
}
