import XCTest

/// The app gets a device token, and the server has the Device.
@MainActor
final class RegistrationTests: OnDeviceTestCase {
    func testRegisters() async throws {
        let id = try registeredDevice()

        try line("token of ")
        let device = try await makeAPI().device(id)
        XCTAssertEqual(device.tokenState, "active")
        // An app that Xcode installs has a profile for development: the SDK reads it there.
        XCTAssertEqual(device.pushType, "apns_sandbox")
        XCTAssertEqual(device.permission, "authorized")
        XCTAssertTrue(device.consent.notifications)
    }
}
