import Carillon
import CarillonModel
import CarillonTestKit
import Foundation
import Testing
import UIKit
import UserNotifications

@testable import CorePush

@Suite("CORE PUSH's pushes")
struct PushTests {
    private func push(_ title: String = "Hello", url: String? = nil) -> TestKitPush {
        var push = TestKitPush(body: title, link: url)
        push.dialect = .corePush
        return push
    }

    @Test("C-78, C-79, C-80 active calls foreground, inactive background, background nothing")
    func states() async throws {
        let phone = try await CorePhone()
        let states: [(SimulatedSystem.AppState, [String])] = [
            (.foreground, ["foreground"]), (.inactive, ["foreground", "background"]),
            (.background, ["foreground", "background"]),
        ]
        for (state, heard) in states {
            phone.state(state)
            await phone.run { $0.handleRemoteNotification(["aps": ["alert": "a"]]) }
            #expect(await phone.log.heard == heard)
        }
    }

    @Test("C-81 the launch options' push calls launching once; without one no method is called")
    func launching() async throws {
        let phone = try await CorePhone(setup: { $0.usesScenes = false })
        await phone.run { $0.handleLaunchingNotification(withOption: nil) }
        await phone.run { $0.handleLaunchingNotification(withOption: [:]) }
        #expect(await phone.log.heard.isEmpty)
        await launchByTap(phone)
        await phone.phone.receive(phone.server.send(push()))
        #expect(await phone.log.heard == ["launching", "background", "foreground"])
    }

    @Test("C-81 with scenes, whose launch options are nil, the tap that launches the app calls launching once")
    func launchingWithScenes() async throws {
        await launchByTap(try await CorePhone(setup: { $0.usesScenes = true }))
    }

    @Test("A notification that is dismissed in the background calls no method", arguments: [false, true])
    func dismissed(usesScenes: Bool) async throws {
        let phone = try await CorePhone(setup: { $0.usesScenes = usesScenes })
        await phone.register()
        phone.phone.leaveApp()
        await phone.phone.respond(.dismiss, to: await phone.phone.receive(phone.server.send(push())))
        phone.phone.endApp()
        await phone.phone.respond(.dismiss, to: await phone.phone.receive(phone.server.send(push())))
        #expect(await phone.log.heard.isEmpty)
    }

    /// Launches an app by a tap, and then brings it to the foreground by one.
    private func launchByTap(_ phone: CorePhone) async {
        await phone.register()
        phone.phone.leaveApp()
        let shown = await phone.phone.receive(phone.server.send(push()))
        phone.phone.endApp()
        await phone.phone.respond(.tap, to: shown)
        #expect(await phone.log.heard == ["launching"])
        phone.phone.leaveApp()
        let second = await phone.phone.receive(phone.server.send(push()))
        await phone.phone.respond(.tap, to: second)
        #expect(await phone.log.heard == ["launching", "background"])
    }

    @Test("C-79 a tap from the background finds the app inactive: background is called once, then it is active")
    func tapFromBehind() async throws {
        let phone = try await CorePhone()
        await phone.register()
        phone.phone.leaveApp()
        let shown = await phone.phone.receive(phone.server.send(push()))
        await phone.phone.respond(.tap, to: shown)
        #expect(await phone.log.heard == ["background"])
        #expect(await phone.run { _ in UIApplication.shared.applicationState } == .active)
    }

    @Test("C-82 a missing delegate, or one without methods, has no effect")
    func noDelegate() async throws {
        let silent = await SilentCoreDelegate()
        let phone = try await CorePhone()
        for delegate in [nil, silent] {
            for state in [SimulatedSystem.AppState.inactive, .foreground] {
                phone.state(state)
                await phone.run { manager in
                    manager.delegate = delegate
                    manager.handleRemoteNotification(["aps": [:]])
                }
            }
            await phone.run { manager in
                manager.handleLaunchingNotification(withOption: [.remoteNotification: ["aps": [String: Any]()]])
            }
        }
        #expect(await phone.log.heard.isEmpty)
    }

    @Test("C-83 the misspelled and the correctly spelled callback are called")
    func spelling() async throws {
        let phone = try await CorePhone()
        let right = await RightSpelling()
        await phone.run { $0.handleRemoteNotification([:]) }
        #expect(await phone.log.heard == ["foreground"])
        await phone.run { manager in
            manager.delegate = right
            manager.handleRemoteNotification([:])
        }
        #expect(await right.count == 1)
    }

    @Test("C-90 the badge is set to n, and removed")
    func badge() async throws {
        let phone = try await CorePhone()
        await phone.run { _ in CorePushManager.setApplicationIconBadgeNumber(7) }
        #expect(phone.phone.badge == 7)
        await phone.run { _ in CorePushManager.resetApplicationIconBadgeNumber() }
        #expect(phone.phone.badge == 0)
    }

