import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import HTTPTypes
import Hummingbird

/// `/v1/message-log`: the results of single notifications.
struct MessageLogRoutes: Sendable {
    let log: MessageLog

    func declare(_ routes: inout Routes) {
        routes.on(
            .get,
            "/v1/message-log",
            .key(.read, app: .query),
            recorded: .all,
            query: ["device", "user", "campaign", "from", "until", "cursor", "limit"],
            list
        )
    }

    @Sendable private func list(_ call: KeyCall<RequiredQueryApp>) async throws -> Response {
        let query = call.query
        var asked = MessageLogQuery(
            app: try call.app(),
            subject: try query.logSubject(),
            campaign: try query.campaign()
        )
        asked.hasUserMessages = call.has(.messages)
        if let from = try query.time("from") { asked.first = from.firstFiring }
        if let to = try query.time("until") { asked.end = to.firstFiring }
        return try Response(
            try await log.page(
                asked,
                cursor: query["cursor"],
                limit: try query.limit()
            )
        )
    }
}

extension Query {
    /// The Campaign in the query.
    func campaign() throws -> CampaignID? {
        guard let text = self["campaign"] else { return nil }
        guard let id = CampaignID(text) else {
            throw Problem.invalidField(
                FieldError(field: "campaign", problem: "must be cmp_ and 12 base-32 characters")
            )
        }
        return id
    }

    fileprivate func logSubject() throws -> MessageLogQuery.Subject {
        switch (self["device"], self["user"]) {
        case (nil, nil): return .everybody
        case (let text?, nil):
            guard let device = DeviceID(text) else {
                throw Problem.invalidField(FieldError(field: "device", problem: "must be a UUID"))
            }
            return .device(device)
        case (nil, let text?):
            guard let user = UserID(rawValue: text) else {
                throw Problem.invalidField(
                    FieldError(field: "user", problem: "must have 1 through 128 characters")
                )
            }
            return .user(user)
        case (_?, _?):
            throw Problem.invalidField(FieldError(field: "user", problem: "must not come with device"))
        }
    }
}

extension Timestamp {
    /// The first Occurrence that may have begun at this time.
    fileprivate var firstFiring: OccurrenceID {
        let latest = OccurrenceID(rawValue: .max)
        return rawValue < latest.milliseconds ? OccurrenceID(milliseconds: rawValue, sequence: 0) : latest
    }
}
