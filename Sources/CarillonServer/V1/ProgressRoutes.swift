import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import HTTPTypes
import Hummingbird

/// `/v1/campaigns/{campaign}/progress` and the tickets that open it.
struct ProgressRoutes: Sendable {
    let campaigns: Campaigns
    let tickets: ProgressTickets
    /// Places of open streams; one is also released when the response never reaches its body.
    let streams: Places<AppID>
    let heartbeat: Duration

    /// Creates places for streams, of which one App has a quarter, at least one; the metrics show how many are open.
    static func places(_ limit: Int, _ metrics: ServerMetrics) -> Places<AppID> {
        Places(total: limit, perKey: max(1, limit / 4)) { metrics.addStreams($0) }
    }

    func declare(_ routes: inout Routes) {
        routes.on(
            .post,
            "/v1/campaigns/{campaign}/progress-ticket",
            .key(.read, app: .key),
            recorded: .wrongKeys,
            ticket
        )
        // No HEAD: it would consume the ticket without reading the stream.
        routes.on(
            .get,
            "/v1/campaigns/{campaign}/progress",
            .none("a ticket"),
            answersHead: false,
            query: ["ticket"],
            progress
        )
    }

    @Sendable private func ticket(_ call: KeyCall<KeyApp>) async throws -> Response {
        let id = try call[.campaign]
        let campaign = try await campaigns.campaign(id, within: call.within)
        let ticket = tickets.issue(ProgressTickets.Grant(campaign: id, of: campaign.app, within: call.within))
        return try Response(ticket, status: .created)
    }

    @Sendable private func progress(_ call: OpenCall) async throws -> Response {
        guard let ticket = call.query["ticket"] else {
            throw ProblemAnswer.unauthorized(
                .missingCredentials("Send a ticket of POST …/progress-ticket as the query's ticket."),
                challenge: Challenge.ticket
            )
        }
        let id = try call[.campaign]
        guard let grant = tickets.redeem(ticket), grant.campaign == id else {
            throw ProblemAnswer.unauthorized(.wrongTicket, challenge: Challenge.ticket)
        }
        let place = try place(for: grant.app)
        return response(try await campaigns.progress(id, within: grant.within), place)
    }

    private func place(for app: AppID) throws(ProblemAnswer) -> Places<AppID>.Place {
        do {
            return try streams.acquire(app)
        } catch {
            throw .tooManyRequests("Too many streams are open.", retryAfter: 5)
        }
    }

    private func response(
        _ steps: some AsyncSequence<CampaignProgress, Never> & Sendable,
        _ place: Places<AppID>.Place
    ) -> Response {
        let stream = ProgressStream(steps: steps, heartbeat: heartbeat)
        return Response(
            status: .ok,
            headers: [.contentType: "text/event-stream"],
            body: ResponseBody { writer in
                defer { withExtendedLifetime(place) {} }
                try await stream.write(to: &writer)
                try await writer.finish(nil)
            }
        )
    }
}
