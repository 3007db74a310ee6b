import CarillonEngine
import CarillonModel
import CarillonOperatorModel

/// The body of E12: days and times, expanded to local times.
struct ToastRecurrence {
    /// How many days ahead a time may be.
    private static let furthest = 60

    private enum Kind: String, CaseIterable { case daily = "EVERY_DAY", weekly = "EVERY_WEEK", monthly = "EVERY_MONTH" }

    /// The times in order, each once.
    let times: [WallTime]

    init(_ fields: ToastFields, now: Timestamp) throws {
        guard let kind = try fields.word("type", Kind.self) else { throw fields.failure(.empty, "type") }
        let (from, to) = (try Self.day(fields, "fromDate"), try Self.day(fields, "toDate"))
        guard from <= to else { throw fields.failure(.invalid, "toDate", problem: "it is before fromDate") }
        // Nine hours ahead: today in Korea.
        let today = CalendarDay(number: Int((now.rawValue + 9 * 3_600_000) / 86_400_000))
        guard to <= today.advanced(by: Self.furthest) else {
            throw fields.failure(.invalid, "toDate", problem: "it is at most \(Self.furthest) days ahead")
        }
        guard from >= today.advanced(by: -Self.furthest) else {
            throw fields.failure(.invalid, "fromDate", problem: "it is at most \(Self.furthest) days ago")
        }
        let clocks = try Self.clocks(fields)
        let matches = try Self.days(kind, fields)
        let days = (from.number...to.number).map { CalendarDay(number: $0) }.filter(matches)
        times = days.flatMap { day in clocks.map { WallTime(day, $0) } }
        guard times.count <= Schedule.maximumTimeCount else {
            let problem = "at most \(Schedule.maximumTimeCount) times in all"
            throw ToastFailure(.maximumExceeded, "times", "\(times.count)", problem: problem)
        }
    }

    private static func day(_ fields: ToastFields, _ name: String) throws -> CalendarDay {
        guard let text = try fields.text(name) else { throw fields.failure(.empty, name) }
        guard let day = CalendarDay(text) else { throw fields.failure(.malformed, name) }
        return day
    }

    private static func clocks(_ fields: ToastFields) throws -> [TimeOfDay] {
        guard let listed = try fields.texts("times"), !listed.isEmpty else { throw fields.failure(.empty, "times") }
        let times = try listed.map { text in
            guard let time = TimeOfDay(text) else { throw ToastFailure(.malformed, "times", text) }
            return time
        }
        return Array(Set(times)).sorted()
    }

    private static func days(_ kind: Kind, _ fields: ToastFields) throws -> (CalendarDay) -> Bool {
        switch kind {
        case .daily: return { _ in true }
        case .weekly:
            guard let listed = try fields.texts("daysOfWeek"), !listed.isEmpty else {
                throw fields.failure(.empty, "daysOfWeek")
            }
            let weekdays = try listed.map { text in
                guard let day = Weekday(rawValue: text.lowercased()), text == text.uppercased() else {
                    throw ToastFailure(.invalid, "daysOfWeek", text, problem: "it is MONDAY through SUNDAY")
                }
                return day
            }
            return { weekdays.contains($0.weekday) }
        case .monthly:
            guard let listed = fields["days"]?.array, !listed.isEmpty else { throw fields.failure(.empty, "days") }
            let days = try listed.map { value in
                guard let day = value.integer, (1...31).contains(day) else {
                    throw fields.failure(.invalid, "days", value, problem: "it is 1 through 31")
                }
                return Int(day)
            }
            return { days.contains($0.parts.day) }
        }
    }
}
