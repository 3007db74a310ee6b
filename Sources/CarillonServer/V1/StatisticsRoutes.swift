import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import HTTPTypes
import Hummingbird

/// `/v1/statistics`, a Campaign's, and the ids that figures are gathered under.
struct StatisticsRoutes: Sendable {
    let statistics: Statistics
    let credentials: Credentials
    let repeats: IdempotencyMiddleware

    func declare(_ routes: inout Routes) {
        routes.on(.get, "/v1/statistics", app)
        routes.on(.get, "/v1/campaigns/{campaign}/statistics", campaign)
        routes.on(.post, "/v1/statistics-ids", create)
        routes.on(.get, "/v1/statistics-ids", list)
        routes.on(.get, "/v1/statistics-ids/{statistics}", get)
        routes.on(.put, "/v1/statistics-ids/{statistics}", update)
        routes.on(.delete, "/v1/statistics-ids/{statistics}", delete)
    }

    @Sendable private func app(_ request: Request, _ context: ServerContext) async throws -> Response {
        let principal = try await credentials.principal(request, .read)
        let query = try Query(request, "app", "from", "to", "unit", "timeZone", "statistics", "channel")
        let app = try principal.app(named: try query.app())
        var question = try query.statisticsQuestion()
        question.keys = try query.statisticsIDs()
        question.channel = try query.word("channel", Campaign.Channel.self)
        return try Response(try await statistics.series(of: app, question))
    }

    @Sendable private func campaign(_ request: Request, _ context: ServerContext) async throws -> Response {
        let principal = try await credentials.principal(request, .read)
        let query = try Query(request, "from", "to", "unit", "timeZone")
        guard let id = CampaignID(context.parameter("campaign")) else { throw EngineError.notFound(.campaign) }
        let question = try query.statisticsQuestion()
        return try Response(try await statistics.series(of: id, within: principal.app, question))
    }

    @Sendable private func create(_ request: Request, _ context: ServerContext) async throws -> Response {
        let principal = try await credentials.principal(request, .admin)
        let body = try await request.jsonBody(upTo: BodyLimit.standard)
        let wanted = try JSONBody.decode(StatisticsKeyRequest.self, from: body)
        let app = try principal.app(named: wanted.app)
        let answer = CreatedAnswer<StatisticsKey>(location: { "/v1/statistics-ids/\($0.id)" })
        return try await repeats.answer(request, principal, body, answer) {
            try await statistics.create(app: app, wanted, for: $0)
        }
    }

    @Sendable private func list(_ request: Request, _ context: ServerContext) async throws -> Response {
        let principal = try await credentials.principal(request, .read)
        let query = try Query(request, "app", "cursor", "limit")
        let named = try query.app()
        let app = principal.app == nil ? named : try principal.app(named: named)
        return try Response(
            try await statistics.keys(app: app, after: try query.cursor(StatisticsID.self), limit: try query.limit())
        )
    }

    @Sendable private func get(_ request: Request, _ context: ServerContext) async throws -> Response {
        let principal = try await credentials.principal(request, .read)
        return try Response(try await statistics.key(try id(context), within: principal.app))
    }

    @Sendable private func update(_ request: Request, _ context: ServerContext) async throws -> Response {
        let principal = try await credentials.principal(request, .admin)
        let wanted: StatisticsKeyRequest = try await request.decoded(upTo: BodyLimit.standard)
        if let named = wanted.app { try principal.check(named) }
        return try Response(try await statistics.update(try id(context), within: principal.app ?? wanted.app, wanted))
    }

    @Sendable private func delete(_ request: Request, _ context: ServerContext) async throws -> Response {
        let principal = try await credentials.principal(request, .admin)
        try await statistics.delete(try id(context), within: principal.app)
        return .noContent
    }

    private func id(_ context: ServerContext) throws -> StatisticsID {
        guard let id = StatisticsID(context.parameter("statistics")) else {
            throw EngineError.notFound(.statisticsKey)
        }
        return id
    }
}

extension Query {
    fileprivate func statisticsQuestion() throws -> StatisticsQuestion {
        var question = StatisticsQuestion()
        question.from = try time("from")
        question.to = try time("to")
        question.unit = try word("unit", StatisticsUnit.self)
        question.timeZone = self["timeZone"]
        return question
    }

    /// A list of ids, joined by commas.
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

    /// A time in RFC 3339; a plus sign that was not escaped, and so became a space, is taken for one.
    func time(_ name: String) throws -> Timestamp? {
        guard let text = self[name] else { return nil }
        guard let time = Timestamp(text.replacing(" ", with: "+")) else {
            throw Problem.invalidField(
                FieldError(field: name, problem: "must be an RFC 3339 time from 1970 through 9999")
            )
        }
        return time
    }

    /// A word of a fixed list.
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
