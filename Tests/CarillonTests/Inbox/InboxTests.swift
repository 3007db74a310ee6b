import Carillon
import CarillonModel
import Foundation
import Testing

@Suite("The inbox")
struct InboxTests {
    private func client(_ count: UInt32 = 3, user: String? = "u1") async throws -> TestClient {
        let test = try TestClient()
        test.server.with { $0.inbox = (1...count).reversed().map { Sample.inboxMessage($0) } }
        if let user { try await test.client.setUser(UserID(rawValue: user)) }
        return test
    }

    @Test("C-84 it has the server's messages in the server's order; a failure is told once")
    func fetch() async throws {
        let test = try await client()
        let inbox = try await test.client.fetchInbox()
        #expect(inbox.messages.map(\.occurrence) == [3, 2, 1].map { Sample.occurrence($0) })
        test.server.answerNext(.problem(500, "internal"))
        let error = await #expect(throws: CarillonError.self) { try await test.client.fetchInbox() }

        #expect(error?.code == .unavailable)
        #expect(try await test.client.storedInbox.messages == inbox.messages)
    }

    @Test("C-85, C-87 reading lowers what is unread by one, once, and survives a restart")
    func read() async throws {
        let test = try await client()
        #expect(try await test.client.fetchInbox().unreadCount == 3)
        let second = Sample.occurrence(2)
        #expect(try await test.client.markRead(second).unreadCount == 2)
        #expect(try await test.client.markRead(second).unreadCount == 2)
        #expect(try await !test.client.storedInbox.isUnread(second))
        #expect(try await test.client.storedInbox.isUnread(Sample.occurrence(1)))
        let again = try test.restarted()
        #expect(try await again.client.unreadCount == 2)

        #expect(try await again.client.fetchInbox().unreadCount == 2)
        #expect(test.server.with { $0.reads["u1"] } == [second])
    }

    @Test("C-86 what is new is unread")
    func new() async throws {
        let test = try await client(1)
        try await test.client.fetchInbox()
        try await test.client.markAllRead()
        test.server.with { $0.inbox.insert(Sample.inboxMessage(9), at: 0) }
        let inbox = try await test.client.fetchInbox()

        #expect(inbox.messages.map(\.isRead) == [false, true])
        #expect(inbox.unreadCount == 1 && inbox.isUnread(Sample.occurrence(9)))
    }

    @Test("C-88 the count covers what was fetched: at most a hundred")
    func hundred() async throws {
        let test = try await client(150)
        let inbox = try await test.client.fetchInbox()

        #expect(inbox.messages.count == 100 && inbox.unreadCount == 100)
        #expect(try await test.client.markAllRead().unreadCount == 0)
    }

    @Test("C-89 a message without a link has none")
    func noLink() async throws {
        let test = try await client(1)
        let json =
            #"{"messages":[{"occurrence":"\#(Sample.occurrence())","title":"T","body":"B","link":null,"#
            + #""isSurvey":false,"sentAt":"2026-11-21T12:00:00Z","isRead":false}],"unread":1}"#
        try await test.client.fetchInbox()
        test.server.answerNext(TransportAnswer(status: 200, body: Data(json.utf8)))
        let message = try await test.client.fetchInbox().messages.first

        #expect(message?.link == nil && message?.title == "T" && message?.body == "B")
    }

    @Test("Messages read offline are saved over a restart, and sent before the inbox is fetched")
    func sendsReadsFirst() async throws {
        let test = try await client()
        try await test.client.fetchInbox()
        test.server.answerAlways(nil)
        #expect(try await test.client.markRead([Sample.occurrence(1), Sample.occurrence(3)]).unreadCount == 1)
        let again = try test.restarted()
        await #expect(throws: CarillonError.self) { try await again.client.fetchInbox() }
        #expect(try await again.client.unreadCount == 1)
        test.server.recover()
        #expect(try await again.client.fetchInbox().unreadCount == 1)

        #expect(test.server.with { $0.reads["u1"] } == [Sample.occurrence(1), Sample.occurrence(3)])
        #expect(Array(test.server.personRequests.suffix(2)) == ["POST inbox/read", "GET inbox"])
    }

    @Test("Read messages are sent by themselves while the client runs") func sendsReadsByItself() async throws {
        let test = try await client()
        try await test.client.fetchInbox()
        let running = Task { await test.client.run() }
        try await test.client.markRead(Sample.occurrence(2))
        while test.server.with({ $0.reads["u1"] }) == nil { await Task.yield() }
        running.cancel()

        #expect(test.server.with { $0.reads["u1"] } == [Sample.occurrence(2)])
    }

