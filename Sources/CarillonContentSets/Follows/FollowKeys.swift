import Foundation

/// The keys of an index that leads from a row to the follows that may fit it, without looking at others.
///
/// A follow is filed under few keys of one condition, the most selective it has: each row that fits it has one of them.
/// A row has all of its keys, and what is found under them is compared whole. Circles are filed under the cells of a grid
/// that they touch, in a size after their radius: unlike an R-tree such an index also keeps its entries in an order, so
/// that a reader can stop after any of them and go on later.
package enum FollowKeys {
    /// Maximum number of keys of a follow, but for values of one field.
    static let maximumCount = 64
    /// Cells of a circle; larger cells are taken until there are no more.
    private static let maximumCellCount = 9
    /// Sizes of cells: 180 degrees, halved up to this many times, to about 600 metres.
    private static let levelCount = 15
    /// Circles up to this many metres are rarer than a pair of values.
    private static let smallRadius = 20_000.0

    /// The keys under which a follow is filed.
    package static func keys(of query: ContentFollowQuery, in table: ContentTable) -> Set<String> {
        if let keys = query.equalities.first(where: { $0.field == table.key }) {
            return Set(keys.values.map { single(table.key, $0) })
        }
        if let near = query.near, near.radius <= smallRadius { return cells(near) }
        if let pairs = pairs(query, table) { return pairs }
        if let near = query.near { return cells(near) }
        if let words = query.words, let term = longest(SearchTerms.terms(ofQuery: words)) { return ["w:\(term)"] }
        if let few = query.equalities.min(by: { $0.values.count < $1.values.count }) {
            return Set(few.values.map { single(few.field, $0) })
        }
        return ["*"]
    }

    /// All keys of a row.
    package static func keys(of row: FollowedRow) -> Set<String> {
        var keys: Set<String> = ["*", single(row.keyField, row.key)]
        for (field, terms) in row.terms where field != row.keyField { keys.formUnion(terms.map { single(field, $0) }) }
        let singles = row.singleFields.compactMap { field in row.terms[field]?.first.map { (field, $0) } }
        for (index, first) in singles.enumerated() {
            for second in singles[(index + 1)...] { keys.insert(pair(first, second)) }
        }
        if let place = row.position {
            keys.formUnion((0..<levelCount).map { cell(place.latitude, place.longitude, $0) })
        }
        return keys.union(row.words.map { "w:\($0)" })
    }

    // MARK: - Private

    private static func single(_ field: String, _ value: String) -> String { "f:\(field)=\(ContentValue.term(value))" }

    private static func pair(_ first: (String, String), _ second: (String, String)) -> String {
        "p:\(first.0)=\(ContentValue.term(first.1))&\(second.0)=\(ContentValue.term(second.1))"
    }

    /// The pairs of the values of two fields that have one value in a row; `nil` without two such.
    private static func pairs(_ query: ContentFollowQuery, _ table: ContentTable) -> Set<String>? {
        let singles = query.equalities.filter {
            table.field($0.field).map { $0.isIndexed && $0.type != .list } ?? false
        }
        .sorted { $0.values.count < $1.values.count }.prefix(2).sorted { $0.field < $1.field }
        guard singles.count == 2, singles[0].field != singles[1].field,
            singles[0].values.count * singles[1].values.count <= maximumCount
        else { return nil }
        let all = singles[0].values.flatMap { first in
            singles[1].values.map { pair((singles[0].field, first), (singles[1].field, $0)) }
        }
        return Set(all)
    }

    private static func longest(_ terms: Set<String>) -> String? {
        terms.sorted().max { $0.unicodeScalars.count < $1.unicodeScalars.count }
    }

    private static func cells(_ circle: ContentFollowQuery.Circle) -> Set<String> {
        let boxes = circle.place.boxes(within: circle.radius)
        for level in (0..<levelCount).reversed() {
            let spans = boxes.map { box in
                (
                    rows: index(box.south, 90, level)...index(box.north, 90, level),
                    columns: index(box.west, 180, level)...index(box.east, 180, level)
                )
            }
            let count = spans.reduce(0) { $0 + $1.rows.count * $1.columns.count }
            guard level == 0 || count <= maximumCellCount else { continue }
            let cells = spans.flatMap { span in span.rows.flatMap { row in span.columns.map { name(level, row, $0) } } }
            return Set(cells)
        }
        return []
    }

    private static func cell(_ latitude: Double, _ longitude: Double, _ level: Int) -> String {
        name(level, index(latitude, 90, level), index(longitude, 180, level))
    }

    private static func name(_ level: Int, _ row: Int, _ column: Int) -> String { "c:\(level):\(row):\(column)" }

    /// The row or column of a degree; the last one has its far end too.
    private static func index(_ degrees: Double, _ limit: Double, _ level: Int) -> Int {
        let size = 180 / Double(1 << level)
        let last = Int((2 * limit / size).rounded(.up)) - 1
        return min(max(0, Int(((degrees + limit) / size).rounded(.down))), max(0, last))
    }
}
