import Carillon
import CarillonModel
import CarillonTestKit
import CorePush
import Foundation
import SampledApp
import SampledCorePush
import SampledScenes
import SampledToastPush
import TestSupport
import Testing
import ToastPush
import UIKit
import UserNotifications

@Suite("The samples of the vendors' guides")
struct SampleTests {
    @Test("The samples of TOAST Push do what their comments say") func toastPush() async throws {
        let server = TestKitServer()
        let lines = LineLog()
        var setup = TestKitPhone.Setup()
        setup.extensionInfo["ToastSDK"] = ["ToastPush": ["AppKey": TestKitServer.appKey]]
        setup.serviceExtension = { ToastNotificationService() }
        let phone = try TestKitPhone(server: server, setup: setup) {
            ToastAppDelegate(appKey: TestKitServer.appKey) { lines.add($0) }
        }
        await phone.openApp()
        await phone.run {
            await MainActor.run {
                let samples = ToastSamples { lines.add($0) }
                samples.logIn("u-17")
                samples.register()
                samples.tags()
                samples.registerForCalls()
            }
        }
        await lines.until("Successfully registered for calls")
        #expect(server.registrations.map(\.user?.rawValue) == ["u-17"])
        #expect(await lines.all.contains("added: ZZPP00b6,ZZPP00b7"))
        #expect(await lines.all.contains("removed: all"))

        await phone.receive(server.send(TestKitPush(title: "Hello")))
        await lines.until("received: Hello")
        #expect(await phone.receiveCall(server.call(TestKitPush(title: "Mina"))))
        await lines.until("call: Mina")
        await phone.run {
            await MainActor.run {
                let samples = ToastSamples { lines.add($0) }
                samples.logOut()
                samples.unregister()
                samples.unregisterFromCalls()
            }
        }
        await lines.until("Unregistered from calls : 02")
        #expect(await lines.all.contains { $0.hasPrefix("Successfully unregistered token : 01") })
        #expect(phone.complaints.isEmpty)
    }

    @Test("The example with scenes knows the push whose tap connected its scene") func scenes() async throws {
        let server = TestKitServer()
        var setup = TestKitPhone.Setup()
        setup.usesScenes = true
        let phone = try TestKitPhone(server: server, setup: setup) {
            let app = SceneAppDelegate()
            app.makeClient = { try TestKitPhone.makeClient() }
            return app
        }
        await phone.openApp()
        await phone.run {
            let app = await MainActor.run { UIApplication.shared.delegate as? SceneAppDelegate }
            await app?.subscribe()
        }
        phone.endApp()
        let shown = await phone.receive(server.send(TestKitPush(title: "News")))
        await phone.respond(.tap, to: shown)

        let title = await phone.run {
            await MainActor.run { (UIApplication.shared.scene?.delegate as? SceneDelegate)?.launchTitle }
        }
        #expect(title == "News")
        #expect(server.deviceCount == 1)
        #expect(phone.complaints.isEmpty)
    }

    @Test("The samples of CORE PUSH and CORE RESEARCH do what their comments say") func coreProducts() async throws {
        let server = TestKitServer()
        let lines = LineLog()
        let phone = try TestKitPhone(server: server) {
            CoreAppDelegate(configKey: TestKitServer.appKey) { lines.add($0) }
        }
        await phone.openApp()
        await history(phone)
        #expect(server.registrations.map(\.token?.hexadecimal) == [String(repeating: "01", count: 32)])

        var survey = TestKitPush(body: "Two questions", link: "https://survey.example/q?id=1")
        survey.dialect = .corePush
        survey.isSurvey = true
        await phone.receive(server.send(survey))
        await lines.until("survey: https://survey.example/q?id=1&pf=ios&cruuid=")
        #expect(await lines.all.first == "foreground: https://survey.example/q?id=1")

        await history(phone)
        let unread = await phone.run { await MainActor.run { CoreSamples.readFirst().unread } }
        #expect(unread == 0 && phone.badge == 0)
        await phone.run {
            await MainActor.run {
                CoreSamples.categories()
                CoreSamples.multiCategories()
                CoreSamples.deviceID()
                CoreSamples.userToUser("https://shop.example/attributes")
            }
        }
        await history(phone)
        let registration = try #require(server.registrations.first)
        #expect(registration.user?.rawValue == "UserId")
        #expect(registration.categories.map { $0 == .standard } == false)
        #expect(server.requests.contains { $0.url.host == "shop.example" })
    }

