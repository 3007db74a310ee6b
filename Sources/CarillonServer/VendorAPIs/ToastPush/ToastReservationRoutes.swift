import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import Hummingbird

/// Reservations: E12 through E18 of the vendor's documentation.
struct ToastReservationRoutes: Sendable {
    let campaigns: Campaigns
    let messages: ToastMessages
    let metrics: ServerMetrics
    let keyed: ToastAccess

    func declare(_ routes: inout Routes) {
        let path = ToastPath.base + "/reservations"
        routes.on(.post, ToastPath.base + "/schedules", keyed, recorded: .wrongKeys, expand)
        routes.on(.post, path, keyed, create)
        routes.on(.get, path, keyed, answersHead: false, list)
        routes.on(.get, path + "/{reservation}", keyed, answersHead: false, show)
        routes.on(.get, path + "/{reservation}/messages", keyed, answersHead: false, listMessages)
        routes.on(.put, path + "/{reservation}", keyed, replace)
        routes.on(.delete, path, keyed, delete)
    }

    // MARK: E12, E13, E17, E18

    @Sendable private func expand(_ call: ToastCall) async throws -> Response {
        let times = try ToastRecurrence(try await call.fields(), now: messages.now).times
        return try ToastAnswer.success(["schedules": .array(times.map { .string($0.description) })])
    }

    @Sendable private func create(_ call: ToastCall) async throws -> Response {
        let (fields, place) = try await call.sendFields()
        defer { withExtendedLifetime(place) {} }
        let request = try Self.request(fields)
        let campaign = try await ToastMessageReader.naming {
            try await campaigns.create(app: call.app, request, by: .toast)
        }
        metrics.add(1, to: .campaigns)
        return try ToastAnswer.success([
            "reservation": .object(JSONValue.ids("reservationId", campaign.id.rawValue))
        ])
    }

    @Sendable private func replace(_ call: ToastCall) async throws -> Response {
        let (fields, place) = try await call.sendFields()
        defer { withExtendedLifetime(place) {} }
        let request = try Self.request(fields)
        let before = try await reservation(call.context.parameter("reservation"), call)
        guard before.channel == request.channel else {
            throw ToastFailure(
                .invalid,
                "target.pushTypes",
                problem: "a reservation stays one of calls or of notifications"
            )
        }
        var update = CampaignUpdate()
        (update.audience, update.message, update.isAd) = (request.audience, request.message, request.isAd)
        (update.adWording, update.validFor) = (.some(request.adWording), .some(request.validFor))
        (update.schedule, update.statisticsID) = (request.schedule, .some(request.statisticsID))
        let change = update
        _ = try await ToastMessageReader.naming {
            try await campaigns.change(before.id, within: call.app, change, by: .toast)
        }
        return try ToastAnswer.success()
    }

    @Sendable private func delete(_ call: ToastCall) async throws -> Response {
        let listed = call.values.list("reservationIds")
        guard !listed.isEmpty else { throw ToastFailure(.empty, "reservationIds") }
        guard listed.count <= 100 else { throw ToastFailure(.maximumExceeded, "reservationIds", "\(listed.count)") }
        var found: [Campaign] = []
        for text in listed {
            let campaign = try await reservation(text, call, "reservationIds")
            // All are checked first: either all of them are deleted, or none.
            guard campaign.lifecycle.apply(.cancel) != .refused else {
                throw ToastFailure(.completed, "reservationIds", text)
            }
            found.append(campaign)
        }
        for campaign in found { _ = try await campaigns.cancel(campaign.id, within: call.app) }
        return try ToastAnswer.success()
    }

    private static func request(_ fields: ToastFields) throws -> CampaignRequest {
        var request = try ToastMessageReader(fields: fields).request()
        guard let listed = try fields.texts("schedules"), !listed.isEmpty else {
            throw fields.failure(.empty, "schedules")
        }
        guard listed.count <= Schedule.maximumTimeCount else {
            throw ToastFailure(.maximumExceeded, "schedules", "\(listed.count)")
        }
        let times = try listed.map { text in
            guard let time = WallTime(text) else {
                throw ToastFailure(.malformed, "schedules", text, problem: "it is YYYY-MM-DDTHH:MM without an offset")
            }
            return time
        }
        let isLocal = try fields.flag("isLocalTime")
        request.schedule = Schedule(.at(Array(Set(times)).sorted()), zone: ToastDate.zone, isLocal: isLocal)
        return request
    }

    /// The reservation of a number.
    private func reservation(
        _ text: String,
        _ call: ToastCall,
        _ field: String = "reservationId"
    ) async throws -> Campaign {
        guard let number = Int64(text), (0..<Int64(1) << 60).contains(number) else {
            throw ToastFailure(.notFound, field, text)
        }
        return try await ToastFailure.naming(field, text) {
            let campaign = try await campaigns.shown(CampaignID(rawValue: number), within: call.app)
            guard campaign.isToastReservation, !campaign.isRemovedToastReservation else {
                throw ToastFailure(.notFound, field, text)
            }
            return campaign
        }
    }

    // MARK: E14, E15, E16

    private enum Status: String {
        case reserved = "RESERVED", complete = "COMPLETE", completed = "COMPLETED", canceled = "CANCELED", cancel =
            "CANCEL"

