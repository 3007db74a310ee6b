import CarillonModel
import CarillonReaders

extension TableHeader {
    /// A row as an object of texts; empty fields are missing, a column that is there several times is an array.
    func members(_ row: TableRow) -> [String: JSONValue] {
        var values: [String: [JSONValue]] = [:]
        for (index, name) in written.enumerated() {
            if let text = row.text(index) { values[name, default: []].append(.string(text)) }
        }
        return values.mapValues { $0.count == 1 ? $0[0] : .array($0) }
    }

    /// - Returns: Why a row does not fit the header.
    func objection(to row: TableRow) -> String? {
        row.count == count ? nil : "has \(row.count) fields, the header has \(count)"
    }
}
