import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import Foundation
import HTTPTypes
import HummingbirdTesting
import Testing

@testable import CarillonServer

/// Every documented call of TOAST Push, with the fields of its documented answer.
struct ToastCoverageTests {
    /// A call of the documentation.
    struct Row: Sendable {
        var number: Int
        var method: HTTPRequest.Method
        /// With the names of ids that exist in braces.
        var path: String
        var body: String?
        /// Whether an app may make it without the secret key.
        var isOpen = false
        /// The member of the answer beside `header`, and the fields of its object or of its first element.
        var answer: String?
        var fields: Set<String> = []

        init(
            _ number: Int,
            _ method: HTTPRequest.Method,
            _ path: String,
            _ body: String? = nil,
            isOpen: Bool = false,
            _ answer: String? = nil,
            _ fields: String = ""
        ) {
            (self.number, self.method, self.path, self.body, self.isOpen) = (number, method, path, body, isOpen)
            self.answer = answer
            self.fields = Set(fields.split(separator: " ").map(String.init))
        }
    }

    private static let token =
        "pushType isNotificationAgreement isAdAgreement isNightAdAgreement timezoneId country language uid token "
        + "updatedDateTime adAgreementDateTime nightAdAgreementDateTime deviceId activatedDateTime"
    private static let message =
        "messageId messageIdString target content messageType timeToLiveMinute createdDateTime completedDateTime "
        + "targetCount sentCount messageStatus"
    private static let reservation =
        "reservationId reservationIdString schedules isLocalTime target content messageType timeToLiveMinute "
        + "createdDateTime updatedDateTime completedDateTime reservationStatus"
    private static let tag = "tagId tagName createdDateTime updatedDateTime"
    private static let send =
        #""target":{"type":"ALL"},"content":{"default":{"title":"T","body":"B"}},"messageType":"NOTIFICATION""#
    private static let reserve = #"{\#(send),"schedules":["2026-12-02T09:00"],"isLocalTime":true}"#
    private static let daily =
        #"{"type":"EVERY_DAY","fromDate":"2026-11-22","toDate":"2026-11-23","times":["09:00"]}"#

