import Carillon
import CarillonModel
import CarillonOperatorModel
import CarillonTestKit
import CorePush
import Foundation
import PhoneSimulator
import SampledCorePush
import SampledToastPush
import SimulatorFeed
import TestSupport
import Testing
import ToastPush
import UIKit

@testable import CarillonCommand

/// The samples of the vendors' guides against a running server and a simulated Apple, over HTTP.
@Suite struct VendorSampleTests {
    @Test("T-130 TOAST Push's samples register, receive, open, count, unregister, and are sent nothing more")
    func toast() async throws {
        try await LiveApp.run(.toast) { live in
            let lines = LineLog()
            let appKey = live.appKey
            let phone = try live.phone { ToastAppDelegate(appKey: appKey) { lines.add($0) } }
            await phone.openApp()
            await live.sample(on: phone) { samples in
                samples.logIn("u-17")
                samples.register()
                samples.registerForCalls()
            } lines: {
                lines.add($0)
            }
            await lines.until("Successfully registered for calls : " + live.callToken)
            #expect(await lines.all.contains("Successfully registered : " + live.token))

            let tag: CarillonOperatorModel.Tag = try await live.running.api.post(
                "v1/tags",
                ["app": live.app.description],
                TagRequest(name: "news")
            )
            let tags: Set<String>? = await phone.run {
                await withCheckedContinuation { continuation in
                    ToastPush.addUserTag([tag.id.rawValue]) { tags, _ in continuation.resume(returning: tags) }
                }
            }
            #expect(tags == [tag.id.rawValue])

            let campaign = try await live.send()
            let shown = await phone.receive(await live.nextPayload())
            await lines.until("received: Tonight")
            #expect(await phone.respond(.tap, to: shown))
            await lines.until("opened: Tonight")
            try await live.until("the funnel has both") {
                let funnel: Funnel = try await live.running.api.get("v1/campaigns/\(campaign)/funnel")
                return funnel.received == 1 && funnel.opened == 1
            }

            await live.sample(on: phone) {
                $0.unregister()
            } lines: {
                lines.add($0)
            }
            await lines.until("Successfully unregistered token : " + live.token)
            let second = try await live.send()
            let funnel: Funnel = try await live.running.api.get("v1/campaigns/\(second)/funnel")
            #expect(funnel.accepted == 0)
            #expect(phone.complaints.isEmpty)
        }
    }

    @Test("T-85, T-98 the server knows one user; unregistered nothing comes, registered again it does")
    func toastSilence() async throws {
        try await LiveApp.run(.toast) { live in
            let lines = LineLog()
            let appKey = live.appKey
            let phone = try live.phone { ToastAppDelegate(appKey: appKey) { lines.add($0) } }
            await phone.openApp()
            func sample(_ body: @escaping @MainActor @Sendable (ToastSamples) -> Void) async {
                await live.sample(on: phone, body) { lines.add($0) }
            }
            await sample { $0.logIn("u-17") }
            await sample { $0.register() }
            await lines.until("Successfully registered : " + live.token)
            await sample { $0.registerForCalls() }
            await lines.until("Successfully registered for calls : " + live.callToken)
            let user: UserRecord = try await live.running.api.get(
                "v1/users/u-17",
                ["app": "\(live.app)"]
            )
            // The notification token and the call token are one installation of one User.
            #expect(user.user.rawValue == "u-17" && user.contacts.count == 2)
            #expect(Set(user.contacts.map(\.device)).count == 1)

            #expect(try await live.accepted(by: live.send()) == 1)
            let first = await live.nextPayload()
            await sample { $0.unregister() }
            await lines.until("Successfully unregistered token : " + live.token)
            #expect(try await live.accepted(by: live.send()) == 0)
            let again: Bool = await phone.run {
                await withCheckedContinuation { continuation in
                    ToastPush.register { info, _ in continuation.resume(returning: info != nil) }
                }
            }
            #expect(again)
            let third = try await live.send()
            #expect(try await live.accepted(by: third) == 1)
            // What comes next at Apple is the third, not the second.
            let next = await live.nextPayload()
            #expect(next != nil && next != first)
            await phone.receive(next)
            await lines.until("received: Tonight")
            let funnel: Funnel = try await live.running.api.get("v1/campaigns/\(third)/funnel")
            #expect(funnel.targeted == 1)
        }
    }

    @Test("C-67, C-84, C-91 CORE PUSH's samples register, receive, report the launch and show the history")
    func corePush() async throws {
        try await LiveApp.run(.corepush) { live in
            let lines = LineLog()
            let appKey = live.appKey
            let phone = try live.phone { CoreAppDelegate(configKey: appKey) { lines.add($0) } }
            await phone.openApp()
            await live.history(phone)
            let isSent = await phone.run { await MainActor.run { CorePushManager.shared.isDeviceTokenSentToServer } }
            #expect(isSent)

            let campaign = try await live.send(link: "https://example.com/rich")
            await phone.receive(await live.nextPayload())
            await lines.until("foreground: https://example.com/rich")
            try await live.until("the launch is counted") {
                let funnel: Funnel = try await live.running.api.get("v1/campaigns/\(campaign)/funnel")
                return funnel.launched == 1
            }
            await live.history(phone)
            let (line, unread) = await phone.run { await MainActor.run { CoreSamples.readFirst() } }
            #expect(line.hasPrefix("Doors open at seven https://example.com/rich "))
            #expect(unread == 0)
            #expect(phone.complaints.isEmpty)
        }
    }
}

