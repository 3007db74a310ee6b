import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import Hummingbird

/// Statistics: E34 and E35 of the vendor's documentation.
struct ToastStatisticsRoutes: Sendable {
    let statistics: Statistics
    let messages: ToastMessages
    let keyed: ToastAccess

    func declare(_ routes: inout Routes) {
        routes.on(.get, ToastPath.base + "/stats", keyed, answersHead: false, series)
        routes.on(.get, ToastPath.base + "/stats/total", keyed, answersHead: false, total)
    }

    private enum Category: String {
        case message = "MESSAGE", registration = "TOKEN_REGISTRATION", language = "TOKEN_LANGUAGE"
        case country = "TOKEN_COUNTRY", agreement = "TOKEN_AGREEMENT"
    }

    private enum Kind: String {
        case normal = "NORMAL", minutely = "MINUTELY", hourly = "HOURLY", daily = "DAILY", byDay = "BY_DAY"
    }

    private enum Unit: String { case minutes = "MINUTES", hours = "HOURS", days = "DAYS" }

    private enum Criteria: String {
        case event = "EVENT", extra1 = "EXTRA_1", extra2 = "EXTRA_2", extra3 = "EXTRA_3", template = "TEMPLATE_ID"
    }

    @Sendable private func series(_ call: ToastCall) async throws -> Response {
        let (found, criteria) = try await counts(call)
        let rows = found?.points.map { point in
            JSONValue.object([
                "eventDateTime": ToastDate.text(point.at), "events": Self.events(point.figures, criteria),
            ])
        }
        return try ToastAnswer.success(["stats": .array(rows ?? [])])
    }

    @Sendable private func total(_ call: ToastCall) async throws -> Response {
        let (found, criteria) = try await counts(call)
        return try ToastAnswer.success(["total": Self.events(found?.total ?? Figures(), criteria)])
    }

    private static func events(_ figures: Figures, _ criteria: Criteria) -> JSONValue {
        // A failed send has its cause in the second extra.
        if criteria == .extra2 { return .object(figures.failed.mapValues { .integer(Int64($0)) }) }
        return .object([
            "SENT": .integer(Int64(figures.accepted)), "SENT_FAILED": .integer(Int64(figures.failedOtherwise)),
            "RECEIVED": .integer(Int64(figures.received)), "OPENED": .integer(Int64(figures.opened)),
        ])
    }

    /// The counts that a call asks for; `nil` when they are of other platforms alone.
    private func counts(_ call: ToastCall) async throws -> (StatisticsSeries?, Criteria) {
        let query = call.values
        guard let category = try query.word("eventCategory", Category.self) else {
            throw ToastFailure(.empty, "eventCategory")
        }
        guard category == .message else {
            throw ToastFailure(.invalid, "eventCategory", category.rawValue, problem: "only MESSAGE is counted")
        }
        let criteria = try query.word("statsCriteria", Criteria.self) ?? .event
        guard criteria == .event || criteria == .extra2 else {
            throw ToastFailure(
                .invalid,
                "statsCriteria",
                criteria.rawValue,
                problem: "only EVENT and EXTRA_2 are counted"
            )
        }
        var question = StatisticsQuestion()
        let range = try ToastDate.range(query, usual: .seconds(86_400), now: messages.now)
        (question.from, question.until) = (range.lowerBound, range.upperBound)
        question.timeZone = ToastDate.zone
        question.unit = try Self.unit(query, range)
        question.keys = try query.list("statsIds").map { text in
            guard let id = StatisticsID(text) else { throw ToastFailure(.notFound, "statsIds", text) }
            return id
        }
        let words = query.list("extra1s")
        let types = try words.compactMap { try ToastPushType.type($0, "extra1s") }
        guard words.isEmpty || !types.isEmpty else { return (nil, criteria) }
        let channels = Set(types.map { $0.isVoIP ? Campaign.Channel.voip : .notification })
        question.channel = channels.count == 1 ? channels.first : nil
        let found = try await messages.campaign(query, call.app)
        if let found, found.campaign.schedule != nil { question.occurrence = found.occurrence }
        let asked = question
        if let found { return (try await statistics.series(of: found.campaign.id, within: call.app, asked), criteria) }
        return (try await statistics.series(of: call.app, asked), criteria)
    }

    /// The length of spans: by `timeUnit` or `statisticsType`, otherwise by the range.
    private static func unit(_ query: ToastQuery, _ range: Range<Timestamp>) throws -> StatisticsUnit {
        switch try query.word("timeUnit", Unit.self) {
        case .minutes: return .minute
        case .hours: return .hour
        case .days: return .day
        case nil: break
        }
        switch try query.word("statisticsType", Kind.self) {
        case .minutely: return .minute
        case .hourly: return .hour
        case .daily, .byDay: return .day
        case .normal, nil: break
        }
        // The last instant of a range belongs to it; the usual range is a whole day with it.
        let instant = Duration.milliseconds(query["from"] == nil ? 0 : 1)
        let length = range.lowerBound.duration(to: range.upperBound) - instant
        if length >= .seconds(86_400) { return .day }
        return length > .seconds(3_600) ? .hour : .minute
    }
}
