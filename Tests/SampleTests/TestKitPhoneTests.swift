import Carillon
import CarillonLocation
import CarillonTestKit
import Foundation
import TestSupport
import Testing
import UIKit

/// An app's delegate as the guide has it: it knows nothing of tests.
private final class GuideApp: UIResponder, UIApplicationDelegate, CarillonAppDelegate {
    private(set) var carillon: CarillonApp?
    private(set) var received: [PushMessage] = []

    func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions options: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool {
        do {
            carillon = try CarillonApp(CarillonConfiguration(bundle: .main))
            carillon?.delegate = self
            carillon?.start()
        } catch {
            assertionFailure("\(error)")
        }
        return true
    }

    func application(_ application: UIApplication, didRegisterForRemoteNotificationsWithDeviceToken token: Data) {
        carillon?.didRegister(deviceToken: token)
    }

    func application(
        _ application: UIApplication,
        didReceiveRemoteNotification userInfo: [AnyHashable: Any]
    ) async -> UIBackgroundFetchResult {
        await carillon?.didReceiveRemoteNotification(userInfo) ?? .noData
    }

    func carillon(_ app: CarillonApp, didReceive message: PushMessage) { received.append(message) }

    func personAgreed() async throws {
        try await carillon?.register(consent: Consent(notifications: true), user: UserID(rawValue: "kim"))
    }
}

@Suite("The test kit's phone")
struct TestKitPhoneTests {
    private let server = TestKitServer()

    private func phone(_ change: (inout TestKitPhone.Setup) -> Void = { _ in }) async throws -> TestKitPhone {
        var setup = TestKitPhone.Setup()
        change(&setup)
        let phone = try TestKitPhone(server: server, setup: setup) { GuideApp() }
        await phone.openApp()
        try await phone.withApp(GuideApp.self) { try await $0.personAgreed() }
        return phone
    }

    @Test("An app that reads its Info.plist registers with the phone's server, and keeps its files on the phone")
    func infoPlist() async throws {
        let phone = try await phone()
        #expect(server.registrations.map(\.user) == [UserID(rawValue: "kim")])
        let files = try FileManager.default.contentsOfDirectory(atPath: phone.folder.path)
        #expect(files.contains { $0.contains("registration") || $0.contains("carillon") || $0.contains("Carillon") })
        phone.endApp()
        await phone.openApp()
        let device = try await phone.withApp(GuideApp.self) { try await $0.carillon?.client.lastRegistration?.device }
        #expect(device != nil && server.deviceCount == 1)
    }

    @Test("A silent push wakes the app and shows nothing; it is in no inbox")
    func silentPush() async throws {
        let phone = try await phone()
        phone.leaveApp()
        var push = TestKitPush()
        push.isSilent = true
        push.data = ["article": "17"]

        #expect(await phone.receive(server.send(push)) == nil)
        #expect(phone.notifications.isEmpty)
        let article = try await phone.withApp(GuideApp.self) { $0.received.first?.data["article"]?.string }
        #expect(article == "17")
        let inbox = try await phone.withApp(GuideApp.self) { try await $0.carillon?.client.fetchInbox().messages.count }
        #expect(inbox == 0)
    }

    @Test("The phone is where a test puts it, if the person allows it")
    func location() async throws {
        let phone = try await phone { $0.info["CarillonReportsLocation"] = true }
        phone.setLocation(latitude: 35.68, longitude: 139.76)
        let isSent = try await phone.withApp(GuideApp.self) { try await $0.carillon?.reportCurrentLocation() }
        #expect(isSent == true && server.registrations.first?.location?.latitude == 35.68)

        let refusing = try await self.phone { setup in
            setup.info["CarillonReportsLocation"] = true
            setup.allowsLocation = false
        }
        let error = await #expect(throws: CarillonError.self) {
            try await refusing.withApp(GuideApp.self) { try await $0.carillon?.reportCurrentLocation() }
        }
        #expect(error?.code == .permissionDenied)
    }

    @Test("A message to another User is kept by the server, and its push has the sender")
    func userMessages() async throws {
        let phone = try await phone()
        server.allowsUserMessages = true
        let lee = try #require(UserID(rawValue: "lee"))
        try await phone.withApp(GuideApp.self) { try await $0.carillon?.client.send(to: lee, title: "Kim", body: "Hi") }

        let message = try #require(server.userMessages.first)
        #expect(message.to == lee && message.body == "Hi" && message.push.data == ["from": "kim"])
    }

    @Test("Code for an app that does not run, or of another class, says so") func notRunning() async throws {
        let phone = try await phone()
        await #expect(throws: TestKitPhone.AppNotRunning.self) {
            try await phone.withApp(UIResponderWithoutApp.self) { _ in }
        }
        phone.endApp()
        await #expect(throws: TestKitPhone.AppNotRunning.self) { try await phone.withApp(GuideApp.self) { _ in } }
        await #expect(throws: TestKitPhone.FeedFailure.self) { try await phone.receiveNext() }
    }
}

private final class UIResponderWithoutApp: UIResponder {}
