import Carillon
import CarillonModel
import CarillonServiceExtension
import Foundation
import PhoneSimulator
import Testing
import UserNotifications

@Suite("The service extension")
struct ServiceExtensionTests {
    @Test("The extension reports received with the App key alone, though the app never ran")
    func reportsWithAppKey() async throws {
        let test = try TestPhone()
        test.system.permission = .authorized
        let arrival = await test.receive(Sample.payload())

        #expect(arrival.presentation == .shown && arrival.ranExtension)
        #expect(test.server.events == ["\(Sample.occurrence()) received"])
        #expect(test.server.deviceMethods.isEmpty)
    }

    @Test("T-113 without the extension: plain title and body, no received event")
    func withoutExtension() async throws {
        let test = try TestPhone()
        test.system.permission = .authorized
        test.system.makeExtension = nil
        let arrival = await test.receive(Sample.payload(carillon: ["image": "https://a.example/i.png"]))

        #expect(arrival.presentation == .shown && !arrival.ranExtension)
        #expect(test.visible?.request.content.title == "Hello")
        #expect(test.visible?.request.content.attachments.isEmpty == true)
        #expect(test.server.requests.isEmpty)
    }

    @Test("The extension attaches the picture with the type of its content") func attachesPictures() async throws {
        let test = try TestPhone()
        test.system.permission = .authorized
        await test.receive(Sample.payload(carillon: ["image": "https://a.example/picture.php?id=1"]))

        let attachment = try #require(test.visible?.request.content.attachments.first)
        #expect(attachment.type == "public.png")
        #expect(try Data(contentsOf: attachment.url) == SuppliedMedia.pixel)
        #expect(test.visible?.request.content.userInfo["article"] as? Int == 17)
    }

    @Test(
        "The extension loads pictures from https URLs only",
        arguments: ["http://a.example/i.png", "file:///etc/passwd", "data:image/png;base64,AAAA", "nonsense"]
    )
    func requiresHTTPS(url: String) async throws {
        let test = try TestPhone(media: NoMedia())
        test.system.permission = .authorized
        let arrival = await test.receive(Sample.payload(carillon: ["image": url]))

        #expect(arrival.presentation == .shown)
        #expect(test.visible?.request.content.attachments.isEmpty == true)
    }

    @Test(
        "The extension shows the text alone when the picture is invalid",
        arguments: [
            Data(), Data("<html>not found</html>".utf8), Data([0xFF, 0xD8]), Data(repeating: 0x89, count: 11_000_000),
        ]
    )
    func showsTextAlone(picture: Data) async throws {
        let test = try TestPhone(media: SuppliedMedia(picture))
        test.system.permission = .authorized
        await test.receive(Sample.payload(carillon: ["image": "https://a.example/i.png"]))

        #expect(test.visible?.request.content.body == "World")
        #expect(test.visible?.request.content.attachments.isEmpty == true)
        #expect(test.server.events.count == 1)
        #expect(test.folder.files.allSatisfy { !$0.lastPathComponent.hasPrefix("carillon-") })
    }

    @Test("T-116 when its time runs out, what there is by then is shown")
    func timeLimit() async throws {
        let media = StuckMedia()
        let test = try TestPhone(media: media)
        test.system.permission = .authorized
        let system = test.system
        let payload = Sample.payload(carillon: [
            "image": "https://a.example/i.png",
            "buttons": [["id": "yes", "title": "Yes", "kind": "openApp"]],
        ])
        let receiving = Task { await test.receive(payload) }
        await media.untilReached()
        while test.server.events.isEmpty || system.categories.count < 2 { await Task.yield() }
        // The system begins to watch the extension at some moment while that works.
        await test.time.untilSleeping(for: 30)
        test.time.advance(30)
        let arrival = await receiving.value

        #expect(arrival.presentation == .shown)
        #expect(test.visible?.request.content.attachments.isEmpty == true)
        #expect(test.visible?.request.content.body == "World")
        #expect(system.complaints.isEmpty)
    }