/// A server, an App on it, and a phone's tokens at the simulated Apple.
struct LiveApp: Sendable {
    let running: DemoWorld.Running
    let app: AppID
    let appKey: String
    let token: String
    let callToken: String
    private let payloads: AsyncStream<Data>

    /// Makes all of it, runs a body, and takes it away.
    static func run(_ dialect: App.Dialect, _ body: @escaping @Sendable (LiveApp) async throws -> Void) async throws {
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("carillon-samples-" + UUID().uuidString, isDirectory: true)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try await DemoWorld(folder: folder, port: 0).whileRunning { running in
            let request = AppRequest(
                name: "Samples",
                bundleID: DemoMessage.bundleID,
                identity: .open,
                dialect: dialect
            )
            let secrets: AppSecrets = try await running.api.post("v1/apps", request)
            let key = PushKeyRequest(
                keyID: SampleKey.keyID,
                teamID: SampleKey.teamID,
                privateKey: try String(contentsOf: running.pushKey.file, encoding: .utf8)
            )
            let _: App = try await running.api.put("v1/apps/\(secrets.app.id)/push-key", key)
            let apple = SimulatorControl(url: running.control)
            let token = try await apple.tokens(1, topic: DemoMessage.bundleID)[0]
            let callToken = try await apple.tokens(1, topic: DemoMessage.bundleID + ".voip")[0]
            let (payloads, continuation) = AsyncStream.makeStream(of: Data.self)
            let (opened, open) = AsyncStream.makeStream(of: Void.self)
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask {
                    try? await apple.follow(
                        [token],
                        onOpen: { open.yield() },
                        onLine: { continuation.yield($0.payload) }
                    )
                }
                for await _ in opened { break }
                let live = LiveApp(
                    running: running,
                    app: secrets.app.id,
                    appKey: secrets.appKey,
                    token: token,
                    callToken: callToken,
                    payloads: payloads
                )
                try await body(live)
                group.cancelAll()
            }
        }
    }

    /// A phone with the vendor's app on it; its requests go over the network.
    func phone(_ app: @escaping @MainActor @Sendable () -> any UIApplicationDelegate) throws -> TestKitPhone {
        var setup = TestKitPhone.Setup()
        setup.info = ["CarillonServerURL": running.server.absoluteString]
        setup.extensionInfo = setup.info
        setup.extensionInfo["ToastSDK"] = ["ToastPush": ["AppKey": appKey]]
        setup.serviceExtension = { ToastNotificationService() }
        setup.deviceToken = Data(try #require(DeviceToken(hexadecimal: token)).bytes)
        setup.callToken = Data(try #require(DeviceToken(hexadecimal: callToken)).bytes)
        return try TestKitPhone(server: URLSessionTransport(), setup: setup, app: app)
    }

    /// Sends a campaign to everybody, and waits until it is over.
    func send(link: String? = nil) async throws -> CampaignID {
        var content = LocalizedContent(title: "Tonight", body: "Doors open at seven")
        content.link = link
        let request = CampaignRequest(audience: .all, message: Message(content: ["default": content]))
        let campaign: Campaign = try await running.api.post("v1/campaigns", ["app": app.description], request)
        try await until("the campaign is over") {
            let now: Campaign = try await running.api.get("v1/campaigns/\(campaign.id)")
            return now.state == .sent
        }
        return campaign.id
    }

    /// How many notifications of a campaign Apple took.
    func accepted(by campaign: CampaignID) async throws -> Int {
        let funnel: Funnel = try await running.api.get("v1/campaigns/\(campaign)/funnel")
        return funnel.accepted
    }

    /// What reaches the phone next.
    func nextPayload() async -> Data? {
        for await payload in payloads { return payload }
        return nil
    }

    /// Runs some of TOAST Push's samples.
    func sample(
        on phone: TestKitPhone,
        _ body: @escaping @MainActor @Sendable (ToastSamples) -> Void,
        lines: @escaping @MainActor @Sendable (String) -> Void
    ) async {
        await phone.run { await body(ToastSamples(log: lines)) }
    }

    /// Fetches CORE PUSH's history, which waits until everything before it is done.
    func history(_ phone: TestKitPhone) async {
        await phone.run {
            await withCheckedContinuation { continuation in
                Task { @MainActor in
                    let listener = SampleListener { continuation.resume() }
                    listener.keep = listener
                    CoreSamples.requestHistory(listener)
                }
            }
        }
    }

    func until(_ what: String, _ condition: () async throws -> Bool) async throws {
        let deadline = ContinuousClock.now + .seconds(60)
        while try await !condition() {
            try #require(ContinuousClock.now < deadline, "It took too long until \(what).")
        }
    }
}

@MainActor
private final class SampleListener: CorePushNotificationHistoryManagerDelegate {
    var keep: SampleListener?
    private let finish: () -> Void

    init(finish: @escaping () -> Void) { self.finish = finish }

    func notificationHistoryManagerSuccess() { end() }

    func notificationHistoryManagerFail() { end() }

    private func end() {
        keep = nil
        finish()
    }
}
