import CarillonModel
import Foundation

/// A new row, as follows are compared with it.
package struct FollowedRow: Hashable, Sendable {
    package let keyField: String
    package let key: String
    /// The indexed terms by field.
    package let terms: [String: Set<String>]
    package let position: ContentPosition?
    package let words: Set<String>
    /// Fields that have one value at most.
    let singleFields: [String]

    /// - Returns: `nil` when a document is no row of the table.
    package init?(_ document: String, of table: ContentTable) {
        guard let members = try? JSONDecoder().decode([String: JSONValue].self, from: Data(document.utf8)) else {
            return nil
        }
        // A stored row has its fields' own names.
        var table = table
        for index in table.fields.indices { table.fields[index].columns = [] }
        let builder = ContentRowBuilder(table, timeZone: "UTC")
        guard let row = try? builder.row(members).row else { return nil }
        let stored = StoredContentRow(row, number: 0, of: table, document: "")
        keyField = table.key
        key = row.key
        position = stored.position
        words = Set(stored.terms.filter { $0.field == StoredContentRow.wordsField }.map(\.term))
        var terms: [String: Set<String>] = [:]
        for (field, term) in stored.terms where field >= 0 { terms[table.fields[field].name, default: []].insert(term) }
        self.terms = terms
        singleFields = table.fields.filter { $0.isIndexed && $0.type != .list }.map(\.name).sorted()
    }
}
