import XCTest

/// A call: CallKit rings, and the process that took PushKit's push lives on.
///
/// PushKit's completion has no public trace, so no test observes it. The system ends a process that reports no call: the process
/// that took the push must still be there after the call.
@MainActor
final class CallTests: OnDeviceTestCase {
    func testCallInForeground() async throws {
        let device = try registeredDeviceForCalls()
        let earlier = try line("launched ")

        let sent = try await send("Call", to: device, channel: "voip")
        ask("Look: the phone rings with “\(sent.title)”. Do not answer; the app ends the call after 15 seconds.")

        try line("call \(sent.title)")
        try await count(\.received, of: sent)
        try line("call ended \(sent.title)")
        XCTAssertEqual(try line("launched "), earlier, "the system ended the process")
    }

    func testCallStartsApp() async throws {
        let device = try registeredDeviceForCalls()
        let earlier = try line("launched ")
        app.terminate()
        XCTAssertTrue(app.wait(for: .notRunning, timeout: 10))

        let sent = try await send("Call", to: device, channel: "voip")
        ask("Look: the phone rings with “\(sent.title)”. Do not answer. Decline it if it rings longer than 30 seconds.")

        try await count(\.received, of: sent)
        XCTAssertNotEqual(app.state, .notRunning, "the system ended the process")
        app.activate()
        // A process that the system ended would have left an empty log to its successor.
        try line("call \(sent.title)")
        XCTAssertNotEqual(try line("launched "), earlier)
    }

    private func registeredDeviceForCalls() throws -> String {
        let device = try registeredDevice()
        app.buttons["Register calls"].tap()
        XCTAssertEqual(try line("calls ", within: 60), "calls active apns_voip_sandbox")
        return device
    }
}
