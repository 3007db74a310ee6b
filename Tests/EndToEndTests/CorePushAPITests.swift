import CarillonModel
import CarillonOperatorModel
import CarillonTestKit
import Foundation
import PhoneSimulator
import SimulatorFeed
import Testing
import UIKit
import UserNotifications

@testable import CarillonCommand

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// CORE PUSH's calls, as an app without an SDK and its back end make them, from registration to feedback.
@Suite struct CorePushAPITests {
    @Test("C-01, C-03, C-24, C-39, C-45, C-51 register, send, show, count the launch, history, feedback, remove")
    func story() async throws {
        try await LiveApp.run(.corepush) { live in
            let vendor = try await VendorForms(live)
            let token = "device_token=\(live.token)"
            #expect(
                try await vendor.call("iphone_token_regist", token + "&mode=1&app_user_id=山田") == [
                    "status": .string("0")
                ]
            )
            let phone = try live.phone { PlainAppDelegate() }
            await phone.openApp()
            let isAllowed = await phone.run {
                try? await UNUserNotificationCenter.current().requestAuthorization(options: [.alert, .sound, .badge])
            }
            #expect(isAllowed == true)
            phone.leaveApp()

            let key = try await vendor.send(
                #"[{"app_user_id":"山田","message":"開演は7時です","url":"https://example.com/a?b=1","custom_key":{"seat":"A-1"}}]"#
            )

            let payload = try #require(await live.nextPayload())
            let read = try JSONDecoder().decode(JSONValue.self, from: payload)
            #expect(read["aps"]?["alert"] == .string("開演は7時です") && read["seat"] == .string("A-1"))
            #expect(read["url"] == .string("https://example.com/a?b=1") && read["CoreResearch"] == nil)
            let push = try #require(read["push_id"]?.string)
            _ = await phone.receive(payload)
            #expect(phone.notifications.map(\.body) == ["開演は7時です"])
            let launch = token + "&push_id=\(push)&latitude=0&longitude=0&action_key=001"
            try await live.until("the launch is taken") {
                try await vendor.call("launch_regist", launch)["status"] == .string("0")
            }
            let feedback = try await vendor.call("iphone_feedback", "feedback_key=" + key, isKeyed: true)
            #expect(feedback["results"]?["sent"] == .string("1") && feedback["results"]?["failed"] == .string("0"))
            #expect(feedback["results"]?["boot"] == .string("1"))

            // What is to one user is in no history, which everybody may read who has the app.
            #expect(try await vendor.history().isEmpty)
            _ = try await vendor.send(#"[{"app_user_id":"9999999999","message":"皆様へ"}]"#)
            _ = try #require(await live.nextPayload())
            #expect(try await vendor.history() == [.string("皆様へ")])

            #expect(try await vendor.call("iphone_token_regist", token + "&mode=2") == ["status": .string("0")])
            let last = try await vendor.send(#"[{"app_user_id":"9999999999","message":"誰もいない"}]"#)
            try await live.until("the last one is over") {
                let status = try await vendor.call("iphone_push_schedule_status", "feedback_key=" + last, isKeyed: true)
                return status["results"]?["state"] == .string("sent")
            }
            let nobody = try await vendor.call("iphone_feedback", "feedback_key=" + last, isKeyed: true)
            #expect(nobody["results"]?["sent"] == .string("0"))
            #expect(phone.complaints.isEmpty)
        }
    }
}

/// An app without an SDK of ours.
private final class PlainAppDelegate: UIResponder, UIApplicationDelegate {}

/// The vendor's calls over HTTP, in bodies as its own samples write them: not encoded.
private struct VendorForms {
    private let url: URL
    private let key: String
    private let secret: String

    /// Turns the API on with generated keys.
    init(_ live: LiveApp) async throws {
        let keys: VendorAPISecrets = try await live.running.api.put(
            "v1/apps/\(live.app)/vendor-apis/corepush",
            VendorAPIRequest()
        )
        var change = AppUpdate()
        change.personalMessages = true
        let _: App = try await live.running.api.patch("v1/apps/\(live.app)", change)
        url = live.running.server
        key = try #require(keys.key)
        secret = try #require(keys.secret)
    }

    func call(_ name: String, _ body: String, isKeyed: Bool = false) async throws -> [String: JSONValue] {
        var request = URLRequest(url: url.appending(path: name + ".php"))
        request.httpMethod = "POST"
        request.setValue("application/x-www-form-urlencoded", forHTTPHeaderField: "Content-Type")
        if isKeyed {
            let pair = Data("corepush:\(secret)".utf8).base64EncodedString()
            request.setValue("Basic " + pair, forHTTPHeaderField: "Authorization")
        }
        request.httpBody = Data("config_key=\(key)&\(body)&".utf8)
        let (data, answer) = try await URLSession.shared.data(for: request)
        #expect((answer as? HTTPURLResponse)?.statusCode == 200)
        return try #require(try JSONDecoder().decode(JSONValue.self, from: data).object)
    }

    /// Sends items of JSON; returns the key of the feedback.
    func send(_ items: String) async throws -> String {
        let data = Data(items.utf8).base64EncodedString()
        let encoded = data.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
        let reply = try await call("iphone_push_request", "request_data=" + encoded, isKeyed: true)
        return try #require(reply["feedback_key"]?.string, "\(reply)")
    }

    /// The texts of the history.
    func history() async throws -> [JSONValue?] {
        try await call("notify_history", "config_type=1")["results"]?.array?.map { $0["message"] } ?? []
    }
}
