import CarillonModel
import Foundation
import PhoneSimulator
import Testing
import UIKit
import UserNotifications

@testable import Carillon

@Suite("The app's life cycle, with scenes and without", .timeLimit(.minutes(5)))
struct LifeCycleTests {
    @Test("A permission that changed in Settings is sent when the app becomes active", arguments: [false, true])
    func refreshes(usesScenes: Bool) async throws {
        let test = try TestPhone { $0.traits.usesScenes = usesScenes }
        try await test.phone.register()
        test.system.permission = .denied
        await test.system.openApp()
        while test.server.registrations.first?.permission != .denied { await Task.yield() }
    }

    @Test("A device token that changed between two launches is sent at the next one", arguments: [false, true])
    func registersAgain(usesScenes: Bool) async throws {
        let test = try TestPhone { $0.traits.usesScenes = usesScenes }
        try await test.phone.register()
        await test.phone.switchOff()
        let changed = Sample.token(77)
        test.system.token = { Data(changed.bytes) }
        await test.system.openApp()
        while test.server.registrations.first?.token != changed { await Task.yield() }
    }

    @Test("The tap that connects a scene gives its push") func readsConnectionOptions() async throws {
        let test = try TestPhone { $0.traits.usesScenes = true }
        try await test.phone.register()
        await test.receive(Sample.payload())
        let scene = SceneDelegate()
        await test.phone.inside { phone in await MainActor.run { phone.system.center.delegate = scene } }
        await test.phone.respond(.tap, to: "c1")

        #expect(await scene.messages.map(\.id) == [Sample.occurrence()])
        #expect(await PushMessage(connectionOptions: UIScene.ConnectionOptions(notificationResponse: nil)) == nil)
    }

    @Test("A call is known by its object, however long its answer takes, and goes to the app's own delegate once")
    func recognizesCalls() {
        let delegates = ForeignDelegates()
        for _ in 0..<100 { #expect(delegates.begin(NSObject()), "nobody returns calls") }
        let later = SceneDelegate()
        delegates.later = later
        let call = NSObject()
        #expect(delegates.begin(call) && delegates.claimOwn(call))
        #expect(!delegates.begin(call) && !delegates.claimOwn(call))
        for _ in 0..<100 { #expect(delegates.begin(NSObject())) }
        withExtendedLifetime(later) {}
    }

    @Test("An app that never registered requests no device token at its start") func requestsNothing() async throws {
        let test = try TestPhone()
        await test.system.openApp()
        try await test.phone.inside { phone in
            let app = try #require(await phone.app)
            await app.carillon.registerAgain()
            #expect(await !UIApplication.shared.isRegisteredForRemoteNotifications)
        }
        #expect(test.server.requests.isEmpty)
    }
}

/// Connects a scene for each tap, as the system does for an app that was not running.
private final class SceneDelegate: NSObject, UNUserNotificationCenterDelegate, Sendable {
    @MainActor private(set) var messages: [PushMessage] = []

    func userNotificationCenter(
        _ center: UNUserNotificationCenter,
        didReceive response: UNNotificationResponse,
        withCompletionHandler completionHandler: @escaping @Sendable () -> Void
    ) {
        nonisolated(unsafe) let response = response
        MainActor.assumeIsolated {
            let options = UIScene.ConnectionOptions(notificationResponse: response)
            if let message = PushMessage(connectionOptions: options) { messages.append(message) }
        }
        completionHandler()
    }
}
