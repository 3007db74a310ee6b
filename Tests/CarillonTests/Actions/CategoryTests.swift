import Carillon
import CarillonModel
import Foundation
import PhoneSimulator
import Testing
import UIKit
import UserNotifications

@Suite("Categories of actions")
struct CategoryTests {
    private static let reply = NotificationAction(
        id: "reply",
        title: "Reply",
        opensApp: true,
        textInput: .init(submit: "Send", hint: "Your answer")
    )
    private static let delete = NotificationAction(
        id: "delete",
        title: "Delete",
        isDestructive: true,
        needsAuthentication: true
    )
    private static let archive = NotificationAction(id: "archive", title: "Archive")

    private func numbered(_ count: Int) -> [NotificationAction] {
        (1...count).map { NotificationAction(id: "a\($0)", title: "A\($0)") }
    }

    @Test("I-04, I-19 an action carries id, title, mode, destruction and authentication unchanged")
    func carries() throws {
        let category = try NotificationCategory(id: "mail", actions: [Self.reply, Self.delete, Self.archive])
        let actions = category.systemCategory.actions

        #expect(actions.map(\.identifier) == ["reply", "delete", "archive"])
        #expect(actions.map(\.title) == ["Reply", "Delete", "Archive"])
        #expect(actions.map(\.options) == [.foreground, [.destructive, .authenticationRequired], []])
        let input = try #require(actions.first as? UNTextInputNotificationAction)
        #expect(input.textInputButtonTitle == "Send" && input.textInputPlaceholder == "Your answer")
    }

