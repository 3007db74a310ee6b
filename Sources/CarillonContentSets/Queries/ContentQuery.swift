package import CarillonModel

/// Which rows of a table are wanted, and which page of them.
package struct ContentQuery: Hashable, Sendable {
    /// Rows near a point, nearest first.
    package struct Near: Hashable, Sendable {
        package var place: ContentPosition
        /// Metres: more than 0, at most ``maximumRadius``.
        package var radius: Double

        package static let maximumRadius = 200_000.0
        package static let defaultRadius = 2_000.0

        package init(_ place: ContentPosition, radius: Double) {
            self.place = place
            self.radius = radius
        }
    }

    /// Rows whose time of a field is in a range, or that are going on in it.
    package struct Times: Hashable, Sendable {
        /// A field of type `time`.
        package var field: String
        /// A field of type `time` at which a row ends; `nil` for rows that take no time.
        ///
        /// With it, a row is found when it begins before the end of the range, and either begins in the range or ends behind
        /// its first instant. A row without an end takes no time.
        package var end: String?
        /// The first instant; `nil` for no bound.
        package var from: Timestamp?
        /// The first instant behind the range; `nil` for no bound.
        package var until: Timestamp?

        package init(field: String, end: String? = nil, from: Timestamp?, until: Timestamp?) {
            self.field = field
            self.end = end
            self.from = from
            self.until = until
        }
    }

    /// A field with one of several values.
    package struct Equality: Hashable, Sendable {
        /// An indexed field, or the key.
        package var field: String
        /// 1 through ``maximumValueCount``.
        package var values: [String]

        package static let maximumValueCount = 50

        package init(field: String, values: [String]) {
            self.field = field
            self.values = values
        }

        /// Reads conditions as requests have them: fields, each with a text, an integer or a boolean, or an array of those.
        ///
        /// - Returns: The conditions in order of the fields' names; `nil` when an index has no such values.
        package static func all(_ members: [String: JSONValue]) -> [Equality]? {
            var all: [Equality] = []
            for (field, value) in members.sorted(by: { $0.key < $1.key }) {
                let texts = (value.array ?? [value]).map(text)
                guard texts.allSatisfy({ $0 != nil }) else { return nil }
                all.append(Equality(field: field, values: texts.compactMap(\.self)))
            }
            return all
        }

        /// A value as the index has it; `nil` when no index has such.
        private static func text(_ value: JSONValue) -> String? {
            switch value {
            case .string(let text): text
            case .integer(let whole): String(whole)
            case .bool(let bool): bool ? "true" : "false"
            case .null, .number, .array, .object: nil
            }
        }
    }

    /// Which part of the rows.
    package enum Part: Hashable, Sendable {
        /// The rows after a cursor; `nil` for the first ones.
        case after(ContentCursor?)
        /// A page by its number, from 1.
        case page(Int)
    }

    package var equalities: [Equality] = []
    package var near: Near?
    package var times: Times?
    /// Words that rows have, all of them.
    package var words: String?
    package var part = Part.after(nil)
    /// 1 through 200.
    package var limit = 50

    package static let maximumLimit = 200
    package static let maximumEqualityCount = 8
    /// A page may begin behind this many rows at most, and near a point a cursor too.
    ///
    /// All rows before it are found anew. Near a point the total of pages by their number counts no more than these.
    package static let maximumOffset = 10_000
    package static let wordsLength = 1...200

    package init() {}

    /// All errors of the query for a table.
    ///
    /// - Returns: Errors with the names that the API gives the query's parts; empty when it can be answered.
    package func errors(for table: ContentTable) -> [FieldError] {
        equalityErrors(table) + nearErrors(table) + timeErrors(table) + textErrors(table) + pageErrors
    }

    // MARK: - Private

    private func equalityErrors(_ table: ContentTable) -> [FieldError] {
        var errors: [FieldError] = []
        if equalities.count > Self.maximumEqualityCount {
            errors.append(FieldError(field: "where", problem: "must be at most \(Self.maximumEqualityCount) fields"))
        }
        for equality in equalities {
            let field = table.field(equality.field)
            if field?.isIndexed != true, equality.field != table.key {
                let names = ([table.key] + table.fields.filter(\.isIndexed).map(\.name)).joined(separator: ", ")
                errors.append(FieldError(field: "where", problem: "must name an indexed field, one of \(names)"))
            } else if !(1...Equality.maximumValueCount).contains(equality.values.count) {
                errors.append(
                    FieldError(
                        field: "where",
                        problem: "must have 1 through \(Equality.maximumValueCount) values a field"
                    )
                )
            } else if equality.values.contains(where: { $0.utf8.contains(0) }) {
                // No row has such a text, and a database refuses it.
                errors.append(FieldError(field: "where", problem: "must have no value with a NUL character"))
            } else if let field, let wanted = field.type.wanted(instead: equality.values) {
                let problem = "must have \(wanted) for \(field.name), which is of the type \(field.type.rawValue)"
                errors.append(FieldError(field: "where", problem: problem))
            }
        }
        return errors
    }

    private func nearErrors(_ table: ContentTable) -> [FieldError] {
        guard let near else { return [] }
        var errors: [FieldError] = []
        if table.positionIndex == nil {
            errors.append(FieldError(field: "near", problem: "must be left out: the table has no position"))
        }
        if !(near.radius > 0 && near.radius <= Near.maximumRadius) {
            errors.append(
                FieldError(
                    field: "radius",
                    problem: "must be more than 0 and at most \(Int(Near.maximumRadius)) metres"
                )
            )
        }
        return errors
    }

    private func timeErrors(_ table: ContentTable) -> [FieldError] {
        guard let times else { return [] }
        var errors: [FieldError] = []
        if table.field(times.field)?.type != .time {
            errors.append(FieldError(field: "time", problem: "must name a field of the type time"))
        }
        if let end = times.end, table.field(end)?.type != .time {
            errors.append(FieldError(field: "ending", problem: "must name a field of the type time"))
        }
        if let from = times.from, let until = times.until, from >= until {
            errors.append(FieldError(field: "until", problem: "must be after from"))
        }
        return errors
    }

    private func textErrors(_ table: ContentTable) -> [FieldError] {
        guard let words else { return [] }
        var errors: [FieldError] = []
        if !table.fields.contains(where: \.isSearchable) {
            errors.append(FieldError(field: "words", problem: "must be left out: no field of the table is searchable"))
        }
        if let problem = TextLimit(Self.wordsLength).problem(of: words) {
            errors.append(FieldError(field: "words", problem: problem))
        } else if SearchTerms.terms(ofQuery: words).isEmpty {
            errors.append(FieldError(field: "words", problem: "must have letters or digits"))
        }
        return errors
    }

    private var pageErrors: [FieldError] {
        var errors: [FieldError] = []
        if !(1...Self.maximumLimit).contains(limit) {
            errors.append(FieldError(field: "limit", problem: "must be 1 through \(Self.maximumLimit)"))
        }
        if case .page(let number) = part, number < 1 || (number - 1) > Self.maximumOffset / max(1, limit) {
            errors.append(
                FieldError(
                    field: "page",
                    problem:
                        "must be at least 1 and begin within the first \(Self.maximumOffset) rows; use a cursor beyond"
                )
            )
        }
        return errors
    }
}

