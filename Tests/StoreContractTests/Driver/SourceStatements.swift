import Foundation

/// The statements in the sources of the store and of the SQL library.
enum SourceStatements {
    struct Statement {
        var file: String
        /// Without line breaks.
        var text: String
    }

    /// All that read, except those of migrations and composed ones.
    static func reading() throws -> [Statement] {
        try all().filter { $0.text.hasPrefix("SELECT ") || $0.text.hasPrefix("WITH ") }
    }

    /// All that read or write rows, except those of migrations and composed ones.
    static func all() throws -> [Statement] {
        try targets.flatMap { target in
            let sources = try sources(of: target)
            let columns = SourceColumns(sources.map(\.text))
            return sources.flatMap { statements(in: $0, columns) }
        }
    }

    /// Columns that are named by an enum outside of all these, in statements that are put together from parts.
    static func columnsOfParts() throws -> [(file: String, columns: [String])] {
        try targets.flatMap { target in
            let sources = try sources(of: target)
            let columns = SourceColumns(sources.map(\.text))
            return sources.flatMap { source in
                let whole = statements(in: source, columns).map(\.text)
                return columns.expansions(of: source.text).filter { part in !whole.contains { $0.contains(part.text) } }
                    .map { (file: source.file, columns: $0.columns) }
            }
        }
    }

    /// Columns of an enum that stands in no source as ``SourceColumns`` reads it.
    static func unknownColumns() throws -> [String] {
        try targets.flatMap { target in
            let sources = try sources(of: target)
            let columns = SourceColumns(sources.map(\.text))
            return sources.flatMap { source in
                columns.expand(source.text).matches(of: #/\\\(\w+\.(list|parameters|assignments)\b[^\n]*/#)
                    .map { "\(source.file): \($0.output.0)" }
            }
        }
    }

    private static let targets = ["CarillonSQL", "CarillonStore"]

    private static func sources(of target: String) throws -> [(file: String, text: String)] {
        let root = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../../Sources/" + target).standardized
        let files = FileManager.default.enumerator(atPath: root.path)?.compactMap { $0 as? String } ?? []
        return try files.sorted().filter { $0.hasSuffix(".swift") && !$0.hasPrefix("Migrations/") }.map { file in
            let lines = try String(contentsOf: root.appending(path: file), encoding: .utf8).split(separator: "\n")
            // Comments name statements too.
            let code = lines.filter { !$0.drop { $0 == " " }.hasPrefix("//") }
            return (file: file, text: code.joined(separator: "\n"))
        }
    }

    private static func statements(in source: (file: String, text: String), _ columns: SourceColumns) -> [Statement] {
        literals(of: columns.expand(source.text)).filter(isStatement).map { Statement(file: source.file, text: $0) }
    }

    private static func isStatement(_ text: String) -> Bool {
        let beginnings = ["SELECT ", "WITH ", "INSERT INTO ", "UPDATE ", "DELETE FROM "]
        guard beginnings.contains(where: text.hasPrefix) else { return false }
        // A text that ends with a space, or has an interpolation, is a part; composed statements have tests of their
        // own.
        return !text.contains("\\(") && !text.hasSuffix("=") && !text.hasSuffix("(") && !text.hasSuffix("FROM")
    }

    /// The texts in quotation marks, single or triple.
    private static func literals(of source: String) -> [String] {
        var literals: [String] = []
        for (place, part) in source.components(separatedBy: "\"\"\"").enumerated() {
            if place % 2 == 1 {
                literals.append(part)
            } else {
                for line in part.split(separator: "\n") {
                    for (place, text) in line.components(separatedBy: "\"").enumerated() where place % 2 == 1 {
                        literals.append(text)
                    }
                }
            }
        }
        return literals.map { $0.split(whereSeparator: \.isWhitespace).joined(separator: " ") }
    }
}

extension SourceStatements.Statement {
    var isForSQLite: Bool {
        let marks = [
            "pg_", "unnest(", "LATERAL", "FOR UPDATE", "FOR KEY SHARE", "_timestamp()", "set_config", "_rest ",
            "json_array_elements", "current_setting", "commit_marks", "FROM nodes ", "UPDATE nodes ",
        ]
        return isWhole && !marks.contains { text.contains($0) }
    }

