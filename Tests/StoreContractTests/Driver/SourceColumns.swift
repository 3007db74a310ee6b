/// The enums of columns that stand in sources: a statement that names one is read as the database reads it.
///
/// Otherwise whatever is asked of statements would pass over those.
struct SourceColumns {
    /// The expansion of an interpolation such as `\(XColumn.list)`.
    struct Expansion {
        var text: String
        /// The columns in it that are no expressions.
        var columns: [String]
    }

    private struct Column {
        /// The case's name, and the column's in the schema.
        var name: Substring
        var schemaName: String
        /// The enum's expression in place of the column, if any.
        var expression: String?
    }

    private let shared: [Substring: [Column]]

    init(_ sources: [String]) {
        shared = sources.reduce(into: [:]) { all, source in all.merge(Self.enums(of: source)) { $1 } }
    }

    /// Puts columns in the place of `\(XColumn.list)` and its like.
    func expand(_ source: String) -> String {
        let enums = enums(for: source)
        return source.replacing(Self.interpolation) { match in
            Self.expansion(of: match.output, enums)?.text ?? String(match.output.0)
        }
    }

    /// What ``expand(_:)`` puts into a source, but for parameters.
    func expansions(of source: String) -> [Expansion] {
        let enums = enums(for: source)
        return source.matches(of: Self.interpolation).filter { $0.output.2 != "parameters" }
            .compactMap { Self.expansion(of: $0.output, enums) }
    }

    // MARK: - Private

    private typealias Interpolation = (Substring, Substring, Substring, Substring?, Substring?, Substring?)

    private static var interpolation: Regex<Interpolation> {
        #/\\\((\w+)\.(list|parameters|assignments)(?:\((of|through): (?:"(\w+)"|\.(\w+))\))?\)/#
    }

    /// A file's own come first.
    private func enums(for source: String) -> [Substring: [Column]] {
        shared.merging(Self.enums(of: source)) { $1 }
    }

    private static func enums(of source: String) -> [Substring: [Column]] {
        var enums: [Substring: [Column]] = [:]
        for match in source.matches(of: #/enum (\w+): Int, SQLColumn \{((?:\s*(?:\/\/[^\n]*|case [\w, ]+))+)/#) {
            let expressions = expressions(of: source[match.range.upperBound...])
            enums[match.output.1] = match.output.2.matches(of: #/case ([\w, ]+)/#).flatMap { list in
                list.output.1.split(separator: ",").map { part in
                    let name = part.trimming(while: \.isWhitespace)
                    return Column(name: name, schemaName: schemaName(name), expression: expressions[name])
                }
            }
        }
        return enums
    }

    /// The expressions of an enum's `sql` by case, up to the enum's end.
    private static func expressions(of rest: Substring) -> [Substring: String] {
        var depth = 1
        let body = rest.prefix { character in
            depth += character == "{" ? 1 : character == "}" ? -1 : 0
            return depth > 0
        }
        let cases = #/((?:\.\w+(?:,\s*)?)+)(?: \?|:)\s+(?:"""\s*((?:[^"]|"(?!""))*?)\s*"""|"((?:\\.|[^"\\])*)")/#
        var expressions: [Substring: String] = [:]
        for match in body.matches(of: cases) {
            let words = (match.output.2 ?? match.output.3 ?? "").split(whereSeparator: \.isWhitespace)
            let text = words.joined(separator: " ").replacing("\\\"", with: "\"")
            for name in match.output.1.matches(of: #/\.(\w+)/#).map(\.output.1) {
                expressions[name] = text.replacing(#"\(name)"#, with: schemaName(name))
            }
        }
        return expressions
    }

    private static func expansion(of match: Interpolation, _ enums: [Substring: [Column]]) -> Expansion? {
        guard let all = enums[match.1] else { return nil }
        let last = match.5.flatMap { last in all.firstIndex { $0.name == last } }
        let columns = last.map { Array(all[...$0]) } ?? all
        let texts = columns.enumerated().map { place, column in
            switch match.2 {
            case "parameters": "$\(place + 1)"
            case "assignments": "\(column.expression ?? column.schemaName) = $\(place + 1)"
            default: column.expression ?? match.4.map { "\($0).\(column.schemaName)" } ?? column.schemaName
            }
        }
        let plain = columns.filter { $0.expression == nil }.map(\.schemaName)
        return Expansion(text: texts.joined(separator: ", "), columns: plain)
    }

    private static func schemaName(_ name: Substring) -> String {
        name.replacing(#/([a-z0-9])([A-Z])/#) { "\($0.output.1)_\($0.output.2)" }.lowercased()
    }
}

extension Substring {
    fileprivate func trimming(while isLeftOut: (Character) -> Bool) -> Substring {
        var text = drop(while: isLeftOut)
        while let last = text.last, isLeftOut(last) { text.removeLast() }
        return text
    }
}
