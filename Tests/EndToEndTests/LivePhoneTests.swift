import Carillon
import CarillonModel
import CarillonOperatorModel
import CarillonServiceExtension
import CarillonTestKit
import Foundation
import Testing
import UIKit

@testable import CarillonCommand

/// An app's delegate as the guide has it.
private final class LiveAppDelegate: UIResponder, UIApplicationDelegate {
    private(set) var carillon: CarillonApp?

    func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions options: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool {
        carillon = try? CarillonApp(CarillonConfiguration(bundle: .main))
        carillon?.start()
        return true
    }

    func application(_ application: UIApplication, didRegisterForRemoteNotificationsWithDeviceToken token: Data) {
        carillon?.didRegister(deviceToken: token)
    }

    func personAgreed() async throws {
        try await carillon?.register(consent: Consent(notifications: true))
    }
}

private nonisolated final class LiveExtension: CarillonNotificationServiceExtension {}

/// The test kit's phone against a running server and the APNs simulator, over HTTP.
@Suite struct LivePhoneTests {
    @Test("A phone made in one call registers, receives a campaign from the simulator, and the funnel counts it")
    func campaign() async throws {
        try await LiveApp.run(.carillon) { live in
            var setup = TestKitPhone.Setup()
            setup.serviceExtension = { LiveExtension() }
            let phone = try await TestKitPhone(
                server: live.running.server,
                appKey: live.appKey,
                simulator: live.running.control,
                topic: DemoMessage.bundleID,
                setup: setup
            ) { LiveAppDelegate() }
            await phone.openApp()
            try await phone.withApp(LiveAppDelegate.self) { try await $0.personAgreed() }
            phone.leaveApp()

            let campaign = try await live.send()
            let shown = try await phone.receiveNext()
            #expect(phone.notifications.map(\.title) == ["Tonight"])
            #expect(await phone.respond(.tap, to: shown))
            try await live.until("the funnel has both") {
                let funnel: Funnel = try await live.running.api.get("v1/campaigns/\(campaign)/funnel")
                return funnel.received == 1 && funnel.opened == 1
            }
            #expect(phone.complaints.isEmpty)
        }
    }

    @Test("A push that does not come, and a simulator that is not there, are errors") func nothing() async throws {
        try await LiveApp.run(.carillon) { live in
            let phone = try await TestKitPhone(
                server: live.running.server,
                appKey: live.appKey,
                simulator: live.running.control,
                topic: DemoMessage.bundleID
            ) { LiveAppDelegate() }
            let error = await #expect(throws: TestKitPhone.FeedFailure.self) { try await phone.receiveNext(within: 0) }
            #expect(error?.description == "no push came within 0.0 seconds")
            await #expect(throws: (any Error).self) {
                _ = try await TestKitPhone(
                    server: live.running.server,
                    appKey: live.appKey,
                    simulator: live.running.server,
                    topic: DemoMessage.bundleID
                ) { LiveAppDelegate() }
            }
        }
    }
}
