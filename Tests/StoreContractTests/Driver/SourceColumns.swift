/// The enums of columns that stand in sources: a statement that names one is read as the database reads it.
///
/// Otherwise whatever is asked of statements would pass over those.
struct SourceColumns {
    private var columns: [Substring: [String]] = [:]

    init(_ sources: [String]) {
        for source in sources {
            for match in source.matches(of: #/enum (\w+): Int, SQLColumn \{((?:\s*(?:\/\/[^\n]*|case [\w, ]+))+)/#) {
                let cases = match.output.2.matches(of: #/case ([\w, ]+)/#).flatMap { list in
                    list.output.1.split(separator: ",").map { Self.name($0.trimming(while: \.isWhitespace)) }
                }
                columns[match.output.1] = cases
            }
        }
    }

    /// Puts columns in the place of `\(XColumn.list)` and its like.
    func expand(_ source: String) -> String {
        let interpolation = #/\\\((\w+)\.(list|parameters|assignments)(?:\((of|through): (?:"(\w+)"|\.(\w+))\))?\)/#
        return source.replacing(interpolation) { match in
            guard let all = columns[match.output.1] else { return String(match.output.0) }
            let last = match.output.5.map { Self.name($0) }
            let names = last.flatMap { all.firstIndex(of: $0) }.map { Array(all[...$0]) } ?? all
            let texts = names.enumerated().map { place, name in
                switch match.output.2 {
                case "parameters": "$\(place + 1)"
                case "assignments": "\(name) = $\(place + 1)"
                default: match.output.4.map { "\($0).\(name)" } ?? name
                }
            }
            return texts.joined(separator: ", ")
        }
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
