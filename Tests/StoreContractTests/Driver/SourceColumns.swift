/// The enums of columns in the sources, to read a statement that names one as the database does.
///
/// Without them the checks would skip those statements.
struct SourceColumns {
    private struct Column {
        var name: String
        /// What the enum's `sql` has in the column's place.
        var expression: String?
    }

    private var columns: [Substring: [Column]] = [:]

    init(_ sources: [String]) {
        for source in sources {
            for match in source.matches(of: #/enum (\w+): Int, SQLColumn \{((?:\s*(?:\/\/[^\n]*|case [\w, ]+))+)/#) {
                let expressions = Self.expressions(in: source[match.range.upperBound...])
                columns[match.output.1] = match.output.2.matches(of: #/case ([\w, ]+)/#).flatMap { list in
                    list.output.1.split(separator: ",").map { name in
                        let name = name.trimming(while: \.isWhitespace)
                        return Column(name: Self.name(name), expression: expressions[name])
                    }
                }
            }
        }
    }

    /// Replaces `\(XColumn.list)` and similar interpolations by columns.
    func expand(_ source: String) -> String {
        let interpolation = #/\\\((\w+)\.(list|parameters|assignments)(?:\((of|through): (?:"(\w+)"|\.(\w+))\))?\)/#
        return source.replacing(interpolation) { match in
            guard let all = columns[match.output.1] else { return String(match.output.0) }
            let last = match.output.5.map { Self.name($0) }
            let columns = last.flatMap { last in all.firstIndex { $0.name == last } }.map { all[...$0] } ?? all[...]
            let texts = columns.enumerated().map { place, column in
                switch match.output.2 {
                case "parameters": "$\(place + 1)"
                case "assignments": "\(column.expression ?? column.name) = $\(place + 1)"
                default: column.expression ?? match.output.4.map { "\($0).\(column.name)" } ?? column.name
                }
            }
            return texts.joined(separator: ", ")
        }
    }

    /// The texts of an enum's `sql`, by case.
    private static func expressions(in rest: Substring) -> [Substring: String] {
        var depth = 1
        let body = rest.prefix { character in
            depth += character == "{" ? 1 : character == "}" ? -1 : 0
            return depth > 0
        }
        let texts = body.matches(of: #/(?:case|==) \.(\w+)(?::| \?)\s*(?:"""(.*?)"""|"(.*?)")/#.dotMatchesNewlines())
        return Dictionary(texts.map { ($0.output.1, String($0.output.2 ?? $0.output.3 ?? "")) }) { first, _ in first }
    }

    private static func name(_ column: Substring) -> String {
        column.replacing(#/([a-z0-9])([A-Z])/#) { "\($0.output.1)_\($0.output.2)" }.lowercased()
    }
}

extension Substring {
    fileprivate func trimming(while isLeftOut: (Character) -> Bool) -> Substring {
        var text = drop(while: isLeftOut)
        while let last = text.last, isLeftOut(last) { text.removeLast() }
        return text
    }
}
