import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import Foundation
import Testing

@testable import CarillonServer

/// Every call of CORE PUSH, with the members of its answer.
struct CorePushCoverageTests {
    /// A call.
    struct Row: Sendable {
        var path: String
        /// With the names of keys that earlier calls gave in braces.
        var fields: [(String, String)]
        /// Whether an app may make it without the secret.
        var isOpen = false
        /// The member of the answer beside `status`; `nil` when there is none.
        var answer: String?
        /// The members of its object, or of its first element.
        var members: Set<String>
        /// How the reason begins of a call that Carillon refuses.
        var refusal: String?

        init(
            _ path: String,
            _ fields: [(String, String)] = [],
            isOpen: Bool = false,
            _ answer: String? = nil,
            _ members: String = "",
            refusal: String? = nil
        ) {
            (self.path, self.fields, self.isOpen) = (path, fields, isOpen)
            (self.answer, self.refusal) = (answer, refusal)
            self.members = Set(members.split(separator: " ").map(String.init))
        }
    }

    private static let noAndroid = "Carillon sends to iPhones only"
    private static let date = ("send_date", "2026-11-22 09:00:00")
    private static let token = ("device_token", CorePushClient.token(1))

    private static func data(_ members: [String: JSONValue]) -> (String, String) {
        let item = ["app_user_id": "9999999999", "message": "Hi"].merging(members) { $1 }
        return ("request_data", CorePushClient.data([.object(item)]))
    }

    private static func key(_ name: String) -> (String, String) { ("feedback_key", "{\(name)}") }

    static let rows: [Row] = [
        Row("iphone_token_regist", [token, ("mode", "1"), ("category_id", #"["1"]"#)], isOpen: true),
        Row("android_token_regist", [("device_token", "x"), ("mode", "1")], isOpen: true, refusal: noAndroid),
        Row(
            "iphone_tokens_regist",
            [("request_data", CorePushClient.data([["device_token": .string(CorePushClient.token(2))]]))],
            "results",
            "succeeded failed failures"
        ),
        Row("iphone_push_request", [data([:])], "feedback_key"),
        Row(
            "iphone_push_request_async",
            [data(["CoreResearch": "1", "url": "https://research.example.com/q?c=1"])],
            "feedback_key"
        ),
        Row("iphone_push_request_sandbox", [data([:])], "feedback_key"),
        Row("android_push_request", [data([:])], refusal: noAndroid),
        Row("android_push_request_async", [data([:])], refusal: noAndroid),
        Row(
            "notify_history",
            [("config_type", "1")],
            isOpen: true,
            "results",
            "history_id title message url reg_date"
        ),
        Row("research_history", [("config_type", "1")], isOpen: true, "results", "history_id title body url reg_date"),
        Row("iphone_feedback", [key("iphone_push_request")], "results", "sent failed boot message url reg_date"),
        Row("android_feedback", [key("iphone_push_request")], "result", "sent failed boot message url reg_date title"),
        Row("iphone_push_schedule", [data([:]), date], "feedback_key"),
        Row("iphone_push_schedule_status", [key("iphone_push_schedule")], "results", "state send_date"),
        Row("iphone_push_schedule_cancel", [key("iphone_push_schedule")], "results", "state send_date"),
        Row("iphone_push_distribution", [data([:]), ("groups", "3"), ("interval", "600"), date], "feedback_key"),
        Row(
            "iphone_push_distribution_status",
            [key("iphone_push_distribution")],
            "results",
            "state send_date groups"
        ),
        Row(
            "iphone_push_distribution_modify",
            [key("iphone_push_distribution"), ("groups", "2")],
            "results",
            "state send_date"
        ),
        Row("launch_regist", [token, ("push_id", "{push}"), ("latitude", "0"), ("longitude", "0")], isOpen: true),
        Row("user_attribute_regist", [("app_user_id", "u-1"), ("attributes", #"{"plan":"gold"}"#)]),
        Row("iphone_certificate_expiry", [], "results", "expires expiry_date key_id reg_date message"),
    ]

    @Test("Each documented call of CORE PUSH answers with its members, and needs the secret or not") func calls()
        async throws
    {
        let described = try Self.describedPaths()
        #expect(Self.rows.map(\.path).sorted() == described.sorted() && described.count == 21)
        try await CorePushClient.run { client in
            var ids: [String: String] = [:]
            for row in Self.rows {
                let fields = row.fields.map { field in
                    (field.0, ids.reduce(field.1) { $0.replacing("{\($1.key)}", with: $1.value) })
                }
                let unkeyed = try await client.send(row.path, fields)
                if !row.isOpen {
                    #expect(unkeyed.status == "1" && unkeyed.message.hasPrefix("Send the secret"), "\(row.path)")
                }
                // What an app may do has been done.
                let reply =
                    row.isOpen
                    ? unkeyed : try await client.send(row.path, fields, secret: CorePushClient.secret)
                check(reply, row)
                if let text = reply["feedback_key"]?.string { ids[row.path] = text }
                if row.path == "iphone_push_request" { ids["push"] = try await deliver(reply, client) }
                print("CORE PUSH \(row.path): \(reply.status == "0" ? "answers" : "refused")")
            }
        }
    }

    // MARK: - Private

    private func check(_ reply: CorePushReply, _ row: Row) {
        if let refusal = row.refusal {
            #expect(reply.status == "1" && reply.message.hasPrefix(refusal), "\(row.path): \(reply.body)")
            return
        }
        let names = ["status", row.answer].compactMap(\.self)
        #expect(reply.status == "0", "\(row.path): \(reply.body)")
        #expect(reply.body.object?.keys.sorted() == names.sorted(), "\(row.path): \(reply.body)")
        guard let answer = row.answer, !row.members.isEmpty else { return }
        let object = reply[answer]?.array?.first ?? reply[answer]
        #expect(object?.object.map { Set($0.keys) } == row.members, "\(row.path): \(reply.body)")
    }

    /// Takes a send's notifications as if Apple had, and returns its push id.
    private func deliver(_ reply: CorePushReply, _ client: CorePushClient) async throws -> String {
        let key = try #require(reply["feedback_key"]?.string.flatMap { CorePushKey($0) })
        let campaign = try #require(try await key.campaigns(client.server.engine.campaigns, app: client.app).first)
        try await client.deliver(campaign)
        return try #require(campaign.occurrence).description
    }

    /// The paths of the API's description.
    private static func describedPaths() throws -> [String] {
        let file = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../../../Sources/CarillonServer/Resources/openapi-core-push.yaml")
        let text = try String(contentsOf: file, encoding: .utf8)
        return text.split(separator: "\n").filter { $0.hasPrefix("  /") && $0.hasSuffix(".php:") }
            .map { String($0.dropFirst(3).dropLast(5)) }
    }
}