    static let rows: [Row] = [
        Row(1, .post, "tokens", "{registration}", isOpen: true),
        Row(2, .get, "tokens-by-cursor?limit=1000", nil, "tokens", token),
        Row(3, .get, "tokens/{token}?pushType=APNS", isOpen: true, "token", token),
        Row(4, .get, "tokens?uid=u-1", nil, "tokens", token),
        Row(5, .get, "invalid-tokens?pageIndex=0&pageSize=25", nil, "invalidTokens"),
        Row(7, .post, "messages", "{\(send)}", "message", "messageId messageIdString"),
        Row(8, .get, "messages?pageIndex=0&pageSize=25", nil, "messages", message),
        Row(9, .get, "messages/{message}", nil, "message", message),
        Row(10, .get, "message-errors?messageId={message}&limit=100&pageNumber=1", nil, "messageErrors"),
        Row(11, .get, "logs/message?messageId={message}", nil, "data", "count logs"),
        Row(12, .post, "schedules", daily, "schedules"),
        Row(13, .post, "reservations", reserve, "reservation", "reservationId reservationIdString"),
        Row(14, .get, "reservations?reservationStatus=RESERVED", nil, "reservations", reservation),
        Row(15, .get, "reservations/{reservation}", nil, "reservation", reservation),
        Row(16, .get, "reservations/{reservation}/messages", nil, "messages"),
        Row(17, .put, "reservations/{reservation}", reserve),
        Row(18, .delete, "reservations?reservationIds={reservation}"),
        Row(19, .post, "tags", #"{"tagName":"another"}"#, "tag", "tagId"),
        Row(20, .get, "tags?tagName=another", nil, "tags", tag),
        Row(21, .get, "tags/{tag}", nil, "tag", tag),
        Row(22, .put, "tags/{tag}", #"{"tagName":"renamed"}"#),
        Row(24, .post, "tags/{tag}/uids", #"{"uids":["u-1"]}"#),
        Row(25, .get, "tags/{tag}/uids?limit=10", nil, "uids", "uid tags contacts"),
        Row(26, .delete, "tags/{tag}/uids?uids=u-1"),
        Row(27, .post, "uids", #"{"uid":"u-1","tagIds":["{tag}"]}"#),
        Row(28, .get, "uids/u-1", nil, "uid", "uid tags contacts"),
        Row(30, .post, "uids/u-1/tag-ids", #"{"tagIds":["{tag}"]}"#, isOpen: true),
        Row(31, .get, "uids/u-1/tag-ids", isOpen: true, "tagIds"),
        Row(32, .put, "uids/u-1/tag-ids", #"{"tagIds":["{tag}"]}"#, isOpen: true),
        Row(33, .delete, "uids/u-1/tag-ids?tagIds={tag}", isOpen: true),
        Row(34, .get, "stats?eventCategory=MESSAGE", nil, "stats"),
        Row(35, .get, "stats/total?eventCategory=MESSAGE", nil, "total", "SENT SENT_FAILED RECEIVED OPENED"),
        // What deletes comes last.
        Row(6, .delete, "tokens/{token}?pushType=APNS", isOpen: true),
        Row(23, .delete, "tags/{tag}"),
        Row(29, .delete, "uids?uids=u-1"),
    ]

    @Test(
        "T-01 T-02 each documented call of each version answers with its fields, and needs the secret key or not",
        arguments: ToastVersion.allCases
    )
    func calls(_ version: ToastVersion) async throws {
        #expect(Self.rows.map(\.number).sorted() == Array(1...35))
        try await ToastClient.run { client async throws in
            let client = client.of(version.rawValue)
            var ids = [
                "registration": try ToastClient.registration(), "token": ToastClient.token(1),
                "tag": try await client.makeTag("first"),
            ]
            for row in Self.rows {
                let (path, body) = (filled(row.path, ids), row.body.map { filled($0, ids) })
                let unkeyed = try await client.send(row.method, path, body, secret: nil)
                #expect(unkeyed.code == (row.isOpen ? 0 : 40101), "E\(row.number): \(unkeyed.body)")
                // What an app may do has been done.
                let reply = row.isOpen ? unkeyed : try await client.send(row.method, path, body)
                try check(reply, row, version)
                if let id = reply["message"]?["messageIdString"]?.string { ids["message"] = id }
                if let id = reply["reservation"]?["reservationIdString"]?.string { ids["reservation"] = id }
                let call = "\(row.method) \(row.path.prefix { $0 != "?" })"
                print("TOAST Push \(version.rawValue) E\(row.number) \(call): \(reply.code == 0 ? "answers" : "fails")")
            }
        }
    }

    private func filled(_ text: String, _ ids: [String: String]) -> String {
        ids.reduce(text) { $0.replacing("{\($1.key)}", with: $1.value) }
    }

    private func check(_ reply: ToastReply, _ row: Row, _ version: ToastVersion) throws {
        #expect(reply.code == 0, "E\(row.number): \(reply.body)")
        let isPaged = row.answer == "messages" || row.answer == "reservations"
        let names = ["header", row.answer, isPaged ? "totalCount" : nil].compactMap(\.self)
        #expect(reply.body.object?.keys.sorted() == names.sorted(), "E\(row.number): \(reply.body)")
        guard let answer = row.answer, !row.fields.isEmpty else { return }
        let object = reply[answer]?.array?.first ?? reply[answer]
        var fields = row.fields
        if answer.hasPrefix("token") {
            if version <= .v22 { fields.remove("updatedDateTime") }
            if version <= .v20 { fields.subtract(["deviceId", "activatedDateTime"]) }
            if version <= .v21 { fields.insert("updateDateTime") }
        }
        #expect(Set((try #require(object?.object, "E\(row.number): \(reply.body)")).keys) == fields, "E\(row.number)")
    }
}
