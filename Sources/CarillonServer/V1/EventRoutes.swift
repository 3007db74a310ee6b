import CarillonEngine
import CarillonModel
import HTTPTypes
import Hummingbird

/// `/v1/events`: reports of the SDK, by App key; each event has a receipt.
struct EventRoutes: Sendable {
    let events: Events
    let metrics: ServerMetrics

    static let path = "/v1/events"
    static let access = AppKeyAccess()

    func declare(_ routes: inout Routes) {
        routes.on(.post, Self.path, Self.access, record)
    }

    /// Handles a batch of events.
    @Sendable func record(_ call: AppCall) async throws -> Response {
        let batch = try EventsReader.read(try await call.request.jsonBody(upTo: BodyLimit.events))
        var answer = EventBatchAnswer(counted: 0, repeated: 0, rejected: [])
        if !batch.events.isEmpty { answer = try await events.record(app: call.app, batch.events) }
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