    @Test("The extension saves the event when there is no server, and the app sends it later")
    func savesEvents() async throws {
        let test = try TestPhone()
        test.system.permission = .authorized
        test.server.answerAlways(nil)
        await test.receive(Sample.payload())
        test.server.recover()
        #expect(test.server.events.isEmpty)
        try await test.phone.register()
        await test.phone.flush()

        #expect(test.server.events == ["\(Sample.occurrence()) received"])
    }

    @Test("The extension does nothing for a push that is not Carillon's") func ignoresOtherPushes() async throws {
        let test = try TestPhone()
        test.system.permission = .authorized
        let arrival = await test.receive(Data(#"{"aps":{"alert":"Hi","mutable-content":1}}"#.utf8))

        #expect(arrival.presentation == .shown && arrival.ranExtension)
        #expect(test.server.requests.isEmpty)
    }

    @Test("The extension does not run for an app that may not notify") func needsPermission() async throws {
        let test = try TestPhone(promptAnswer: .deny)
        await test.phone.registerAlways()
        try await test.phone.register()
        let arrival = await test.receive(Sample.payload())

        #expect(arrival.presentation == .hidden && !arrival.ranExtension)
        #expect(test.server.events.isEmpty)
        #expect(test.server.registrations.map(\.permission) == [.denied])
    }

    @Test("The extension gives a message's buttons a category and keeps the app's own categories")
    func addsButtonCategories() async throws {
        let test = try TestPhone()
        try await test.phone.register()
        let own = UNNotificationCategory(identifier: "news", actions: [], intentIdentifiers: [])
        test.system.categories.insert(own)
        await test.receive(
            Sample.payload(carillon: [
                "buttons": [
                    ["id": "yes", "title": "Yes", "kind": "openApp"], ["id": "say", "title": "Say", "kind": "reply"],
                    ["id": "no", "title": "No", "kind": "dismiss"],
                ]
            ])
        )

        let name = try #require(test.visible?.request.content.categoryIdentifier)
        let category = try #require(test.system.categories.first { $0.identifier == name })
        #expect(category.actions.map(\.identifier) == ["yes", "say", "no"])
        #expect(category.actions.map(\.options) == [.foreground, [], []])
        #expect(category.actions[1] is UNTextInputNotificationAction)
        #expect(category.options == .customDismissAction)
        #expect(test.system.categories.contains(own))
        #expect(test.system.categories.contains { $0.identifier == DefaultCategory.identifier })
    }

    @Test("The extension keeps a category that the message names") func keepsNamedCategories() async throws {
        let test = try TestPhone()
        test.system.permission = .authorized
        await test.receive(
            Sample.payload(
                aps: ["category": "news"],
                carillon: ["buttons": [["id": "yes", "title": "Yes", "kind": "openApp"]]]
            )
        )

        #expect(test.visible?.request.content.categoryIdentifier == "news")
    }

    @Test("The extension limits the number of categories and keeps those on the screen")
    func limitsCategories() async throws {
        let test = try TestPhone()
        test.system.permission = .authorized
        for number in UInt32(1)...60 {
            let payload = Sample.payload(
                number,
                carillon: [
                    "buttons": [["id": "b\(number)", "title": "B", "kind": "openApp"]]
                ]
            )
            let identifier = number == 1 ? "first" : "other"
            await test.receive(payload, collapseID: identifier)
        }

        #expect(test.system.categories.count < 40)
        #expect(test.system.firstAction(of: "first") == "b1")
        #expect(test.system.firstAction(of: "other") == "b60")
    }
}

final class EmptyExtension: CarillonNotificationServiceExtension {}

struct NoMedia: MediaSource {
    func load(_ url: URL, into file: URL, maximumSize: Int, timeLimit: TimeInterval) async throws {
        Issue.record("no picture may be asked for at \(url)")
    }
}

/// A picture that never comes.
final class StuckMedia: MediaSource {
    private let reached = OneShot<Void>()

    func untilReached() async { await reached.wait() }

    func load(_ url: URL, into file: URL, maximumSize: Int, timeLimit: TimeInterval) async throws {
        reached.complete(())
        try await Task.sleep(nanoseconds: 1 << 60)
    }
}
