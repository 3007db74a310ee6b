import Foundation
import XCTest

extension OnDeviceTestCase {
    /// A message that was sent to the phone.
    struct Sent {
        let campaign: ServerAPI.Campaign
        let title: String
    }

    func makeAPI() throws -> ServerAPI {
        let configuration = try TestConfiguration()
        return ServerAPI(server: configuration.server, apiKey: configuration.apiKey)
    }

    /// Sends a message, with a title of its own.
    func send(
        _ name: String,
        to device: String,
        channel: String = "notification",
        isSurvey: Bool = false,
        _ change: (inout ServerAPI.Content) -> Void = { _ in }
    ) async throws -> Sent {
        let title = "\(name) \(Int.random(in: 1_000...9_999))"
        var content = ServerAPI.Content(title: title, body: "A test of Carillon.")
        change(&content)
        let message = ServerAPI.Message(content: ["default": content], isSurvey: isSurvey)
        let body = ServerAPI.TestSend(device: device, channel: channel, message: message)
        return Sent(campaign: try await makeAPI().send(body), title: title)
    }

    /// Waits until the server has counted an event once, and fails when it counts none or more.
    func count(
        _ event: (ServerAPI.Funnel) -> Int,
        of sent: Sent,
        within seconds: TimeInterval = person
    ) async throws {
        let api = try makeAPI()
        let end = Date().addingTimeInterval(seconds)
        var funnel = try await api.funnel(sent.campaign)
        while event(funnel) == 0, Date() < end {
            // The server has no call that waits for an event of one phone.
            try await Task.sleep(nanoseconds: 2_000_000_000)
            funnel = try await api.funnel(sent.campaign)
        }
        XCTAssertEqual(funnel.accepted, 1, "APNs did not accept it: \(funnel)")
        XCTAssertEqual(event(funnel), 1, "\(funnel)")
    }
}
