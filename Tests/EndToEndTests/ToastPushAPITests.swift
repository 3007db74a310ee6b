import ApplePushSimulator
import CarillonModel
import CarillonOperatorModel
import CarillonTestKit
import Foundation
import PhoneSimulator
import SampledToastPush
import SimulatorFeed
import Testing
import UserNotifications

@testable import CarillonCommand

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// TOAST Push's REST calls, as a shipped app and its back end make them, from registration to statistics.
@Suite struct ToastPushAPITests {
    @Test("T-130 register, send to a uid, receive, open, count, delete the token, send: nobody")
    func story() async throws {
        try await LiveApp.run(.toast) { live in
            let vendor = try await VendorClient(live)
            try await vendor.register(live.token, uid: "u-17")
            let phone = try await phone(live)

            let message = try await vendor.send(#"{"type":"UID","to":["u-17"]}"#)

            let payload = try #require(await live.nextPayload())
            let read = try JSONDecoder().decode(JSONValue.self, from: payload)
            #expect(read["aps"]?["alert"]?["title"] == .string("Tonight"))
            #expect(read["messageDeliveryReceiptData"]?["messageId"] == .integer(message))
            #expect(read["order"] == .integer(42))
            let shown = await phone.receive(payload)
            #expect(phone.notifications.map(\.title) == ["Tonight"])
            #expect(await phone.respond(.tap, to: shown))
            let counted: [String: Int64] = ["SENT": 1, "SENT_FAILED": 0, "RECEIVED": 1, "OPENED": 1]
            try await live.until("the message is counted") {
                try await vendor.total("&messageId=\(message)") == counted
            }

            #expect(try await vendor.call("DELETE", "tokens/\(live.token)?pushType=APNS", isKeyed: false).code == 0)
            let second = try await vendor.send(#"{"type":"UID","to":["u-17"]}"#)
            try await live.until("the second message reaches nobody") {
                let shown = try await vendor.call("GET", "messages/\(second)")
                return shown.body["message"]?["messageStatus"] == .string("CANCEL_NO_TARGET")
            }
            #expect(phone.complaints.isEmpty)
        }
    }

    @Test("T-75 sent to two, received and opened by one: in the series and in the sums")
    func statistics() async throws {
        try await LiveApp.run(.toast) { live in
            let vendor = try await VendorClient(live)
            let other = try await SimulatorControl(url: live.running.control).tokens(1, topic: DemoMessage.bundleID)[0]
            try await vendor.register(live.token, uid: "u-1")
            try await vendor.register(other, uid: "u-2")
            let phone = try await phone(live)

            _ = try await vendor.send(#"{"type":"ALL"}"#)

            let shown = await phone.receive(await live.nextPayload())
            #expect(await phone.respond(.tap, to: shown))
            let counted: [String: Int64] = ["SENT": 2, "SENT_FAILED": 0, "RECEIVED": 1, "OPENED": 1]
            try await live.until("both are counted") { try await vendor.total("") == counted }
            let series = try await vendor.call("GET", "stats?eventCategory=MESSAGE&timeUnit=MINUTES")
            let points = series.body["stats"]?.array ?? []
            #expect(points.compactMap { $0["events"]?["SENT"]?.integer }.reduce(0, +) == 2)
            #expect(points.compactMap { $0["events"]?["OPENED"]?.integer }.reduce(0, +) == 1)
        }
    }

    @Test("T-26 a token that Apple calls dead is listed with its message, and is not there any more")
    func deadToken() async throws {
        try await LiveApp.run(.toast) { live in
            let vendor = try await VendorClient(live)
            try await vendor.register(live.token, uid: "u-1")
            try live.running.apple.expire(live.token, timestamp: .init(milliseconds: 4_102_444_800_000))

            let message = try await vendor.send(#"{"type":"ALL"}"#)

            try await live.until("the token is listed") {
                let list = try await vendor.call("GET", "invalid-tokens?messageId=\(message)")
                return list.body["invalidTokens"]?.array?.first?["token"] == .string(live.token)
            }
            let path = "tokens/\(live.token)?pushType=APNS"
            #expect(try await vendor.call("GET", path, isKeyed: false).code == 40401)
            let errors = try await vendor.call("GET", "message-errors?messageId=\(message)")
            #expect(errors.code == 0 && errors.body["messageErrors"] == .array([]))
        }
    }

    /// A phone with the vendor's app, whose person allows notifications; it registers nothing itself.
    private func phone(_ live: LiveApp) async throws -> TestKitPhone {
        let appKey = live.appKey
        let phone = try live.phone { ToastAppDelegate(appKey: appKey) { _ in } }
        await phone.openApp()
        let isAllowed = await phone.run {
            try? await UNUserNotificationCenter.current().requestAuthorization(options: [.alert, .sound, .badge])
        }
        #expect(isAllowed == true)
        phone.leaveApp()
        return phone
    }
}

/// The vendor's calls over HTTP.
private struct VendorClient {
    struct Reply {
        var body: JSONValue

        var code: Int64? { body["header"]?["resultCode"]?.integer }
    }

    private let url: URL
    private let secret: String

    /// Turns the API on with generated keys.
    init(_ live: LiveApp) async throws {
        let keys: VendorAPISecrets = try await live.running.api.put(
            "v1/apps/\(live.app)/vendor-apis/toast",
            VendorAPIRequest()
        )
        var change = AppUpdate()
        change.personalMessages = true
        let _: App = try await live.running.api.patch("v1/apps/\(live.app)", change)
        url = live.running.server.appending(path: "push/v2.4/appkeys/\(try #require(keys.key))")
        secret = try #require(keys.secret)
    }

    func call(_ method: String, _ path: String, _ body: String? = nil, isKeyed: Bool = true) async throws -> Reply {
        var request = URLRequest(url: try #require(URL(string: "\(url)/\(path)")))
        request.httpMethod = method
        request.setValue("application/json;charset=UTF-8", forHTTPHeaderField: "Content-Type")
        if isKeyed { request.setValue(secret, forHTTPHeaderField: "X-Secret-Key") }
        request.httpBody = body.map { Data($0.utf8) }
        let (data, answer) = try await URLSession.shared.data(for: request)
        #expect((answer as? HTTPURLResponse)?.statusCode == 200)
        return Reply(body: try JSONDecoder().decode(JSONValue.self, from: data))
    }

    /// Registers a token as an app does.
    func register(_ token: String, uid: String) async throws {
        let body = """
            {"token":"\(token)","oldToken":"\(token)","pushType":"APNS","isNotificationAgreement":true,
            "isAdAgreement":true,"isNightAdAgreement":true,"timezoneId":"Asia/Seoul","country":"KR","language":"ko",
            "uid":"\(uid)","deviceId":"\(UUID().uuidString)"}
            """
        let reply = try await call("POST", "tokens", body, isKeyed: false)
        #expect(reply.code == 0, "\(reply.body)")
    }

    /// Sends a message; returns its number.
    func send(_ target: String) async throws -> Int64 {
        let content = #"{"default":{"title":"Tonight","body":"Doors open at seven","order":42}}"#
        let body = #"{"target":\#(target),"content":\#(content),"messageType":"NOTIFICATION"}"#
        let reply = try await call("POST", "messages", body)
        return try #require(reply.body["message"]?["messageId"]?.integer, "\(reply.body)")
    }

    /// The sums of statistics.
    func total(_ query: String) async throws -> [String: Int64] {
        let reply = try await call("GET", "stats/total?eventCategory=MESSAGE" + query)
        return (reply.body["total"]?.object ?? [:]).compactMapValues(\.integer)
    }
}
