import XCTest

/// A tap on a survey's notification shows the survey in the app.
@MainActor
final class SurveyTests: OnDeviceTestCase {
    func testSurvey() async throws {
        let device = try registeredDevice()
        let link = try TestConfiguration().survey
        leaveApp()

        let sent = try await send("Survey", to: device, isSurvey: true) { $0.link = link }
        tapNotification(sent.title)

        XCTAssertTrue(app.webViews.firstMatch.waitForExistence(timeout: Self.person), "no page in the app")
        try await look("the page is there, below a bar with a button that closes it.")
        // The log is behind the page, where a test does not see it.
        app.navigationBars.buttons.firstMatch.tap()
        try line("survey \(link)&pf=ios&cruuid=")
        try line("survey closed")
        try await count(\.opened, of: sent)
    }
}
