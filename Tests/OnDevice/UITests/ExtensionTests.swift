import XCTest

/// The service extension: *received*, picture and buttons; a reply.
@MainActor
final class ExtensionTests: OnDeviceTestCase {
    private static let buttons = [
        ServerAPI.Button(id: "open", title: "Open", kind: "openApp"),
        ServerAPI.Button(id: "answer", title: "Answer", kind: "reply", submit: "Send"),
        ServerAPI.Button(id: "no", title: "No", kind: "dismiss"),
    ]

    func testPictureAndButtons() async throws {
        let device = try registeredDevice()
        let picture = try TestConfiguration().picture
        leaveApp()

        let sent = try await send("Picture", to: device) {
            $0.image = picture
            $0.buttons = Self.buttons
        }
        expandNotification(sent.title, button: "Open")
        XCTAssertTrue(springboard.buttons["Answer"].exists)
        XCTAssertTrue(springboard.buttons["No"].exists)
        try await look("the notification “\(sent.title)” has the picture.")
        springboard.buttons["Open"].tap()

        XCTAssertTrue(app.wait(for: .runningForeground, timeout: Self.person), "the button did not open the app")
        try line("action open ")
        try await count(\.actions, of: sent)
        // The app was in the background: without the extension nobody reports this.
        try await count(\.received, of: sent)
    }

    func testReply() async throws {
        let device = try registeredDevice()
        leaveApp()

        let sent = try await send("Reply", to: device) { $0.buttons = Self.buttons }
        expandNotification(sent.title, button: "Answer")
        springboard.buttons["Answer"].tap()
        typeReply("hello")

        // Before the app is opened: the system wakes it in the background for the reply.
        try await count(\.replies, of: sent)
        app.activate()
        try line("action answer hello of \(sent.title)")
    }

    private func typeReply(_ text: String) {
        let send = springboard.buttons["Send"]
        if springboard.keyboards.firstMatch.waitForExistence(timeout: 5), send.exists {
            springboard.typeText(text)
            send.tap()
        } else {
            ask("Type “\(text)” below the notification, in lower case, and tap “Send”.")
        }
    }
}