extension ContentFieldType {
    /// What a condition has to have instead of values that no row of a field of this type has; `nil` when they fit.
    fileprivate func wanted(instead values: [String]) -> String? {
        switch self {
        case .integer: values.allSatisfy { text in Int64(text).map { String($0) == text } ?? false } ? nil : "integers"
        case .boolean: values.allSatisfy { $0 == "true" || $0 == "false" } ? nil : "true or false"
        case .text, .number, .time, .position, .url, .list, .json: nil
        }
    }
}

/// Where a page ended: in a version of a table, after a row, or after a number of rows near a point.
package struct ContentCursor: Hashable, Sendable, CustomStringConvertible {
    /// The version of the table.
    package var slot: Int64
    /// The number of the last row; near a point, how many rows came before.
    package var place: Int64

    package init(slot: Int64, place: Int64) {
        self.slot = slot
        self.place = place
    }

    /// - Returns: `nil` for what is no cursor, a place behind all rows of a table among it.
    package init?(_ text: String) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 2, text.utf8.count <= 40, let slot = Int64(parts[0]), let place = Int64(parts[1]),
            slot > 0, (0...Int64(ContentTable.maximumRowCount)).contains(place),
            parts.allSatisfy({ $0.utf8.allSatisfy { (0x30...0x39).contains($0) } })
        else { return nil }
        self.init(slot: slot, place: place)
    }

    package var description: String { "\(slot).\(place)" }
}

/// A page of rows.
package struct ContentPage: Hashable, Sendable {
    package struct Item: Hashable, Sendable {
        /// The row as JSON text, as it was stored.
        package var document: String
        /// Metres to the point that was asked for.
        package var distance: Double?

        package init(document: String, distance: Double? = nil) {
            self.document = document
            self.distance = distance
        }
    }

    package var items: [Item]
    /// Where the next page begins; `nil` after the last one.
    package var next: ContentCursor?
    /// How many rows there are in all pages; only for a page by its number.
    package var total: Int?

    package init(items: [Item], next: ContentCursor?, total: Int? = nil) {
        self.items = items
        self.next = next
        self.total = total
    }
}
