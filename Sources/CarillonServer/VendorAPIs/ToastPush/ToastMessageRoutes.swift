import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import Hummingbird

/// Messages: E7, E8 and E9 of the vendor's documentation.
struct ToastMessageRoutes: Sendable {
    let campaigns: Campaigns
    let messages: ToastMessages
    let metrics: ServerMetrics
    let keyed: ToastAccess

    func declare(_ routes: inout Routes) {
        let path = ToastPath.base + "/messages"
        routes.on(.post, path, keyed, send)
        routes.on(.get, path, keyed, answersHead: false, list)
        routes.on(.get, path + "/{message}", keyed, answersHead: false, show)
    }

    @Sendable private func send(_ call: ToastCall) async throws -> Response {
        let (fields, place) = try await call.sendFields()
        defer { withExtendedLifetime(place) {} }
        let request = try ToastMessageReader(fields: fields).request()
        let campaign = try await ToastMessageReader.naming {
            try await campaigns.create(app: call.app, request, by: .toast)
        }
        metrics.add(1, to: .campaigns)
        return try ToastAnswer.success(["message": .object(JSONValue.ids("messageId", campaign.toastNumber))])
    }

    private enum DeliveryType: String { case instant = "INSTANT", reservation = "RESERVATION" }

    @Sendable private func list(_ call: ToastCall) async throws -> Response {
        let query = call.values
        let page = try ToastPage(index: query)
        let range = try ToastDate.range(query, now: messages.now)
        let type = try query.word("deliveryType", DeliveryType.self)
        let status = try query.word("messageStatus", ToastMessageWriter.Status.self)
        let found = try await messages.messages(app: call.app, in: range) { message in
            guard status == nil || message.status == status else { return false }
            return type == nil || message.isOfReservation == (type == .reservation)
        }
        var rows: [JSONValue] = []
        for message in found.dropFirst(page.skipped).prefix(page.size) {
            let campaign = message.campaign
            var funnel = message.occurrence?.funnel
            if funnel == nil { funnel = try await campaigns.funnel(campaign.id, within: call.app) }
            rows.append(ToastMessageWriter.message(campaign, message.occurrence, funnel ?? Funnel()))
        }
        return try ToastAnswer.success(["messages": .array(rows), "totalCount": .integer(Int64(found.count))])
    }

    @Sendable private func show(_ call: ToastCall) async throws -> Response {
        let text = call.context.parameter("message")
        guard let number = Int64(text) else { throw ToastFailure(.notFound, "messageId", text) }
        let found = try await messages.found(number, "messageId", call.app)
        guard found.campaign.schedule == nil else {
            let occurrence = try await occurrence(found, call)
            guard let occurrence else { throw ToastFailure(.notFound, "messageId", text) }
            return try ToastAnswer.success([
                "message": ToastMessageWriter.message(found.campaign, occurrence, occurrence.funnel)
            ])
        }
        let funnel = try await campaigns.funnel(found.campaign.id, within: call.app)
        return try ToastAnswer.success(["message": ToastMessageWriter.message(found.campaign, nil, funnel)])
    }

    /// One message of a reservation.
    private func occurrence(_ found: ToastMessages.Found, _ call: ToastCall) async throws -> Occurrence? {
        guard let id = found.occurrence else { return nil }
        let page = try await campaigns.occurrences(found.campaign.id, within: call.app, cursor: nil, limit: 500)
        return page.items.first { $0.id == id }
    }
}
