import CarillonEngine
import CarillonModel
import HTTPTypes
import Hummingbird

/// `/v1/events`: what the SDK reports, by App key; each event proves itself by its receipt.
struct EventRoutes: Sendable {
    let events: Events
    let credentials: Credentials
    let metrics: ServerMetrics

    static let path = "/v1/events"

    func declare(_ routes: inout Routes) {
        routes.on(.post, Self.path, record)
    }

    /// Answers a batch of events.
    @Sendable func record(_ request: Request, _ context: ServerContext) async throws -> Response {
        let app = try await credentials.app(request)
        let batch = try EventsReader.read(try await request.jsonBody(upTo: BodyLimit.events))
        var answer = EventBatchAnswer(counted: 0, repeated: 0, rejected: [])
        if !batch.events.isEmpty { answer = try await events.record(app: app, batch.events) }
        batch.merge(into: &answer)
        metrics.add(answer.counted, to: .counted)
        metrics.add(answer.repeated, to: .repeated)
        metrics.add(answer.rejected.count, to: .rejected)
        guard answer.rejected.isEmpty else { return try Response(answer) }
        return Response(
            status: .ok,
            json: ByteBuffer(
                string: "{\"counted\":\(answer.counted),\"rejected\":[],\"repeated\":\(answer.repeated)}"
            )
        )
    }
}
