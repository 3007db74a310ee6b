import CarillonEngine
import CarillonModel

/// Times as the vendor writes them: ISO 8601 with milliseconds, in Korea's time.
enum ToastDate {
    private static let offset = Int64(9 * 3_600_000)
    /// How far back a range may reach.
    static let reach = Duration.seconds(30 * 86_400)
    /// The zone of schedules that are not local.
    static let zone = "Asia/Seoul"

    static func text(_ time: Timestamp) -> JSONValue {
        let shifted = Timestamp(rawValue: time.rawValue + offset)
        return .string(shifted.description.dropLast() + "+09:00")
    }

    static func text(_ time: Timestamp?) -> JSONValue { time.map(text) ?? .null }

    /// Parses a time with seconds or without, with an offset or, without one, in Korea's time.
    ///
    /// - Parameters:
    ///   - text: The text.
    ///   - isEnd: Whether the whole minute belongs to it when there are no seconds.
    /// - Returns: `nil` for anything else.
    static func time(_ text: String, isEnd: Bool = false) -> Timestamp? {
        guard text.utf8.count <= 40, let start = text.firstIndex(of: "T") else { return nil }
        let clock = text[text.index(after: start)...]
        let end = clock.firstIndex { "+-Z".contains($0) } ?? text.endIndex
        var digits = String(text[..<end])
        if clock[..<end].split(separator: ":").count == 2 { digits += isEnd ? ":59.999" : ":00" }
        return Timestamp(digits + (end == text.endIndex ? "+09:00" : text[end...]))
    }

    /// The range of a query: `from` and `to`, each optional, at most thirty days back.
    ///
    /// - Parameters:
    ///   - query: The query.
    ///   - usual: How long before `to` it begins when `from` is missing.
    ///   - now: The time.
    ///   - names: The names of both ends.
    /// - Returns: The first instant, and the one after the last.
    /// - Throws: A failure that names the wrong end.
    static func range(
        _ query: ToastQuery,
        usual: Duration = reach,
        now: Timestamp,
        names: (from: String, to: String) = ("from", "to")
    ) throws -> Range<Timestamp> {
        // Requests take a while: a range of exactly thirty days is served.
        let oldest = now.advanced(by: .zero - reach - .seconds(60))
        let from = try end(query, names.from, isEnd: false)
        let to = try end(query, names.to, isEnd: true)
        if let from, from < oldest {
            throw ToastFailure(.invalid, names.from, query[names.from], problem: "it is at most thirty days ago")
        }
        let until = (to ?? now).advanced(by: .milliseconds(1))
        let begin = max(from ?? until.advanced(by: .zero - usual), oldest)
        guard begin < until else {
            throw ToastFailure(.invalid, names.to, query[names.to], problem: "it is before \(names.from)")
        }
        return begin..<until
    }

    private static func end(_ query: ToastQuery, _ name: String, isEnd: Bool) throws -> Timestamp? {
        guard let text = query[name] else { return nil }
        guard let time = time(text, isEnd: isEnd) else { throw ToastFailure(.malformed, name, text) }
        return time
    }
}

extension JSONValue {
    /// An id as the vendor returns it twice: a number, and a text for callers whose numbers are floating-point.
    static func ids(_ name: String, _ id: Int64) -> [String: JSONValue] {
        [name: .integer(id), name + "String": .string(String(id))]
    }
}