    @Test("I-27 the mail sample: reply opens the app, delete destroys, archive and delete stay behind")
    func mail() async throws {
        let server = TestKitServer()
        let phone = try TestKitPhone(server: server) {
            CoreAppDelegate(configKey: TestKitServer.appKey) { _ in }
        }
        await phone.openApp()
        await history(phone)
        await phone.run { InteractiveSample.register() }
        let actions = phone.system.categories.first { $0.identifier == "NEW_MAIL_CATEGORY" }?.actions ?? []
        #expect(actions.map(\.identifier) == ["REPLY_ACTION", "DELETE_ACTION", "ARCHIVE_ACTION"])
        #expect(actions.map { $0.options.contains(.foreground) } == [true, false, false])
        #expect(actions.map { $0.options.contains(.destructive) } == [false, true, false])
        phone.leaveApp()
        var push = TestKitPush(title: "Mail")
        push.category = "NEW_MAIL_CATEGORY"
        #expect(await phone.respond(.press("ARCHIVE_ACTION"), to: await phone.receive(server.send(push))))
        #expect(phone.system.appState == .background)
        #expect(await phone.respond(.press("REPLY_ACTION"), to: await phone.receive(server.send(push))))
        #expect(phone.system.appState == .foreground)
    }

    @Test("The app with Carillon's own SDK subscribes, opens a push, takes a call and forgets the person")
    func carillon() async throws {
        let server = TestKitServer()
        let lines = LineLog()
        let running = Running()
        let phone = try TestKitPhone(server: server) {
            let app = AppDelegate(makeClient: { try TestKitPhone.makeClient() }, log: { lines.add($0) })
            running.app = app
            return app
        }
        await phone.openApp()
        await phone.run { await running.app?.subscribe(user: UserID(rawValue: "u-17"), wantsAds: true) }
        let tags = await phone.run {
            await running.app?.addTags(Set([TagID(rawValue: "ZZPP00b6")].compactMap { $0 }))
        }
        #expect(tags?.map(\.rawValue) == ["ZZPP00b6"])
        phone.leaveApp()
        let news = TestKitPush(title: "News", body: "behind", link: "https://example.com/news")
        await phone.respond(.tap, to: await phone.receive(server.send(news)))
        await lines.until("popup: https://example.com/news")
        let inbox = await phone.run { await running.app?.openInbox() }
        #expect(inbox?.count == 1 && inbox?.unread == 0)
        await phone.run { await running.app?.allowCalls() }
        phone.endApp()
        #expect(await phone.receiveCall(server.call(TestKitPush(title: "Mina"))))
        #expect(phone.calls == ["Mina"])
        await phone.run { await running.app?.forget() }
        #expect(server.deviceCount == 0)
        #expect(phone.complaints.isEmpty)
    }

    /// Fetches the history, which waits until everything before it is done.
    private func history(_ phone: TestKitPhone) async {
        await phone.run {
            await withCheckedContinuation { continuation in
                Task { @MainActor in
                    let listener = Listener { continuation.resume() }
                    listener.keep = listener
                    CoreSamples.requestHistory(listener)
                }
            }
        }
    }
}

@MainActor
private final class Running {
    weak var app: AppDelegate?

    nonisolated init() {}
}

@MainActor
private final class Listener: CorePushNotificationHistoryManagerDelegate {
    var keep: Listener?
    private let finish: () -> Void

    init(finish: @escaping () -> Void) { self.finish = finish }

    func notificationHistoryManagerSuccess() { end() }

    func notificationHistoryManagerFail() { end() }

    private func end() {
        keep = nil
        finish()
    }
}
