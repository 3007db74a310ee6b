import Foundation
import XCTest

/// What the cases share: the app, the system's screen, the server.
///
/// A case makes gestures on the system's screen if it finds the element, and otherwise asks the person to make them. What
/// they lead to is asserted in both cases: by the app's log and by the server's counts.
@MainActor
class OnDeviceTestCase: XCTestCase {
    /// How long a notification may take to the phone, in seconds.
    nonisolated static let delivery: TimeInterval = 30
    /// How long a person may take for a gesture, in seconds.
    nonisolated static let person: TimeInterval = 120

    var app: XCUIApplication { XCUIApplication() }
    /// Notifications, buttons below them and questions of the system are on this one's screen.
    var springboard: XCUIApplication { XCUIApplication(bundleIdentifier: "com.apple.springboard") }

    override func setUp() async throws { continueAfterFailure = false }

    override func tearDown() async throws {
        let shown = app.state == .runningForeground ? lines() : ["the app is not in the foreground"]
        let log = XCTAttachment(string: shown.joined(separator: "\n"))
        log.name = "log of the app, newest line first"
        log.lifetime = .keepAlways
        add(log)
    }

    // MARK: - The app

    /// The log on the app's screen, newest line first.
    func lines() -> [String] { app.staticTexts.allElementsBoundByIndex.map(\.label).filter { !$0.isEmpty } }

    /// Waits for a line of the app's log, and returns all of it.
    @discardableResult
    func line(_ start: String, within seconds: TimeInterval = person) throws -> String {
        let found = app.staticTexts.matching(NSPredicate(format: "label BEGINSWITH %@", start)).firstMatch
        XCTAssertTrue(found.waitForExistence(timeout: seconds), "the app's log has no line “\(start) …”")
        return found.label
    }

    /// Starts the app, registers it and returns the Device's id.
    func registeredDevice() throws -> String {
        app.launch()
        app.buttons["Register"].tap()
        let allow = springboard.buttons["Allow"]
        if allow.waitForExistence(timeout: 5) { allow.tap() }
        return String(try line("device ", within: 60).dropFirst("device ".count))
    }

    /// Brings the app to the background, where it stays in memory.
    func leaveApp() {
        XCUIDevice.shared.press(.home)
        XCTAssertTrue(app.wait(for: .runningBackground, timeout: 10) || app.state == .runningBackgroundSuspended)
    }

    // MARK: - The system's screen

    /// A notification by its title, which differs in each run: old ones may still be there.
    func notification(_ title: String) -> XCUIElement {
        springboard.descendants(matching: .any).matching(NSPredicate(format: "label CONTAINS %@", title)).firstMatch
    }

    func tapNotification(_ title: String) {
        let banner = notification(title)
        if banner.waitForExistence(timeout: Self.delivery), banner.isHittable {
            banner.tap()
        } else {
            ask("Tap the notification “\(title)”; it may be in Notification Center.")
        }
    }

    /// Expands a notification, so that its picture and its buttons are there.
    func expandNotification(_ title: String, button: String) {
        let banner = notification(title)
        if banner.waitForExistence(timeout: Self.delivery), banner.isHittable { banner.press(forDuration: 2) }
        let found = springboard.buttons[button]
        guard !found.waitForExistence(timeout: 5) else { return }
        ask("Hold the notification “\(title)”, so that its buttons are there.")
        XCTAssertTrue(found.waitForExistence(timeout: Self.person), "there is no button “\(button)”")
    }

    /// Gives the person the time to look at something.
    func look(_ text: String) async throws {
        ask("Look: " + text)
        try await Task.sleep(nanoseconds: 10_000_000_000)
    }

    /// Asks the person at the phone, in Xcode's console and in the report.
    func ask(_ text: String) {
        print("PERSON: \(text)")
        XCTContext.runActivity(named: "PERSON: \(text)") { _ in }
    }
}
