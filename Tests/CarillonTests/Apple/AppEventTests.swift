import CarillonModel
import Foundation
import PhoneSimulator
import Testing
import UIKit
import UserNotifications

@testable import Carillon

@Suite("What an app is told")
struct AppEventTests {
    @Test("T-102 at first nothing is shown in front, and badge and sound are on")
    func defaults() {
        let options = NotificationOptions()

        #expect(!options.foreground && options.badge && options.sound)
        #expect(options.presentation == [] && options.authorization == [.alert, .badge, .sound])
    }

    @Test("T-103, C-78 in front there is no banner, yet the app is told, once; with foreground on a banner is shown")
    func front() async throws {
        let test = try TestPhone()
        try await test.phone.register()
        let heard = await Heard.install(on: test.phone)
        await test.system.openApp()
        #expect(await test.receive(Sample.payload(1), collapseID: "c1").presentation == .hidden)
        while heard.events.count < 1 { await Task.yield() }
        await MainActor.run { test.phone.app?.carillon.notificationOptions.foreground = true }
        #expect(await test.receive(Sample.payload(2), collapseID: "c2").presentation == .shown)
        while heard.events.count < 2 { await Task.yield() }

        #expect(heard.received.map(\.id) == [Sample.occurrence(1), Sample.occurrence(2)])
        #expect(heard.opened.isEmpty)
    }

    @Test("T-104 badge and sound that are off are not asked for, nor given in front")
    func off() async throws {
        let test = try TestPhone()
        await test.system.openApp()
        try await test.phone.inside { phone in
            let app = try #require(await phone.app)
            await MainActor.run {
                app.carillon.notificationOptions = NotificationOptions(foreground: true, badge: false, sound: false)
            }
            try await app.carillon.register(consent: Sample.consent)
        }
        #expect(test.system.authorizationOptions == [.alert])
        await test.receive(Sample.payload(aps: ["badge": 7]))

        #expect(test.system.badge == 0 && test.system.visible.count == 1)
    }

    @Test("T-105, C-79, C-80 behind nothing is told until it is tapped")
    func behind() async throws {
        let test = try TestPhone()
        try await test.phone.register()
        let heard = await Heard.install(on: test.phone)
        await test.receive(Sample.payload())
        #expect(heard.events.isEmpty)
        await test.phone.respond(.tap, to: "c1")

        #expect(heard.opened.map(\.id) == [Sample.occurrence()] && heard.events.count == 1)
    }

    @Test("T-105, C-81 a tap that starts the app is told to a delegate that is set at the start, and in launch options")
    func coldStart() async throws {
        let launches = Launches()
        let test = try TestPhone {
            $0.onLaunch = { launches.add($0.carillon, $1) }
            $0.traits.usesScenes = false
        }
        try await test.phone.register()
        #expect(launches.messages == [nil])
        await test.receive(Sample.payload())
        await test.phone.switchOff()
        await test.phone.respond(.tap, to: "c1")

        #expect(launches.messages.map { $0?.id } == [nil, Sample.occurrence()])
        #expect(launches.heard.last?.opened.map(\.id) == [Sample.occurrence()])
    }

    @Test("A stream that is read late contains the tap that started the app") func keepsTheLaunchTap() async throws {
        let test = try TestPhone()
        try await test.phone.register()
        await test.receive(Sample.payload())
        await test.phone.switchOff()
        await test.phone.respond(.tap, to: "c1")
        let stream = try #require(await test.phone.app?.carillon.messages)
        var events = stream.makeAsyncIterator()

        #expect(await events.next()?.message.id == Sample.occurrence())
        await test.receive(Sample.payload(2, carillon: ["buttons": [Self.reply]]), collapseID: "c2")
        await test.phone.respond(.press(action: "say", reply: "Yes"), to: "c2")
        guard case .action(let action) = await events.next() else {
            Issue.record("the action was not told")
            return
        }
        #expect(action.reply == "Yes" && action.kind == .reply)
    }

    @Test("Every stream gets the events that happen while it is read") func servesAllStreams() async throws {
        let test = try TestPhone()
        try await test.phone.register()
        let one = try #require(await test.phone.app?.carillon.messages)
        let two = try #require(await test.phone.app?.carillon.messages)
        await test.receive(Sample.payload())
        await test.phone.respond(.tap, to: "c1")
        var (first, second) = (one.makeAsyncIterator(), two.makeAsyncIterator())
        let (heardFirst, heardSecond) = (await first.next(), await second.next())

        #expect(heardFirst != nil && heardFirst == heardSecond)
    }

    private static let reply = [
        "id": "say", "title": "Say", "kind": "reply", "hint": "Your answer", "submit": "Send",
    ]