    @Test("I-05 an id that is there twice is refused, and nothing is changed")
    func duplicates() throws {
        var category = try NotificationCategory(id: "mail", actions: [Self.archive])
        let error = #expect(throws: CarillonError.self) {
            try category.setActions([Self.delete, Self.delete], for: .standard)
        }
        #expect(error?.code == .invalidArgument)
        #expect(category.actions == [Self.archive])
        let other = NotificationAction(id: "archive", title: "Away")
        #expect(throws: CarillonError.self) { try category.setActions([other], for: .minimal) }
    }

    @Test("I-06 an empty id or title is refused", arguments: [("", "Title"), ("id", ""), ("", "")])
    func empty(id: String, title: String) {
        #expect(throws: CarillonError.self) {
            try NotificationCategory(id: "mail", actions: [NotificationAction(id: id, title: title)])
        }
    }

    @Test(
        "A category with an empty or reserved id is refused",
        arguments: ["", "carillon", "carillon.0123456789abcdef"]
    )
    func refusesReservedIDs(id: String) {
        #expect(throws: CarillonError.self) { try NotificationCategory(id: id) }
    }

    @Test("I-07, I-10 the first four actions count, in their order")
    func four() throws {
        let category = try NotificationCategory(id: "many", actions: numbered(6))

        #expect(category.actions(for: .standard).map(\.id) == ["a1", "a2", "a3", "a4"])
        #expect(category.systemCategory.actions.map(\.identifier) == ["a1", "a2", "a3", "a4"])
    }

    @Test("I-08 the minimal two come first in today's one list")
    func minimal() throws {
        let all = numbered(4)
        let category = try NotificationCategory(id: "many", actions: all, minimal: [all[3], all[1], all[0]])

        #expect(category.actions(for: .minimal).map(\.id) == ["a4", "a2"])
        #expect(category.systemCategory.actions.map(\.identifier) == ["a4", "a2", "a1", "a3"])
    }

    @Test("I-09 without a minimal list, it is the first two of the other")
    func noMinimal() throws {
        let category = try NotificationCategory(id: "many", actions: numbered(4))

        #expect(category.actions(for: .minimal).map(\.id) == ["a1", "a2"])
    }

    @Test(
        "I-11 none or an empty list takes away the actions of that context alone",
        arguments: [[NotificationAction]?.none, []]
    )
    func takenAway(none: [NotificationAction]?) throws {
        var category = try NotificationCategory(id: "mail", actions: numbered(3), minimal: [Self.archive])
        try category.setActions(none, for: .standard)
        #expect(category.actions(for: .standard).isEmpty)
        #expect(category.actions(for: .minimal) == [Self.archive])
        try category.setActions(numbered(3), for: .standard)
        try category.setActions(none, for: .minimal)

        #expect(category.actions(for: .minimal).isEmpty)
        #expect(category.actions.map(\.id) == ["a1", "a2", "a3"])
    }

    @Test("I-12, I-14 of several categories the payload picks one by its id; without one there are no buttons")
    func picked() async throws {
        let test = try await registered([
            NotificationCategory(id: "mail", actions: [Self.archive]),
            NotificationCategory(id: "news", actions: [Self.delete]),
        ])
        await test.receive(Sample.payload(1, aps: ["category": "mail"]), collapseID: "c1")
        await test.receive(Sample.payload(2, aps: ["category": "news"]), collapseID: "c2")
        await test.receive(Sample.payload(3), collapseID: "c3")

        #expect(test.system.firstAction(of: "c1") == "archive")
        #expect(test.system.firstAction(of: "c2") == "delete")
        #expect(test.system.firstAction(of: "c3") == nil)
    }

    @Test("I-15, I-20 a background action does not bring the app to the front; its handler is answered once")
    func background() async throws {
        let test = try await registered([NotificationCategory(id: "mail", actions: [Self.archive])])
        let heard = await Heard.install(on: test.phone)
        await test.receive(Sample.payload(aps: ["category": "mail"]))
        #expect(await test.system.respond(.press(action: "archive"), to: "c1"))

        #expect(test.system.appState == .background)
        #expect(heard.actions.map(\.id) == ["archive"] && heard.actions.map(\.category) == ["mail"])
        #expect(heard.actions.map(\.kind) == [nil])
        #expect(test.system.complaints.isEmpty)
    }

    @Test("I-17 an action that opens the app wants the phone unlocked, whatever it says")
    func foregroundNeedsUnlocking() async throws {
        let open = NotificationAction(id: "open", title: "Open", opensApp: true, needsAuthentication: false)
        let test = try await registered([NotificationCategory(id: "mail", actions: [open])])
        let heard = await Heard.install(on: test.phone)
        await test.receive(Sample.payload(aps: ["category": "mail"]))
        test.system.isLocked = true
        test.system.unlocksWhenAsked = false
        #expect(await !test.system.respond(.press(action: "open"), to: "c1"))
        test.system.unlocksWhenAsked = true
        #expect(await test.system.respond(.press(action: "open"), to: "c1"))

        #expect(heard.actions.count == 1 && !test.system.isLocked && test.system.appState == .foreground)
    }

    @Test("I-18 a background action that wants authentication waits for it; another does not")
    func authentication() async throws {
        let test = try await registered([NotificationCategory(id: "mail", actions: [Self.delete, Self.archive])])
        let heard = await Heard.install(on: test.phone)
        await test.receive(Sample.payload(1, aps: ["category": "mail"]), collapseID: "c1")
        await test.receive(Sample.payload(2, aps: ["category": "mail"]), collapseID: "c2")
        test.system.isLocked = true
        test.system.unlocksWhenAsked = false
        #expect(await !test.system.respond(.press(action: "delete"), to: "c1"))
        #expect(await test.system.respond(.press(action: "archive"), to: "c2"))

        #expect(heard.actions.map(\.id) == ["archive"] && test.system.isLocked)
    }

    @Test("I-21 the handler gets the complete payload, with what other vendors put there")
    func complete() async throws {
        let test = try await registered([NotificationCategory(id: "mail", actions: [Self.archive])])
        let heard = await Heard.install(on: test.phone)
        let payload = Sample.payload(aps: ["category": "mail"])
        var object = try #require(JSONSerialization.jsonObject(with: payload) as? [String: Any])
        object["push_id"] = "451"
        object["url"] = "https://a.example/?n=1"
        await test.receive(try JSONSerialization.data(withJSONObject: object))
        await test.system.respond(.press(action: "archive"), to: "c1")

        let message = try #require(heard.actions.first?.message)
        #expect(message.payload.keys.sorted() == ["aps", "article", "carillon", "push_id", "url"])
        #expect(message.data["push_id"] == .string("451") && message.data["url"] == .string("https://a.example/?n=1"))
        #expect(message.data["article"] == .integer(17))
    }

    @Test("I-22 tapping the notification itself is no action")
    func tap() async throws {
        let test = try await registered([NotificationCategory(id: "mail", actions: [Self.archive])])
        let heard = await Heard.install(on: test.phone)
        await test.receive(Sample.payload(aps: ["category": "mail"]))
        await test.system.respond(.tap, to: "c1")

        #expect(heard.actions.isEmpty && heard.opened.count == 1)
    }

    @Test("I-23 registering again takes the place of what was registered; Carillon's own stay")
    func again() async throws {
        let test = try await registered([NotificationCategory(id: "mail", actions: [Self.archive])])
        await test.receive(Sample.payload(carillon: ["buttons": [["id": "yes", "title": "Yes", "kind": "openApp"]]]))
        try await test.phone.inside { phone in
            try await phone.app?.carillon.setActionCategories([NotificationCategory(id: "news")])
        }

        let names = test.system.categories.map(\.identifier)
        #expect(names.contains("news") && !names.contains("mail") && names.contains("carillon"))
        #expect(names.contains { $0.hasPrefix("carillon.") })
    }

    @Test("Two categories with one id are refused, and the registered categories stay")
    func refusesDuplicateIDs() async throws {
        let test = try await registered([NotificationCategory(id: "mail", actions: [Self.archive])])
        let twice = try [NotificationCategory(id: "x"), NotificationCategory(id: "x")]
        await #expect(throws: CarillonError.self) {
            try await test.phone.inside { phone in try await phone.app?.carillon.setActionCategories(twice) }
        }

        #expect(test.system.categories.contains { $0.identifier == "mail" })
    }

    @Test("I-26 the chosen action may be reported as a launch's action; a plain launch stays its own")
    func actionKey() async throws {
        let test = try TestClient()
        await test.client.report(.launched, of: Sample.push(), action: "001")
        await test.client.report(.launched, of: Sample.push(), action: "archive")
        #expect(await !test.client.report(.launched, of: Sample.push(), action: "001"))
        await test.client.flush()

        #expect(
            test.server.events == ["\(Sample.occurrence()) launched 001", "\(Sample.occurrence()) launched archive"]
        )
    }

    @Test("I-27 mail: reply, delete and archive, with room for two reply and delete; reply alone opens the app")
    func mail() async throws {
        let test = try await registered([
            NotificationCategory(
                id: "NEW_MAIL_CATEGORY",
                actions: [Self.reply, Self.delete, Self.archive],
                minimal: [Self.reply, Self.delete]
            )
        ])
        let heard = await Heard.install(on: test.phone)
        for (number, action) in ["delete", "archive", "reply"].enumerated() {
            let payload = Sample.payload(UInt32(number + 1), aps: ["category": "NEW_MAIL_CATEGORY"])
            await test.receive(payload, collapseID: action)
            await test.system.respond(.press(action: action, reply: "Thanks"), to: action)
            #expect(test.system.appState == (action == "reply" ? .foreground : .background))
        }

        #expect(heard.actions.map(\.id) == ["delete", "archive", "reply"])
        #expect(heard.actions.map(\.reply) == [nil, nil, "Thanks"])
    }

    @Test("I-01, I-02, C-97 registering asks for alert, badge and sound, then for a token; a subset can be chosen")
    func asking() async throws {
        let test = try TestPhone()
        try await test.phone.register()
        #expect(test.system.authorizationOptions == [.alert, .badge, .sound])
        #expect(test.server.registrations.map(\.token) == [Sample.token()])
        try await test.phone.inside { phone in
            _ = try await phone.app?.carillon.register(consent: Sample.consent, options: [.alert])
        }

        #expect(test.system.authorizationOptions == [.alert])
    }

    private func registered(_ categories: @autoclosure () throws -> [NotificationCategory]) async throws -> TestPhone {
        let categories = try categories()
        let test = try TestPhone()
        try await test.phone.register()
        try await test.phone.inside { phone in try await phone.app?.carillon.setActionCategories(categories) }
        return test
    }
}
