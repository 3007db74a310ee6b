import CarillonEngine
import CarillonModel
import Hummingbird

/// Histories, which anybody may read who has the app: only what was sent to everybody is in them.
struct CorePushHistoryRoutes: Sendable {
    let inboxes: Inboxes
    let open: CorePushAccess

    func declare(_ routes: inout Routes) {
        routes.on(.post, "/notify_history.php", open, recorded: .wrongKeys) { call in
            try await answer(call, areSurveys: false, text: "message")
        }
        routes.on(.post, "/research_history.php", open, recorded: .wrongKeys) { call in
            try await answer(call, areSurveys: true, text: "body")
        }
    }

    /// The latest hundred; apps need all five names in each.
    private func answer(_ call: CorePushCall, areSurveys: Bool, text: String) async throws -> Response {
        try call.checkConfigType()
        try call.limitRead()
        let found = try await inboxes.broadcasts(app: call.app, areSurveys: areSurveys)
        let results = found.map { broadcast in
            JSONValue.object([
                "history_id": .string(String(broadcast.occurrence.rawValue)), "title": .string(broadcast.title ?? ""),
                text: .string(broadcast.body ?? ""), "url": broadcast.link.map(JSONValue.string) ?? .null,
                "reg_date": .string(CorePushTime.text(broadcast.sentAt)),
            ])
        }
        return try CorePushAnswer.success(["results": .array(results)])
    }
}
