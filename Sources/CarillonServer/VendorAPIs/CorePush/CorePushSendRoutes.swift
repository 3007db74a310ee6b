import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import Hummingbird

/// Sending and its feedback.
struct CorePushSendRoutes: Sendable {
    let campaigns: Campaigns
    let sending: CorePushSending
    let keyed: CorePushAccess
    let asking: CorePushAccess

    func declare(_ routes: inout Routes) {
        routes.on(.post, "/iphone_push_request.php", keyed, send)
        routes.on(.post, "/iphone_push_request_async.php", keyed, send)
        routes.on(.post, "/iphone_push_request_sandbox.php", keyed, sendToSandbox)
        for path in ["/android_push_request.php", "/android_push_request_async.php"] {
            routes.on(.post, path, keyed) { _ in throw CorePushFailure.noAndroid }
        }
        routes.on(.post, "/iphone_feedback.php", asking, recorded: .wrongKeys) { call in
            try CorePushAnswer.success(["results": .object(try await feedback(call, hasTitle: false))])
        }
        routes.on(.post, "/android_feedback.php", asking, recorded: .wrongKeys) { call in
            try CorePushAnswer.success(["result": .object(try await feedback(call, hasTitle: true))])
        }
    }

    /// Answers before anything is delivered, on both paths: results are in the feedback.
    @Sendable private func send(_ call: CorePushCall) async throws -> Response {
        try CorePushAnswer.success(["feedback_key": .string(try await sending.send(call).text)])
    }

    @Sendable private func sendToSandbox(_ call: CorePushCall) async throws -> Response {
        var manner = CorePushSending.Manner()
        manner.isSandbox = true
        return try CorePushAnswer.success(["feedback_key": .string(try await sending.send(call, manner).text)])
    }

    private func feedback(_ call: CorePushCall, hasTitle: Bool) async throws -> [String: JSONValue] {
        let found = try await call.feedbackKey().campaigns(campaigns, app: call.app)
        var counts = CorePushCounts()
        for campaign in found { counts.add(try await campaigns.funnel(campaign.id, within: call.app)) }
        guard let first = found.last else { throw CorePushFailure.internalError }
        let text = CorePushText(first)
        var values = counts.values
        values["message"] = .string(text.message)
        values["url"] = .string(text.url ?? "")
        values["reg_date"] = .string(CorePushTime.text(first.startedAt ?? first.createdAt))
        if hasTitle { values["title"] = .string(text.title) }
        return values
    }
}

/// The outcomes of pushes, as numbers.
struct CorePushCounts {
    private(set) var sent = 0
    private(set) var failed = 0
    private(set) var boot = 0

    mutating func add(_ funnel: Funnel) {
        sent += funnel.accepted
        failed += funnel.failed.values.reduce(0, +)
        boot += funnel.launched
    }

    /// Numbers are texts.
    var values: [String: JSONValue] {
        ["sent": .string(String(sent)), "failed": .string(String(failed)), "boot": .string(String(boot))]
    }
}

/// The text of a Campaign; what differs by user is left out.
struct CorePushText {
    var title: String
    var message: String
    var url: String?

    init(_ campaign: Campaign) {
        let content = campaign.message.content[Message.defaultLanguage]
        func text(_ text: String?) -> String? {
            guard let text, !campaign.message.isLiteral, PersonalText.mayHavePlaces(text) else { return text }
            return (try? PersonalText(text))?.written { $0.fallback ?? "" } ?? text
        }
        title = text(content?.title) ?? ""
        message = text(content?.body) ?? ""
        url = text(content?.link) ?? campaign.message.data[PayloadKey.CorePush.url]?.string
    }
}