    @Test("C-91 a launch is reported with push and location, separately from opened, and once")
    func analytics() async throws {
        let phone = try await CorePhone()
        let told = AnalyticsLog()
        await phone.register()
        _ = await phone.phone.receive(phone.server.send(push()))
        let id = try #require(await phone.log.last["push_id"])
        await phone.doing { manager in
            manager.locationServiceEnabled = true
            CorePushAnalyticsManager.shared.delegate = told
            CorePushAnalyticsManager.shared.requestAppLaunchAnalytics(id, latitude: "35.5", longitude: "139.5")
            CorePushAnalyticsManager.shared.requestAppLaunchAnalytics(id, latitude: "0", longitude: "0")
        }
        let launches = phone.server.events.filter { $0.kind == .launched }
        #expect(launches.map(\.occurrence.description) == [id])
        #expect(launches.first?.latitude == 35.5 && launches.first?.longitude == 139.5)
        #expect(await told.heard == ["success", "success"])
        #expect(!phone.server.events.contains { $0.kind == .opened })
    }

    @Test("C-91 a failed report calls the delegate, and is sent later")
    func analyticsFails() async throws {
        let phone = try await CorePhone()
        let told = AnalyticsLog()
        await phone.register()
        _ = await phone.phone.receive(phone.server.send(push()))
        let id = try #require(await phone.log.last["push_id"])
        phone.server.always(.error(NSError(domain: "NSURLErrorDomain", code: -1009)))
        await phone.doing { _ in
            CorePushAnalyticsManager.shared.delegate = told
            CorePushAnalyticsManager.shared.requestAppLaunchAnalytics(id, latitude: nil, longitude: nil)
            CorePushAnalyticsManager.shared.requestAppLaunchAnalytics("unknown", latitude: nil, longitude: nil)
        }
        #expect(await told.heard == ["fail", "fail"])
        phone.server.always(nil)
        // A report that meets another one on its way, which waits, waits with it.
        for _ in 0..<10_000 where !phone.server.events.contains(where: { $0.kind == .launched }) {
            await phone.doing { _ in
                CorePushAnalyticsManager.shared.requestAppLaunchAnalytics(id, latitude: nil, longitude: nil)
            }
        }
        #expect(phone.server.events.filter { $0.kind == .launched }.count == 1)
    }

    @Test("C-92 without push_id nothing is reported")
    func noPushID() async throws {
        let phone = try await CorePhone()
        let told = AnalyticsLog()
        await phone.register()
        let sent = phone.server.requests.count
        await phone.doing { _ in
            CorePushAnalyticsManager.shared.delegate = told
            CorePushAnalyticsManager.shared.requestAppLaunchAnalytics(nil, latitude: "0", longitude: "0")
            CorePushAnalyticsManager.shared.requestAppLaunchAnalytics("", latitude: "0", longitude: "0")
        }
        #expect(phone.server.requests.count == sent)
        #expect(await told.heard.isEmpty)
    }

    @Test("I-26 an action key of its own is an action event; without one it is a launch, key 001")
    func actionKey() async throws {
        let phone = try await CorePhone()
        await phone.register()
        _ = await phone.phone.receive(phone.server.send(push()))
        let id = try #require(await phone.log.last["push_id"])
        await phone.doing { _ in
            let analytics = CorePushAnalyticsManager.shared
            analytics.requestAppLaunchAnalytics(id, actionKey: nil, latitude: nil, longitude: nil)
            analytics.requestAppLaunchAnalytics(id, actionKey: "101", latitude: nil, longitude: nil)
        }
        #expect(phone.server.events.filter { $0.kind == .launched }.count == 1)
        #expect(phone.server.events.compactMap(\.action) == ["101"])
        #expect(CorePushAnalyticsManager.launchActionKey == "001")
    }

    @Test(
        "C-93 any text in url reaches the callbacks unchanged",
        arguments: ["https://example.com", "page=1", "pass://a/b"]
    )
    func url(_ text: String) async throws {
        let phone = try await CorePhone()
        await phone.register()
        _ = await phone.phone.receive(phone.server.send(push(url: text)))
        #expect(await phone.log.heard == ["foreground"])
        #expect(await phone.log.last["url"] == text)
        phone.phone.leaveApp()
        let shown = await phone.phone.receive(phone.server.send(push(url: text)))
        await phone.phone.respond(.tap, to: shown)
        #expect(await phone.log.heard == ["foreground", "background"])
        #expect(await phone.log.last["url"] == text)
        #expect(phone.phone.openedLinks.isEmpty)
    }
}

@MainActor
private final class SilentCoreDelegate: NSObject, CorePushManagerDelegate {}

@MainActor
private final class RightSpelling: NSObject, CorePushManagerDelegate {
    private(set) var count = 0

    func handleForegroundNotification(_ notification: [AnyHashable: Any]) { count += 1 }
}

@MainActor
final class AnalyticsLog: CorePushAnalyticsManagerDelegate {
    private(set) var heard: [String] = []

    func analyticsManagerSuccess() { heard.append("success") }

    func analyticsManagerFail() { heard.append("fail") }
}