    @Test("T-106, I-28 a button comes with its kind, its message and what was typed; hint and send button are its own")
    func button() async throws {
        let test = try TestPhone()
        try await test.phone.register()
        let heard = await Heard.install(on: test.phone)
        await test.receive(Sample.payload(carillon: ["buttons": [Self.reply]]))
        let name = try #require(test.visible?.request.content.categoryIdentifier)
        let category = try #require(test.system.categories.first { $0.identifier == name })
        let input = try #require(category.actions.first as? UNTextInputNotificationAction)
        #expect(input.textInputPlaceholder == "Your answer" && input.textInputButtonTitle == "Send")
        await test.phone.respond(.press(action: "say", reply: "Hello"), to: "c1")

        let action = try #require(heard.actions.first)
        #expect(action.kind == .reply && action.id == "say" && action.button?.title == "Say")
        #expect(action.reply == "Hello" && action.message.id == Sample.occurrence() && action.category == name)
    }

    @Test(
        "T-107 a button opens a page or another app, opens this app, or only goes away",
        arguments: [
            ("openURL", "https://a.example/1", true), ("openURL", "maps://here", true), ("openApp", nil, false),
            ("dismiss", nil, false), ("openURL", "javascript:alert(1)", false),
        ]
    )
    func links(kind: String, link: String?, isOpened: Bool) async throws {
        let test = try TestPhone { $0.configuration.linkSchemes = nil }
        try await test.phone.register()
        let heard = await Heard.install(on: test.phone)
        var button = ["id": "go", "title": "Go", "kind": kind]
        button["link"] = link
        await test.receive(Sample.payload(carillon: ["link": "https://a.example/tap", "buttons": [button]]))
        await test.system.respond(.press(action: "go"), to: "c1")

        #expect(test.system.openedURLs.map(\.absoluteString) == (isOpened ? [link] : []))
        #expect(heard.actions.map { $0.kind?.rawValue } == [kind])
        #expect(test.system.appState == (kind == "dismiss" ? .background : .foreground))
        #expect(test.system.visible.isEmpty)
    }

    @Test("T-108 a tap opens the message's link by itself, unless the app shows it or wants none opened")
    func tapOpens() async throws {
        let test = try TestPhone()
        try await test.phone.register()
        let payload = Sample.payload(carillon: ["link": "https://a.example/ü?q=a b"])
        await test.receive(payload)
        await test.phone.respond(.tap, to: "c1")
        #expect(test.system.openedURLs.map(\.absoluteString) == ["https://a.example/%C3%BC?q=a%20b"])
        let heard = await Heard.install(on: test.phone, opensLinks: false)
        await test.receive(Sample.payload(2, carillon: ["link": "https://a.example/2"]), collapseID: "c2")
        await test.phone.respond(.tap, to: "c2")
        await MainActor.run { test.phone.app?.carillon.opensLinks = false }
        await test.receive(Sample.payload(3, carillon: ["link": "https://a.example/3"]), collapseID: "c3")
        await test.phone.respond(.tap, to: "c3")

        #expect(test.system.openedURLs.count == 1 && heard.opened.count == 2)
    }

    @Test(
        "S1-h6 a tap opens no link that starts a call, another app or an installation, unless the app lists its scheme"
    )
    func tapOpensListedSchemes() async throws {
        let links = [
            "tel:110", "itms-services://?action=download-manifest&url=x", "other-app://pay", "mailto:a@example.com",
            "javascript:alert(1)", "myapp://start", "HTTP://a.example/",
        ]
        for (schemes, opened) in [
            (nil, ["HTTP://a.example/"]),
            (["http", "myapp", "tel", "javascript"], ["tel:110", "myapp://start", "HTTP://a.example/"]),
        ] as [(Set<String>?, [String])] {
            let test = try TestPhone { setup in
                if let schemes { setup.configuration.linkSchemes = schemes }
            }
            try await test.phone.register()
            for (number, link) in links.enumerated() {
                let push = UInt32(number + 1)
                await test.receive(Sample.payload(push, carillon: ["link": link]), collapseID: "c\(push)")
                await test.phone.respond(.tap, to: "c\(push)")
            }
            #expect(test.system.openedURLs.map(\.absoluteString) == opened)
        }
    }

    @Test("S1-h6 the schemes that an app is registered for, and those that it lists, are its own")
    func ownSchemes() {
        let info: [String: Any] = [
            "CFBundleURLTypes": [["CFBundleURLSchemes": ["MyApp"]], ["CFBundleURLName": "x"]],
            "CarillonLinkSchemes": ["mailto"],
        ]
        #expect(LinkText.schemes(info: info) == ["http", "https", "myapp", "mailto"])
        #expect(LinkText.schemes(info: [:]) == ["http", "https"])
    }

    @Test("T-109 a message has the server's id, title, text, badge, sound and the whole payload")
    func message() throws {
        let userInfo = try #require(
            JSONSerialization.jsonObject(
                with: Sample.payload(aps: ["badge": 3, "sound": "signal.caf"], carillon: ["link": "page=1"])
            ) as? [String: Any]
        )
        let message = try #require(PushMessage(userInfo: userInfo))

