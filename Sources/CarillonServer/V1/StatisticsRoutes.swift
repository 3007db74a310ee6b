import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import HTTPTypes
import Hummingbird

/// `/v1/statistics`, a Campaign's statistics, and statistics keys.
struct StatisticsRoutes: Sendable {
    let statistics: Statistics
    let idempotency: IdempotencyMiddleware

    func declare(_ routes: inout Routes) {
        routes.on(
            .get,
            "/v1/statistics",
            .key(.read, app: .query),
            query: ["from", "until", "unit", "timeZone", "statistics", "channel"],
            app
        )
        routes.on(
            .get,
            "/v1/campaigns/{campaign}/statistics",
            .key(.read, app: .key),
            query: ["from", "until", "unit", "timeZone"],
            campaign
        )
        routes.on(.post, "/v1/statistics-ids", .key(.admin, app: .query), create)
        routes.on(.get, "/v1/statistics-ids", .key(.read, app: .queryOrAll), query: ["cursor", "limit"], list)
        routes.on(.get, "/v1/statistics-ids/{statistics}", .key(.read, app: .key), get)
        routes.on(.put, "/v1/statistics-ids/{statistics}", .key(.admin, app: .key), update)
        routes.on(.delete, "/v1/statistics-ids/{statistics}", .key(.admin, app: .key), delete)
    }

    @Sendable private func app(_ call: KeyCall<RequiredQueryApp>) async throws -> Response {
        let query = call.query
        let app = try call.app()
        var question = try query.statisticsQuestion()
        question.keys = try query.statisticsIDs()
        question.channel = try query.word("channel", Campaign.Channel.self)
        return try Response(try await statistics.series(of: app, question))
    }

    @Sendable private func campaign(_ call: KeyCall<KeyApp>) async throws -> Response {
        let query = call.query
        let id = try call[.campaign]
        let question = try query.statisticsQuestion()
        return try Response(try await statistics.series(of: id, within: call.within, question))
    }

    @Sendable private func create(_ call: KeyCall<RequiredQueryApp>) async throws -> Response {
        let (body, wanted) = try await call.repeatableBody(StatisticsKeyRequest.self, upTo: BodyLimit.standard)
        let app = try call.app()
        let answer = CreatedAnswer<StatisticsKey>(location: { "/v1/statistics-ids/\($0.id)" })
        return try await idempotency.answer(call, body, answer) {
            try await statistics.create(app: app, wanted, for: $0)
        }
    }

    @Sendable private func list(_ call: KeyCall<OptionalQueryApp>) async throws -> Response {
        let query = call.query
        let app = try call.app()
        return try Response(
            try await statistics.keys(app: app, after: try query.cursor(StatisticsID.self), limit: try query.limit())
        )
    }

    @Sendable private func get(_ call: KeyCall<KeyApp>) async throws -> Response {
        try Response(try await statistics.key(try call[.statistics], within: call.within))
    }

    @Sendable private func update(_ call: KeyCall<KeyApp>) async throws -> Response {
        let wanted: StatisticsKeyRequest = try await call.body(upTo: BodyLimit.standard)
        return try Response(try await statistics.update(try call[.statistics], within: call.within, wanted))
    }

    @Sendable private func delete(_ call: KeyCall<KeyApp>) async throws -> Response {
        try await statistics.delete(try call[.statistics], within: call.within)
        return .noContent
    }
}

extension Query {
    fileprivate func statisticsQuestion() throws -> StatisticsQuestion {
        var question = StatisticsQuestion()
        question.from = try time("from")
        question.until = try time("until")
        question.unit = try word("unit", StatisticsUnit.self)
        question.timeZone = self["timeZone"]
        return question
    }

    /// A list of ids, separated by commas.
    fileprivate func statisticsIDs() throws -> [StatisticsID] {
        guard let text = self["statistics"] else { return [] }
        return try text.split(separator: ",", omittingEmptySubsequences: false).map { part in
            guard let id = StatisticsID(String(part)) else {
                throw Problem.invalidField(
                    FieldError(field: "statistics", problem: "must be statistics ids joined by commas")
                )
            }
            return id
        }
    }

    /// A time in RFC 3339; an unescaped plus sign, which became a space, is accepted.
    func time(_ name: String) throws -> Timestamp? {
        guard let text = self[name] else { return nil }
        guard let time = Timestamp(text.replacing(" ", with: "+")) else {
            throw Problem.invalidField(
                FieldError(field: name, problem: "must be an RFC 3339 time from 1970 through 9999")
            )
        }
        return time
    }

    /// A value of an enumeration.
    func word<Word: RawRepresentable & CaseIterable>(_ name: String, _: Word.Type) throws -> Word?
    where Word.RawValue == String {
        guard let text = self[name] else { return nil }
        guard let word = Word(rawValue: text) else {
            let words = Word.allCases.map(\.rawValue).joined(separator: ", ")
            throw Problem.invalidField(FieldError(field: name, problem: "must be one of \(words)"))
        }
        return word
    }
}
