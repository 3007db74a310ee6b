import CarillonModel
import Hummingbird

/// The query of a call, read by the vendor's rules: unknown names are ignored, and of a repeated one the first counts.
struct ToastQuery {
    private let values: [String: String]

    init(_ request: Request) {
        values = Dictionary(request.uri.queryParameters.map { (String($0), String($1)) }) { first, _ in first }
    }

    /// A value; `nil` when it is missing or empty.
    subscript(_ name: String) -> String? { values[name].flatMap { $0.isEmpty ? nil : $0 } }

    func required(_ name: String) throws -> String {
        guard let text = self[name] else { throw ToastFailure(.empty, name) }
        return text
    }

    /// A whole number; clamped to a range, as the vendor's lists do with large pages.
    func number(_ name: String, _ standard: Int, _ range: ClosedRange<Int>) throws -> Int {
        guard let text = self[name] else { return standard }
        guard let number = Int(text) else { throw ToastFailure(.malformed, name, text) }
        guard number >= range.lowerBound else { throw ToastFailure(.invalid, name, text) }
        return min(number, range.upperBound)
    }

    /// The elements of a list with commas between them; empty when it is missing.
    func list(_ name: String) -> [String] {
        (self[name] ?? "").split(separator: ",", omittingEmptySubsequences: true).map {
            String($0).trimmingPrefix { $0 == " " }.description
        }
    }

    func word<Word: RawRepresentable<String>>(_ name: String, _: Word.Type = Word.self) throws -> Word? {
        guard let text = self[name] else { return nil }
        guard let word = Word(rawValue: text) else { throw ToastFailure(.invalid, name, text) }
        return word
    }

    /// A 64-bit id.
    func id(_ name: String) throws -> Int64? {
        guard let text = self[name] else { return nil }
        guard let id = Int64(text), id >= 0 else { throw ToastFailure(.malformed, name, text) }
        return id
    }
}

/// Which part of a list a call asks for.
struct ToastPage {
    /// How many rows a list of pages goes through at most, since each page is found by those before it.
    static let furthest = 10_000
    /// How many parts of a list with cursors are read for a page at most: one without a row looked at much.
    static let furthestPart = 1_000

    var skipped: Int
    var size: Int

    /// `pageIndex` from 0 and `pageSize`, 25 by default and 100 at most.
    init(index query: ToastQuery) throws {
        let index = try query.number("pageIndex", 0, 0...1_000_000)
        size = try query.number("pageSize", 25, 1...100)
        skipped = index * size
        try check()
    }

    /// `pageNumber` from 1 and `limit`, 100 by default and at most.
    init(number query: ToastQuery) throws {
        let number = try query.number("pageNumber", 1, 1...1_000_000)
        size = try query.number("limit", 100, 1...100)
        skipped = (number - 1) * size
        try check()
    }

    private func check() throws {
        guard skipped + size <= Self.furthest else {
            let problem = "pages reach \(Self.furthest) rows"
            throw ToastFailure(.tooManyResults, "totalCount", "\(skipped + size)", problem: problem)
        }
    }

    /// Collects the rows of the page from a list with cursors.
    ///
    /// - Parameter next: Returns the rows after a cursor.
    /// - Returns: The rows.
    /// - Throws: What `next` throws; too many results when the page is beyond ``furthestPart`` parts.
    func rows<Row>(_ next: (_ cursor: String?) async throws -> (rows: [Row], cursor: String?)) async throws -> [Row] {
        var found: [Row] = []
        var cursor: String?
        for _ in 0..<Self.furthestPart {
            let part = try await next(cursor)
            found += part.rows
            guard found.count < skipped + size, let following = part.cursor else {
                return Array(found.dropFirst(skipped).prefix(size))
            }
            cursor = following
        }
        throw ToastFailure(.tooManyResults, "totalCount", "\(found.count)")
    }
}