        /// Both words of the vendor's for one state.
        var shown: Status {
            switch self {
            case .complete: .completed
            case .cancel: .canceled
            case .reserved, .completed, .canceled: self
            }
        }
    }

    private static func status(_ campaign: Campaign) -> Status {
        switch campaign.state {
        case .sent: .completed
        case .cancelled, .cancelling: .canceled
        case .draft, .needsApproval, .refused, .expired, .held, .scheduled, .sending, .paused: .reserved
        }
    }

    @Sendable private func list(_ call: ToastCall) async throws -> Response {
        let query = call.values
        let page = try ToastPage(index: query)
        let range = try ToastDate.range(query, now: messages.now)
        let status = try query.word("reservationStatus", Status.self)?.shown
        var filter = CampaignFilter()
        (filter.createdFrom, filter.createdUntil) = (range.lowerBound, range.upperBound)
        filter.dueFrom = try Self.time(query, "deliveryFrom", isEnd: false)
        filter.dueUntil = try Self.time(query, "deliveryTo", isEnd: true)?.advanced(by: .milliseconds(1))
        let found = try await messages.list(app: call.app, filter) { campaign in
            campaign.isToastReservation && !campaign.isRemovedToastReservation
                && (status == nil || Self.status(campaign) == status)
        }
        var rows: [JSONValue] = []
        for campaign in found.dropFirst(page.skipped).prefix(page.size) {
            rows.append(try await record(campaign, call))
        }
        return try ToastAnswer.success(["reservations": .array(rows), "totalCount": .integer(Int64(found.count))])
    }

    private static func time(_ query: ToastQuery, _ name: String, isEnd: Bool) throws -> Timestamp? {
        guard let text = query[name] else { return nil }
        guard let time = ToastDate.time(text, isEnd: isEnd) else { throw ToastFailure(.malformed, name, text) }
        return time
    }

    @Sendable private func show(_ call: ToastCall) async throws -> Response {
        let campaign = try await reservation(call.context.parameter("reservation"), call)
        return try ToastAnswer.success(["reservation": try await record(campaign, call)])
    }

    @Sendable private func listMessages(_ call: ToastCall) async throws -> Response {
        let campaign = try await reservation(call.context.parameter("reservation"), call)
        let page = try ToastPage(index: call.values)
        let begun = try await occurrences(campaign, call).filter { $0.startedAt != nil }
        let rows = begun.dropFirst(page.skipped).prefix(page.size).map {
            ToastMessageWriter.message(campaign, $0, $0.funnel)
        }
        return try ToastAnswer.success(["messages": .array(rows), "totalCount": .integer(Int64(begun.count))])
    }

    private func occurrences(_ campaign: Campaign, _ call: ToastCall) async throws -> [Occurrence] {
        try await campaigns.occurrences(campaign.id, within: call.app, cursor: nil, limit: 500).items
    }

    private func record(_ campaign: Campaign, _ call: ToastCall) async throws -> JSONValue {
        var record = ToastMessageWriter.content(of: campaign)
        let ids = JSONValue.ids("reservationId", campaign.id.rawValue)
        record.merge(ids) { $1 }
        record["isLocalTime"] = .bool(campaign.schedule?.isLocal ?? false)
        record["createdDateTime"] = ToastDate.text(campaign.createdAt)
        record["updatedDateTime"] = ToastDate.text(campaign.updatedAt ?? campaign.createdAt)
        record["completedDateTime"] = ToastDate.text(campaign.finishedAt)
        record["reservationStatus"] = .string(Self.status(campaign).rawValue)
        let shown = try await Self.withCancelled(occurrences(campaign, call), of: campaign)
        let schedules = shown.enumerated().map { index, occurrence in
            var schedule = JSONValue.ids("scheduleId", campaign.id.rawValue + Int64(index) + 1).merging(ids) { $1 }
            schedule["deliveryDateTime"] =
                occurrence.at.map { .string("\($0):00.000+09:00") } ?? ToastDate.text(occurrence.plannedAt)
            schedule["timezoneOffset"] = .string("+09:00")
            schedule["scheduleStatus"] = .string(Self.status(occurrence, of: campaign))
            return JSONValue.object(schedule)
        }
        record["schedules"] = .array(schedules)
        return .object(record)
    }

    /// Occurrences with those that a cancelled reservation would have had, so that its schedule is shown whole.
    private static func withCancelled(_ begun: [Occurrence], of campaign: Campaign) -> [Occurrence] {
        guard status(campaign) == .canceled, case .at(let times)? = campaign.schedule?.recurrence else { return begun }
        let known = Set(begun.compactMap(\.at))
        let missing = times.filter { !known.contains($0) }.map { time in
            var occurrence = Occurrence(at: time, group: nil, plannedAt: campaign.createdAt)
            occurrence.state = .cancelled
            return occurrence
        }
        return begun + missing
    }

    private static func status(_ occurrence: Occurrence, of campaign: Campaign) -> String {
        switch occurrence.state {
        case .planned: "READY"
        case .sending, .paused: "SENDING"
        case .cancelling, .cancelled, .missed: "CANCELED"
        case .sent: "DONE"
        }
    }
}
