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
import WebKit

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
                samples.query()
                samples.tags()
                samples.registerForCalls()
            }
        }
        await lines.until("Successfully registered for calls")
        #expect(server.registrations.map(\.user?.rawValue) == ["u-17"])
        #expect(await lines.all.contains("added: ZZPP00b6,ZZPP00b7"))
        #expect(await lines.all.contains("removed: all"))
        await phone.run { await MainActor.run { ToastSamples { lines.add($0) }.registerAgain() } }
        await lines.until("Registered again : 01")
        let info = "Successfully query token info : ToastPushTokenInfo(userID: u-17"
        #expect(await lines.all.contains { $0.hasPrefix(info) })

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

    @Test("TOAST Push's samples of a start in two calls, and of an extension with its App key in code")
    func toastCode() async throws {
        let server = TestKitServer()
        let lines = LineLog()
        var setup = TestKitPhone.Setup()
        setup.serviceExtension = { CodedService() }
        let phone = try TestKitPhone(server: server, setup: setup) {
            TwoCallsApp { lines.add($0) }
        }
        await phone.openApp()
        await phone.run { await MainActor.run { ToastSamples { lines.add($0) }.register() } }
        await lines.until("Successfully registered")
        await phone.receive(server.send(TestKitPush(title: "Hello")))
        await lines.until("received: Hello")
        #expect(server.events.map(\.kind) == [.received])
    }

    @Test("The example with scenes knows the push whose tap connected its scene") func scenes() async throws {
        let server = TestKitServer()
        var setup = TestKitPhone.Setup()
        setup.usesScenes = true
        setup.sceneDelegate = { SceneDelegate() }
        let phone = try TestKitPhone(server: server, setup: setup) {
            SceneAppDelegate()
        }
        await phone.openApp()
        try await phone.withApp(SceneAppDelegate.self) { await $0.subscribe() }
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
        try await surveyHistory(phone)

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

    /// The survey is in the history too, and both are opened over what is shown.
    private func surveyHistory(_ phone: TestKitPhone) async throws {
        let screen = ScreenLog()
        await phone.run {
            await withCheckedContinuation { continuation in
                Task { @MainActor in
                    let listener = Listener { continuation.resume() }
                    listener.keep = listener
                    ResearchSamples.requestHistory(listener)
                }
            }
            await screen.open()
        }
        let (urls, shown) = await (screen.urls, screen.shown)
        #expect(urls.count == 1 && urls == shown)
        #expect(urls.first?.hasPrefix("https://survey.example/q?id=1&pf=ios&cruuid=") == true)
    }

    @Test("CORE PUSH's samples of a rich notification: page and Safari button in a centred popup, and the tab's badge")
    func richNotification() async throws {
        let server = TestKitServer()
        let lines = LineLog()
        let phone = try TestKitPhone(server: server) {
            CoreAppDelegate(configKey: TestKitServer.appKey) { lines.add($0) }
        }
        await phone.openApp()
        await history(phone)
        var push = TestKitPush(body: "Hello", link: "https://example.com/rich")
        push.dialect = .corePush
        phone.leaveApp()
        await phone.respond(.tap, to: await phone.receive(server.send(push)))
        await lines.until("background: https://example.com/rich")
        await history(phone)
        try await phone.run {
            try await MainActor.run {
                let window = UIView(frame: CGRect(x: 0, y: 0, width: 390, height: 844))
                let popup = CoreSamples.popup("https://example.com/rich", over: window)
                #expect(popup.popupView?.frame == CGRect(x: 45, y: 222, width: 300, height: 400))
                let safari = try #require(popup.contentView.subviews.last as? UIButton)
                safari.sendActions(for: .touchUpInside)
                let tab = UIViewController()
                CoreSamples.showUnread(on: tab)
                #expect(tab.tabBarItem.badgeValue == "1")
                popup.hide()
            }
        }
        #expect(phone.openedLinks.map(\.absoluteString).contains("https://example.com/rich"))
    }

    @Test("I-27 the mail sample in two lists: the two of the short one come first in today's one list")
    func mailInBothContexts() async throws {
        let server = TestKitServer()
        let phone = try TestKitPhone(server: server) { CoreAppDelegate(configKey: TestKitServer.appKey) { _ in } }
        await phone.openApp()
        await history(phone)
        try await phone.run { try await InteractiveSample.registerForBothContexts() }
        let actions = phone.system.categories.first { $0.identifier == "NEW_MAIL_CATEGORY" }?.actions ?? []
        #expect(actions.map(\.identifier) == ["REPLY_ACTION", "DELETE_ACTION", "ARCHIVE_ACTION"])
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
        let phone = try TestKitPhone(server: server) {
            let app = AppDelegate()
            app.log = { lines.add($0) }
            return app
        }
        await phone.openApp()
        func app<Result: Sendable>(
            _ body: @MainActor @Sendable (AppDelegate) async -> Result
        ) async throws -> Result {
            try await phone.withApp(AppDelegate.self, body)
        }
        try await app { await $0.subscribe(user: UserID(rawValue: "u-17"), wantsAds: true) }
        let tag = try #require(TagID(rawValue: "ZZPP00b6"))
        #expect(try await app { await $0.addTags([tag]) } == [tag])
        phone.leaveApp()
        let news = TestKitPush(title: "News", body: "behind", link: "https://example.com/news")
        await phone.respond(.tap, to: await phone.receive(server.send(news)))
        await lines.until("popup: https://example.com/news")
        let inbox = try #require(try await app { await $0.openInbox() })
        #expect(inbox.messages.count == 1 && inbox.unreadCount == 0)
        try await app { await $0.allowCalls() }
        phone.endApp()
        #expect(await phone.receiveCall(server.call(TestKitPush(title: "Mina"))))
        #expect(phone.calls == ["Mina"])
        try await app { await $0.forget() }
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
private final class Listener: CorePushNotificationHistoryManagerDelegate, CoreResearchHistoryManagerDelegate {
    var keep: Listener?
    private let finish: () -> Void

    init(finish: @escaping () -> Void) { self.finish = finish }

    func notificationHistoryManagerSuccess() { end() }

    func notificationHistoryManagerFail() { end() }

    func researchHistoryManagerSuccess() { end() }

    func researchHistoryManagerFail() { end() }

    private func end() {
        keep = nil
        finish()
    }
}

/// The surveys of the history, and what is shown of them.
@MainActor
private final class ScreenLog {
    private(set) var urls: [String] = []
    private(set) var shown: [String] = []

    nonisolated init() {}

    func open() {
        let window = UIWindow(frame: UIScreen.main.bounds)
        window.windowScene = UIApplication.shared.connectedScenes.compactMap { $0 as? UIWindowScene }.first
        let root = UIViewController()
        window.rootViewController = root
        window.makeKeyAndVisible()
        urls = ResearchSamples.historyURLs()
        ResearchSamples.showSurvey(of: ["CoreResearch": "1", "url": "https://survey.example/q?id=1"])
        let screen = root.presentedViewController as? QuestionnaireViewController
        shown = [screen?.webView?.url?.absoluteString].compactMap { $0 }
    }
}

private nonisolated final class CodedService: ToastCodedNotificationService {
    override class var appKey: String { TestKitServer.appKey }
}

/// An app that starts as the guide's second sample does.
private final class TwoCallsApp: UIResponder, UIApplicationDelegate, ToastPushDelegate {
    private let log: @MainActor (String) -> Void

    init(log: @escaping @MainActor (String) -> Void) {
        self.log = log
        super.init()
    }

    func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions options: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool {
        ToastSamples.start(appKey: TestKitServer.appKey, delegate: self)
        return true
    }

    func application(_ application: UIApplication, didRegisterForRemoteNotificationsWithDeviceToken token: Data) {
        ToastPush.didRegister(deviceToken: token)
    }

    func didReceiveNotification(message: ToastPushMessage) { log("received: \(message.title ?? "")") }
}
