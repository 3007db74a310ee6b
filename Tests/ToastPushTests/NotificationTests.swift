import Carillon
import CarillonModel
import CarillonTestKit
import Foundation
import Testing
import UserNotifications

@testable import ToastPush

@Suite("TOAST Push's notifications")
struct NotificationTests {
    private var rich: TestKitPush {
        var push = TestKitPush(title: "Hello", body: "World")
        push.dialect = .toast
        push.buttons = [
            TestKitPush.Button(.reply, id: "say", title: "Reply", hint: "Write", submit: "Send"),
            TestKitPush.Button(.openURL, id: "web", title: "Web", link: "https://example.com/a"),
            TestKitPush.Button(.dismiss, id: "away", title: "Away"),
        ]
        return push
    }

    private func registered(
        _ configure: @escaping @Sendable (ToastPushConfiguration) -> Void = { _ in },
        setup: (inout TestKitPhone.Setup) -> Void = { _ in }
    ) async throws -> ToastPhone {
        let phone = try await ToastPhone(setup: setup, configure: configure)
        #expect(await phone.register().code == nil)
        phone.phone.leaveApp()
        return phone
    }

    @Test("T-102 setNotificationOptions(nil) restores the defaults")
    func options() async throws {
        let phone = try await ToastPhone()
        await phone.phone.run {
            let options = ToastNotificationOptions()
            options.foregroundEnabled = true
            options.soundEnabled = false
            ToastPush.setNotificationOptions(options)
        }
        #expect(await phone.phone.run { ToastPush.notificationOptions().foregroundEnabled })
        await phone.phone.run { ToastPush.setNotificationOptions(nil) }
        let isRestored = await phone.phone.run {
            let options = ToastPush.notificationOptions()
            return !options.foregroundEnabled && options.badgeEnabled && options.soundEnabled
        }
        #expect(isRestored)
    }

    @Test("T-103 in the foreground only foregroundEnabled shows a banner, and the delegate is called")
    func foreground() async throws {
        let phone = try await registered()
        await phone.phone.openApp()
        #expect(await phone.push(TestKitPush(title: "a")) == nil)
        #expect(await phone.log.received(1).map(\.title) == ["a"])
        await phone.phone.run {
            let options = ToastNotificationOptions()
            options.foregroundEnabled = true
            await MainActor.run { ToastPush.setNotificationOptions(options) }
        }
        #expect(await phone.push(TestKitPush(title: "b")) != nil)
        #expect(await phone.log.received(2).map(\.title) == ["a", "b"])
    }

    @Test("T-104 disabled badge and sound are not requested")
    func asked() async throws {
        let phone = try await ToastPhone(launch: { _ in
            let options = ToastNotificationOptions()
            options.badgeEnabled = false
            options.soundEnabled = false
            ToastPush.setNotificationOptions(options)
        })
        await phone.register()
        #expect(phone.phone.system.authorizationOptions == [.alert])
    }

    @Test("T-105 a tap calls the delegate, also when it launches the app", arguments: [false, true])
    func tap(_ isCold: Bool) async throws {
        let phone = try await registered()
        let shown = await phone.push(TestKitPush(title: "Hello"))
        if isCold { phone.phone.endApp() }
        #expect(await phone.phone.respond(.tap, to: shown))
        #expect(await phone.log.opened.map(\.title) == ["Hello"])
        #expect(await phone.log.actions.isEmpty)
        #expect(phone.phone.complaints.isEmpty)
    }

    @Test("T-106 a button passes type, button and message; a reply its text")
    func reply() async throws {
        let phone = try await registered()
        let shown = await phone.push(rich)
        #expect(await phone.phone.respond(.press("say", reply: "yes"), to: shown))
        let actions = await phone.log.actions
        let action = try #require(actions.first)
        #expect(actions.count == 1)
        #expect(action.actionType == .reply && action.userText == "yes")
        #expect(action.button.identifier == "say" && action.button.hint == "Write" && action.button.submit == "Send")
        #expect(action.message.title == "Hello")
        #expect(action.actionIdentifier == "say" && !action.categoryIdentifier.isEmpty)
        #expect(await phone.log.opened.isEmpty)
    }

    @Test("T-107 OPEN_URL opens its URL, DISMISS removes the notification")
    func buttons() async throws {
        let phone = try await registered()
        let first = await phone.push(rich)
        #expect(await phone.phone.respond(.press("web"), to: first))
        #expect(phone.phone.openedLinks.map(\.absoluteString) == ["https://example.com/a"])
        phone.phone.leaveApp()
        let second = await phone.push(rich)
        #expect(await phone.phone.respond(.press("away"), to: second))
        #expect(phone.phone.notifications.isEmpty)
        #expect(await phone.log.actions.map(\.actionType) == [.openURL, .dismiss])
        #expect(phone.phone.openedLinks.count == 1)
    }