        #expect(message.id == Sample.occurrence() && message.title == "Hello" && message.body == "World")
        #expect(message.badge == 3 && message.sound == "signal.caf" && message.link == "page=1")
        #expect(message.data == ["article": .integer(17)])
        #expect(message.payload.keys.sorted() == ["aps", "article", "carillon"])
        #expect(PushMessage(userInfo: ["aps": ["alert": "x"]]) == nil)
    }

    @Test("T-110, C-82, I-20 without a delegate, or with one that has no method, nothing breaks")
    func noDelegate() async throws {
        let test = try TestPhone()
        try await test.phone.register()
        await test.receive(Sample.payload(1, carillon: ["buttons": [Self.reply]]), collapseID: "c1")
        await test.phone.respond(.press(action: "say", reply: "x"), to: "c1")
        let silent = SilentDelegate()
        await MainActor.run { test.phone.app?.carillon.delegate = silent }
        await test.receive(Sample.payload(2), collapseID: "c2")
        await test.phone.respond(.tap, to: "c2")
        await test.system.openApp()
        await test.receive(Sample.payload(3), collapseID: "c3")

        #expect(test.system.complaints.isEmpty)
    }

    @Test("T-111 the app's own notification delegate still gets its calls, beside what the SDK tells")
    func ownDelegate() async throws {
        let test = try TestPhone()
        try await test.phone.register()
        let own = await OwnDelegate.install(on: test.phone, presentation: [.banner])
        let heard = await Heard.install(on: test.phone)
        await test.receive(Sample.payload(1), collapseID: "c1")
        await test.phone.respond(.tap, to: "c1")
        await test.system.openApp()
        await test.receive(Sample.payload(2), collapseID: "c2")
        while heard.events.count < 2 { await Task.yield() }

        #expect(own.responses == [UNNotificationDefaultActionIdentifier] && own.presentations == 1)
        #expect(heard.opened.count == 1 && heard.received.count == 1)
    }

    @Test("T-86 the first registration asks for permission; denied, it is an error and nothing is sent")
    func denied() async throws {
        let test = try TestPhone(promptAnswer: .deny)
        let error = await #expect(throws: CarillonError.self) { try await test.phone.register() }

        #expect(error?.code == .permissionDenied && test.system.promptCount == 1)
        #expect(test.server.requests.isEmpty)
    }

    @Test("T-87 an app that always registers does so although it was denied, with its token")
    func always() async throws {
        let test = try TestPhone(promptAnswer: .deny)
        await test.phone.registerAlways()
        try await test.phone.register()

        #expect(test.server.registrations.map(\.permission) == [.denied])
        #expect(test.server.registrations.map(\.token) == [Sample.token()])
    }

    @Test("C-90 the badge is set to a number, to what is unread, and taken away")
    func badge() async throws {
        let test = try TestPhone()
        try await test.phone.register()
        test.server.with { $0.inbox = [Sample.inboxMessage(2), Sample.inboxMessage(1)] }
        try await test.phone.inside { phone in
            let carillon = try #require(await phone.app?.carillon)
            await carillon.setBadge(5)
            #expect(phone.system.badge == 5)
            try await carillon.client.fetchInbox()
            try await carillon.setBadgeToUnread()
            #expect(phone.system.badge == 2)
            await carillon.resetBadge()
            #expect(phone.system.badge == 0)
            await carillon.setBadge(-1)
            #expect(phone.system.badge == 0)
            await carillon.badgeWork?.report.value
        }
        // The last call changes nothing.
        #expect(test.server.badges == [5, 2, 0])
    }

    @Test(
        "C-93 any text in the link travels unchanged, and is told in front, behind and at a cold start; empty is none"
    )
    func anyText() async throws {
        let launches = Launches()
        let test = try TestPhone { $0.onLaunch = { launches.add($0.carillon, $1) } }
        try await test.phone.register()
        let payload = { (number: UInt32, link: String) in Sample.payload(number, carillon: ["link": link]) }
        await test.receive(payload(1, "page=1"), collapseID: "c1")
        await test.phone.respond(.tap, to: "c1")
        await test.system.openApp()
        await test.receive(payload(2, "page=1"), collapseID: "c2")
        test.system.leaveApp()
        await test.receive(payload(3, "page=1"), collapseID: "c3")
        while (launches.heard.first?.events.count ?? 0) < 2 { await Task.yield() }
        await test.phone.switchOff()
        await test.phone.respond(.tap, to: "c3")

        #expect(launches.heard.flatMap(\.events).map(\.message.link) == ["page=1", "page=1", "page=1"])
        #expect(test.system.openedURLs.isEmpty)
        let empty = PushMessage(userInfo: [
            "carillon": ["o": "\(Sample.occurrence())", "r": Sample.receipt, "link": ""]
        ])
        #expect(empty != nil && empty?.link == nil)
    }
}