    @Test("Marks of an unregistered installation do not register it again") func staysUnregistered() async throws {
        let test = try await client()
        try await test.client.register(consent: Sample.consent, user: UserID(rawValue: "u1"))
        try await test.client.fetchInbox()
        try await test.client.markRead(Sample.occurrence(2))
        try await test.client.unregister()
        await test.client.refresh()

        #expect(test.server.deviceMethods == ["PUT", "DELETE"])
        #expect(test.server.registrations.isEmpty)
    }

    @Test("A Device that the server lost is registered again, then its read messages are sent")
    func registersLostDevices() async throws {
        let test = try await client()
        try await test.client.fetchInbox()
        test.server.forget()
        try await test.client.markRead(Sample.occurrence(2))
        await test.client.refresh()
        await test.client.refresh()

        #expect(test.server.deviceMethods == ["PUT", "PUT"])
        #expect(test.server.with { $0.reads["u1"] } == [Sample.occurrence(2)])
    }

    @Test("Marking all before the first fetch marks all on the server") func marksAllUnfetched() async throws {
        let test = try await client()
        try await test.client.markAllRead()

        #expect(try await test.client.fetchInbox().unreadCount == 0)
        #expect(test.server.with { $0.reads["u1"]?.count } == 3)
    }

    @Test("The inbox of one person is not shown to another") func separatesUsers() async throws {
        let test = try await client()
        try await test.client.fetchInbox()
        test.server.answerAlways(nil)
        try await test.client.markAllRead()
        await #expect(throws: CarillonError.self) { try await test.client.setUser(UserID(rawValue: "u2")) }
        #expect(try await test.client.storedInbox.messages.isEmpty)
        test.server.recover()

        #expect(try await test.client.fetchInbox().unreadCount == 3)
        #expect(test.server.with(\.reads).isEmpty)
    }

    @Test("The inbox needs no registration, no token and no user") func needsNoRegistration() async throws {
        let test = try await client(user: nil)
        #expect(try await test.client.fetchInbox().unreadCount == 3)

        #expect(test.server.deviceMethods == ["PUT"])
        #expect(test.server.registrations.map(\.consent.notifications) == [false])
    }

    @Test("A server that asks to wait gets no request, and the marks stay") func respectsRetryAfter() async throws {
        let test = try await client()
        try await test.client.fetchInbox()
        try await test.client.markRead(Sample.occurrence(2))
        let before = test.server.requests.count
        test.server.answerNext(.problem(429, "rate", headers: ["Retry-After": "60"]))
        await test.client.refresh()
        await test.client.refresh()
        #expect(test.server.requests.count == before + 1)
        test.time.advance(60)
        await test.client.refresh()

        #expect(test.server.with { $0.reads["u1"] } == [Sample.occurrence(2)])
    }
}

@Suite("What an inbox keeps")
struct InboxMachineTests {
    @Test("An answer that is older than a mark does not make the message unread") func keepsNewerMarks() {
        var machine = InboxMachine()
        machine.belong(to: "u")
        machine.replace(with: Inbox(messages: [Sample.inboxMessage(1)]), at: Timestamp(rawValue: 1))
        machine.mark([Sample.occurrence(1)])
        machine.replace(with: Inbox(messages: [Sample.inboxMessage(1)]), at: Timestamp(rawValue: 2))

        #expect(machine.view.unreadCount == 0)
        #expect(machine.reading == InboxReading(occurrences: [Sample.occurrence(1)]))
    }

    @Test("A mark that is set while others are sent is sent with the next request") func sendsNewMarksNext() throws {
        var machine = InboxMachine()
        machine.mark([Sample.occurrence(1)])
        let told = try #require(machine.reading)
        machine.mark([Sample.occurrence(2)])
        machine.finish(told)

        #expect(machine.reading == InboxReading(occurrences: [Sample.occurrence(2)]))
    }

    @Test("Marks are sent in hundreds, and at most a thousand wait") func limitsMarks() {
        var machine = InboxMachine()
        machine.mark((1...1_500).map { Sample.occurrence(UInt32($0)) })

        #expect(machine.memory.marks.count == 1_000)
        #expect(machine.reading?.occurrences?.count == 100)
        #expect(machine.reading?.occurrences?.first == Sample.occurrence(501))
    }
}

extension Sample {
    static func inboxMessage(_ number: UInt32) -> InboxMessage {
        var message = InboxMessage(
            occurrence: occurrence(number),
            sentAt: Timestamp(rawValue: 1_800_000_000_000 + Int64(number)),
            isRead: false
        )
        message.title = "Title \(number)"
        return message
    }
}
