import CarillonContentSets
import CarillonSQL
import NIOConcurrencyHelpers

/// Definitions of content sets and tables by their stored text: to decode one takes longer than to search.
///
/// What a text is decoded to never changes, so that other nodes may save others meanwhile.
final class DecodedDefinitions: Sendable {
    /// More are decoded anew; a text has up to 64 KiB.
    private static let limit = 200

    private let sets = NIOLockedValueBox<[String: ContentSetDefinition]>([:])
    private let tables = NIOLockedValueBox<[String: ContentTable]>([:])

    func set<Column: SQLColumn>(_ row: SQLRow<Column>, _ column: Column) throws -> ContentSetDefinition {
        try Self.value(row, column, sets)
    }

    func table<Column: SQLColumn>(_ row: SQLRow<Column>, _ column: Column) throws -> ContentTable {
        try Self.value(row, column, tables)
    }

    private static func value<Column: SQLColumn, Value: Codable & Sendable>(
        _ row: SQLRow<Column>,
        _ column: Column,
        _ known: NIOLockedValueBox<[String: Value]>
    ) throws -> Value {
        let text: String = try row[column]
        if let value = known.withLockedValue({ $0[text] }) { return value }
        let value: Value = try row.json(column)
        known.withLockedValue { known in
            if known.count >= limit { known.removeAll() }
            known[text] = value
        }
        return value
    }
}