    var isForPostgreSQL: Bool {
        let marks = [
            "json_each", "json_extract", "sqlite_", "FROM (SELECT 1 FROM user_erasures", "RECURSIVE places",
            "content_places", "pragma_",
        ]
        return isWhole && !marks.contains { text.contains($0) }
    }

    /// Whether it is not the beginning of a composed statement.
    private var isWhole: Bool { !text.hasSuffix("WHERE") }
}

/// The parts of a statement that determine its maximum number of rows.
struct ReadingShape {
    /// The text without its parentheses; lists are marked.
    private let flat: String
    /// The content of parentheses after `FROM` and `JOIN`.
    private let subqueries: [String]

    init(_ text: String) {
        var text = text.replacing(#/IN \(SELECT (\w+\.)?value FROM json_each\(\$\d+\)( \w+)?\)/#, with: "= LIST")
        let values = #/= ANY\(ARRAY\(SELECT unnest\(CAST\(CAST\(\$\d+ AS TEXT\) AS \w+\[\]\)\)\)\)/#
        text = text.replacing(values, with: "= LIST")
        // A function that returns the rows of a list, with its argument, whose parentheses are at most two deep.
        let list = #/(json_each|unnest|json_array_elements_text)\([^()]*(\([^()]*(\([^()]*\))?[^()]*\))*[^()]*\)/#
        text = text.replacing(list, with: "LIST")
        var (flat, inner, subqueries, depth) = ("", "", [String](), 0)
        for character in text {
            if character == ")" {
                depth -= 1
                if depth == 0 {
                    let isTable = flat.contains(#/(FROM|JOIN|LATERAL) \($/#)
                    if isTable, inner.hasPrefix("SELECT ") { subqueries.append(inner) }
                    inner = ""
                }
            }
            if depth == 0 { flat.append(character) } else { inner.append(character) }
            if character == "(" {
                depth += 1
            }
        }
        self.flat = flat
        self.subqueries = subqueries
    }

    func isBounded(by keys: UniqueKeys) -> Bool {
        if flat.contains(" LIMIT ") { return true }
        if flat.hasPrefix("WITH ") { return false }
        let parts = flat.components(separatedBy: " UNION ALL ")
        if parts.count > 1 { return parts.allSatisfy { ReadingShape($0).isBounded(by: keys) } }
        return isAggregate || isKeyed(by: keys)
    }

    /// Whether it returns one row: all columns are aggregates, and there are no groups.
    private var isAggregate: Bool {
        guard flat.contains(" FROM ") else { return true }
        guard !flat.contains(" GROUP BY "), let end = flat.firstRange(of: " FROM ") else { return false }
        let columns = flat[flat.index(flat.startIndex, offsetBy: 7)..<end.lowerBound]
        return columns.components(separatedBy: ", ").allSatisfy {
            $0.wholeMatch(of: #/(?i)(count|max|min|sum|coalesce|cast)\(\)( [+\-] \d+)?( AS \w+)?/#) != nil
        }
    }

    /// Whether every table is found by a whole unique key, or by a list of keys.
    private func isKeyed(by keys: UniqueKeys) -> Bool {
        guard !flat.contains(" OR "), !flat.contains(" GROUP BY ") else { return false }
        var subqueries = subqueries[...]
        // The table, and its alias.
        let tables = #/(?:FROM|JOIN|LATERAL) (\(\)|\w+)(?: AS)?(?: (?!WHERE|ON|JOIN|LEFT|CROSS|ORDER|LATERAL)(\w+))?/#
        for match in flat.matches(of: tables) {
            let (table, alias) = (String(match.1), match.2.map(String.init) ?? String(match.1))
            if table == "LIST" || table == "LATERAL" { continue }
            if table == "()" {
                guard let inner = subqueries.popFirst(), ReadingShape(inner).isBounded(by: keys) else { return false }
                continue
            }
            guard let known = keys.columns[table] else { return false }
            let equated = flat.matches(of: #/(?:(\w+)\.)?(\w+) = [$\w]/#)
                .filter { $0.1.map { String($0) == alias } ?? true }.map { String($0.2) }
            guard known.contains(where: { $0.isSubset(of: equated) }) else { return false }
        }
        return true
    }
}