    @Test("T-108 clickAction is opened by a tap")
    func clickAction() async throws {
        let phone = try await registered()
        var push = TestKitPush(title: "Hello", link: "https://example.com/click")
        push.dialect = .toast
        let shown = await phone.push(push)
        #expect(await phone.phone.respond(.tap, to: shown))
        #expect(phone.phone.openedLinks.map(\.absoluteString) == ["https://example.com/click"])
        #expect(await phone.log.opened.map(\.clickAction) == ["https://example.com/click"])
    }

    @Test("T-109 the message has the server's number, title, body, badge and the whole payload")
    func message() async throws {
        let phone = try await registered()
        await phone.phone.openApp()
        var push = rich
        push.badge = 3
        push.sound = "signal.caf"
        push.data = ["article": "17"]
        push.media = Media(kind: .image, source: "https://example.com/a.png")
        _ = await phone.push(push)
        let message = try #require(await phone.log.received(1).first)
        #expect(message.identifier == "1")
        #expect(message.title == "Hello" && message.body == "World" && message.badge == 3)
        #expect(message.sound == "signal.caf")
        #expect(message.payload["article"] == "17")
        #expect(message.payload["messageDeliveryReceipt"] == "true")
        #expect(message.payload["aps"]?.contains(#""badge":3"#) == true)
        #expect(message.richMessage?.media?.mediaType == .image)
        #expect(message.richMessage?.buttons?.map(\.buttonType) == [.reply, .openURL, .dismiss])
    }

    @Test("T-109 the number of a push in Carillon's format is its Occurrence")
    func ownWords() async throws {
        let phone = try await registered()
        await phone.phone.openApp()
        _ = await phone.push(TestKitPush(title: "a"))
        let message = try #require(await phone.log.received(1).first)
        #expect(OccurrenceID(message.identifier) != nil)
        #expect(message.richMessage == nil && message.badge == 0)
    }

    @Test("T-110 every method of a delegate is optional")
    func silentDelegate() async throws {
        let silent = await SilentDelegate()
        let phone = try await ToastPhone(launch: { _ in ToastPush.setDelegate(silent) })
        await phone.register()
        _ = await phone.push(rich)
        phone.phone.leaveApp()
        let shown = await phone.push(rich)
        #expect(await phone.phone.respond(.press("say", reply: "yes"), to: shown))
        #expect(phone.phone.complaints.isEmpty)
        #expect(await phone.log.received.isEmpty)
    }

    @Test("T-111 the app's own notification delegate still gets its calls")
    func ownDelegate() async throws {
        let own = OwnDelegate()
        let phone = try await ToastPhone(
            isInitialized: false,
            launch: { app in
                UNUserNotificationCenter.current().delegate = own
                let configuration = ToastPushConfiguration(appKey: TestKitServer.appKey)
                ToastPush.initialize(configuration: configuration, delegate: app)
            }
        )
        await phone.register()
        _ = await phone.push(TestKitPush(title: "a"))
        phone.phone.leaveApp()
        let shown = await phone.push(TestKitPush(title: "b"))
        await phone.phone.respond(.tap, to: shown)
        #expect(own.presented == 1 && own.responses == 1)
        #expect(await phone.log.opened.map(\.title) == ["b"])
        #expect(phone.phone.complaints.isEmpty)
    }
}

@MainActor
private final class SilentDelegate: NSObject, ToastPushDelegate {}

/// The app's own.
private final class OwnDelegate: NSObject, UNUserNotificationCenterDelegate, @unchecked Sendable {
    private let lock = NSLock()
    private var counts = (presented: 0, responses: 0)

    var presented: Int { lock.withLock { counts.presented } }
    var responses: Int { lock.withLock { counts.responses } }

    func userNotificationCenter(
        _ center: UNUserNotificationCenter,
        willPresent notification: UNNotification,
        withCompletionHandler completionHandler: @escaping @Sendable (UNNotificationPresentationOptions) -> Void
    ) {
        lock.withLock { counts.presented += 1 }
        completionHandler([])
    }

    func userNotificationCenter(
        _ center: UNUserNotificationCenter,
        didReceive response: UNNotificationResponse,
        withCompletionHandler completionHandler: @escaping @Sendable () -> Void
    ) {
        lock.withLock { counts.responses += 1 }
        completionHandler()
    }
}
