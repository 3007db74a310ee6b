import Carillon
import CarillonTestKit
import Example
import ExampleNotificationService

/// The app with Carillon's own SDK: every step of a person's life with it.
struct NativeTour {
    private let server = TestKitServer()
    private let phone: TestKitPhone

    init() throws {
        var setup = TestKitPhone.Setup()
        setup.serviceExtension = { NotificationService() }
        phone = try TestKitPhone(server: server, setup: setup) {
            let app = AppDelegate()
            app.log = say
            return app
        }
    }

    func run() async throws {
        step("The app starts, and registers")
        await phone.openApp()
        try await app { await $0.subscribe(user: UserID(rawValue: "u-17"), wantsAds: true) }
        await say("registered: \(server.deviceCount) device")

        step("The person chooses a tag")
        let tags = try await app { app in await app.addTags(Set([TagID(rawValue: "ZZPP00b6")].compactMap { $0 })) }
        await say("tags: \(tags.map(\.rawValue))")

        step("A push comes while the app is in front, then one while it is behind; it is tapped")
        await phone.receive(server.send(TestKitPush(title: "Good morning", body: "in front")))
        phone.leaveApp()
        let news = TestKitPush(title: "News", body: "behind", link: "https://example.com/news")
        await phone.respond(.tap, to: await phone.receive(server.send(news)))

        step("A push with a button for an answer; the app was ended meanwhile")
        phone.endApp()
        var question = TestKitPush(title: "Question", body: "Coming tonight?")
        question.buttons = [TestKitPush.Button(.reply, id: "answer", title: "Answer", hint: "Write", submit: "Send")]
        let shown = await phone.receive(server.send(question))
        await phone.respond(.press("answer", reply: "yes"), to: shown)

        step("A survey")
        var survey = TestKitPush(title: "Survey", body: "Two questions", link: "https://survey.example/q?id=1")
        survey.isSurvey = true
        await phone.respond(.tap, to: await phone.receive(server.send(survey)))

        step("The inbox is opened")
        let inbox = try await app { await $0.openInbox() }
        await say(
            "messages: \(inbox?.messages.count ?? 0), unread: \(inbox?.unreadCount ?? 0), on the icon: \(phone.badge)"
        )

        try await callAndLeave()
    }

    private func callAndLeave() async throws {
        step("The person wants to be called, and is, though the app does not run")
        try await app { await $0.allowCalls() }
        phone.endApp()
        await phone.receiveCall(server.call(TestKitPush(title: "Mina")))
        await say("rings: \(phone.calls)")

        step("The person logs out, and then wants to be forgotten")
        try await app { await $0.logOut() }
        await say("devices: \(server.deviceCount)")
        try await app { await $0.forget() }
        await say("devices: \(server.deviceCount)")
        await say("what the system did not like: \(phone.complaints)")
    }

    /// Has the running app do something.
    private func app<Result: Sendable>(
        _ body: @escaping @MainActor @Sendable (AppDelegate) async -> Result
    ) async throws -> Result {
        try await phone.withApp(AppDelegate.self, body)
    }
}
