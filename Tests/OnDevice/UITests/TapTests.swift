import XCTest

/// A tap on a notification, in each state of the app.
@MainActor
final class TapTests: OnDeviceTestCase {
    func testTapStartsApp() async throws {
        let device = try registeredDevice()
        let earlier = try line("launched ")
        app.terminate()
        XCTAssertTrue(app.wait(for: .notRunning, timeout: 10))

        let sent = try await send("Stopped", to: device)
        tapNotification(sent.title)

        try await expectOpened(sent)
        XCTAssertNotEqual(try line("launched "), earlier, "the same process: the app was running")
    }

    func testTapFromBackground() async throws {
        let device = try registeredDevice()
        let earlier = try line("launched ")
        leaveApp()

        let sent = try await send("Background", to: device)
        tapNotification(sent.title)

        try await expectOpened(sent)
        XCTAssertEqual(try line("launched "), earlier, "another process: the app was not running")
    }

    func testTapInForeground() async throws {
        let device = try registeredDevice()

        let sent = try await send("Foreground", to: device)
        tapNotification(sent.title)

        try await expectOpened(sent)
        try line("received \(sent.title)")
    }

    private func expectOpened(_ sent: Sent) async throws {
        XCTAssertTrue(app.wait(for: .runningForeground, timeout: Self.person), "the tap did not open the app")
        try line("opened \(sent.title)")
        // Twice would mean that the system's call was handled twice.
        XCTAssertEqual(lines().filter { $0.hasPrefix("opened \(sent.title)") }.count, 1)
        try await count(\.opened, of: sent)
    }
}
