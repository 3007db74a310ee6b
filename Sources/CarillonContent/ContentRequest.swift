import Carillon
import CarillonModel
import Foundation

/// A request for public data, and what its answer is stored by.
struct ContentRequest: Hashable, Sendable {
    /// The path after the server's address.
    let path: String
    /// The query, percent-encoded; `nil` for none.
    let query: String?
    /// The request as the store knows it.
    let text: String
    /// The same for places beside, whose answers serve when this one has none.
    private(set) var neighbours: [String] = []

    /// Makes a request.
    ///
    /// - Parameters:
    ///   - set: The content set's name, checked.
    ///   - what: What of the set.
    ///   - parameters: Names and values of the query.
    init(_ set: String, _ what: String, _ parameters: [(String, String)]) {
        path = "v1/content-sets/\(set)/\(what)"
        let query = Self.encoded(parameters)
        self.query = query.isEmpty ? nil : query
        text = path + "?" + query
    }

    /// Makes a request for rows.
    ///
    /// - Parameters:
    ///   - set: The content set's name, checked.
    ///   - table: The table's name; `nil`: the only one.
    ///   - query: Which rows, checked.
    ///   - cursor: Where the page begins; `nil`: at the first row.
    init(_ set: String, table: String?, _ query: ContentQuery, after cursor: String?) {
        path = "v1/content-sets/\(set)/rows"
        let path = self.path
        let parameters = { (place: String?) in
            var all: [(String, String)] = []
            if let table { all.append(("table", table)) }
            all += query.conditions
            if let place { all += [("near", place), ("radius", String(query.radius))] }
            all.append(("limit", String(query.limit)))
            if let cursor { all.append(("cursor", cursor)) }
            return Self.encoded(all)
        }
        // Five decimals are a metre.
        self.query = parameters(query.place.map { Self.text($0.rounded(decimals: 5)) })
        guard let place = query.place else {
            text = path + "?" + parameters(nil)
            return
        }
        // A phone is never twice at the same place: an answer serves within some hundred metres.
        let cells = Self.cells(around: place).map { path + "?" + parameters(Self.text($0)) }
        text = cells[0]
        neighbours = Array(cells.dropFirst())
    }

    /// The name of the answer's file.
    var fileName: String { Self.fileName(text) }

    static func fileName(_ text: String) -> String { hexadecimal(Checksum.of(text.utf8)) + ".json" }

    // MARK: - Private

    /// The cell of three decimals that a place is in, and those around it, the nearest first.
    private static func cells(around place: ContentPlace) -> [ContentPlace] {
        let cell = place.rounded(decimals: 3)
        let all = [-0.001, 0, 0.001].flatMap { north in
            [-0.001, 0, 0.001].map { east in
                ContentPlace(latitude: cell.latitude + north, longitude: cell.longitude + east).rounded(decimals: 3)
            }
        }
        return all.sorted { $0.distance(to: place) < $1.distance(to: place) }
    }

    private static func text(_ place: ContentPlace) -> String { "\(place.latitude),\(place.longitude)" }

    private static func encoded(_ parameters: [(String, String)]) -> String {
        parameters.map { $0.0 + "=" + ($0.1.addingPercentEncoding(withAllowedCharacters: unreserved) ?? "") }
            .joined(separator: "&")
    }

    /// Those of RFC 3986 that need no encoding anywhere.
    private static let unreserved = CharacterSet(
        charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~"
    )
}

extension ContentQuery {
    /// The conditions but for the place, as the API has them, in a fixed order.
    fileprivate var conditions: [(String, String)] {
        var all: [(String, String)] = []
        if !values.isEmpty { all.append(("where", Self.text(values))) }
        if let words { all.append(("words", words)) }
        if let time { all.append(("time", time)) }
        if let from { all.append(("from", from.description)) }
        if let until { all.append(("until", until.description)) }
        return all
    }

    private static func text(_ values: [String: [String]]) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return (try? encoder.encode(values)).map { String(decoding: $0, as: UTF8.self) } ?? "{}"
    }

    /// What a follow without a name is named by: the same query has one name on all phones.
    func followName(table: String?) -> String {
        var parts = [table ?? "", Self.text(values.mapValues { $0.sorted() }), words ?? ""]
        if let place = place?.rounded(decimals: 5) { parts.append("\(place.latitude),\(place.longitude),\(radius)") }
        return "query-" + hexadecimal(Checksum.of(parts.joined(separator: "\n").utf8))
    }

    // MARK: - Checks

    /// Checks what the server would refuse, whatever the table is.
    func check() throws(CarillonError) {
        guard values.count <= 8, values.values.allSatisfy({ (1...50).contains($0.count) }) else {
            throw .invalidArgument("a query has at most 8 fields, each with 1 through 50 values")
        }
        guard place?.isValid != false else {
            throw .invalidArgument("a place has a latitude of -90 through 90 and a longitude of -180 through 180")
        }
        guard radius > 0, radius <= 200_000 else {
            throw .invalidArgument("a radius is more than 0 and at most 200,000 metres")
        }
        guard (words?.count).map((1...200).contains) ?? true else {
            throw .invalidArgument("words have 1 through 200 characters")
        }
        guard time != nil || (from == nil && until == nil) else {
            throw .invalidArgument("from and until need the name of a field, time")
        }
        guard (1...200).contains(limit) else { throw .invalidArgument("a page has at most 1 through 200 rows") }
    }

    /// Checks that it can be followed.
    func checkForFollow() throws(CarillonError) {
        try check()
        guard time == nil else { throw .invalidArgument("a follow has no times") }
    }
}

/// Names that become parts of a path.
enum ContentName {
    /// Checks a set's name.
    static func checkedSet(_ name: String) throws(CarillonError) -> String {
        guard isName(name, length: 1...64) else {
            throw .invalidArgument("a content set's name has 1 through 64 letters, digits, hyphens and underscores")
        }
        return name
    }

    /// Checks a follow's name.
    static func checkFollow(_ name: String) throws(CarillonError) {
        guard isName(name, length: 1...100) else {
            throw .invalidArgument("a follow's name has 1 through 100 letters, digits, hyphens, dots and underscores")
        }
    }

    private static func isName(_ name: String, length: ClosedRange<Int>) -> Bool {
        let isWritten = name.utf8.allSatisfy { byte in
            (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
                || byte == 0x2D || byte == 0x2E || byte == 0x5F
        }
        // Dots alone are another path.
        return length.contains(name.utf8.count) && isWritten && !name.utf8.allSatisfy { $0 == 0x2E }
    }
}
