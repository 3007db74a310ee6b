import Carillon
import CarillonModel
import Foundation
import Testing

/// Messages from person to person.
@Suite("Messages to other people")
struct UserMessageTests {
    private static let other = UserID(rawValue: "u-2")!

    private func client(_ user: String? = "u-1") async throws -> TestClient {
        let test = try TestClient()
        if let user { try await test.client.setUser(UserID(rawValue: user)) }
        return test
    }

    @Test("Messages are sent as the phone's user, also from a Device that is not registered yet")
    func sendsAsUser() async throws {
        let test = try await client()
        try await test.client.send(to: Self.other, title: "Kim", body: "Hello")
        try await test.client.send(to: Self.other, body: "Again")

        let sent = test.server.with { $0.messages }
        #expect(sent.map(\.0) == [UserID(rawValue: "u-1"), UserID(rawValue: "u-1")])
        #expect(
            sent.map(\.1) == [
                UserMessage(to: Self.other, title: "Kim", body: "Hello"), UserMessage(to: Self.other, body: "Again"),
            ]
        )
        #expect(test.server.deviceMethods == ["PUT"])
    }

    @Test("A message without a user, or with a text of the wrong length, is refused and not sent")
    func refusesInvalidMessages() async throws {
        let alone = try await client(nil)
        let error = await #expect(throws: CarillonError.self) { try await alone.client.send(to: Self.other, body: "x") }
        #expect(error?.code == .userRequired)

        let test = try await client()
        let wrong: [(String?, String)] = [
            (nil, ""), ("", "x"), (nil, String(repeating: "x", count: 1_001)),
            (String(repeating: "x", count: 101), "x"),
        ]
        for (title, body) in wrong {
            let error = await #expect(throws: CarillonError.self) {
                try await test.client.send(to: Self.other, title: title, body: body)
            }
            #expect(error?.code == .invalidArgument)
        }
        #expect(alone.server.requests.isEmpty && test.server.personRequests.isEmpty)
    }

    @Test("A message that cannot be sent is not stored, and is not sent later by itself")
    func discardsUnsentMessages() async throws {
        let test = try await client()
        try await test.client.send(to: Self.other, body: "first")
        test.server.answerAlways(nil)
        let error = await #expect(throws: CarillonError.self) {
            try await test.client.send(to: Self.other, body: "lost")
        }
        #expect(error?.code == .unreachable)

        test.server.recover()
        try await test.client.send(to: Self.other, body: "last")
        #expect(test.server.with { $0.messages.map(\.1.body) } == ["first", "last"])
    }

    @Test("A refused message is an error with the time to wait or the reason") func reportsRefusals() async throws {
        let test = try await client()
        try await test.client.send(to: Self.other, body: "first")
        test.server.answerNext(.problem(429, "too-many-requests", headers: ["retry-after": "17"]))
        let busy = await #expect(throws: CarillonError.self) { try await test.client.send(to: Self.other, body: "x") }
        #expect(busy?.code == .unavailable && busy?.retryAfter == 17)

        for code in ["user-messages-off", "user-message-refused"] {
            test.server.answerNext(.problem(403, code))
            let error = await #expect(throws: CarillonError.self) {
                try await test.client.send(to: Self.other, body: "x")
            }
            #expect(error?.code == .refused && error?.problem?.code == code)
        }
        #expect(test.server.with { $0.messages.count } == 1)
    }

    @Test("A Device that the server lost is registered again, and its message is sent once")
    func registersLostDevices() async throws {
        let test = try await client()
        try await test.client.send(to: Self.other, body: "first")
        test.server.forget()
        try await test.client.send(to: Self.other, body: "second")
        #expect(test.server.with { $0.messages.map(\.1.body) } == ["first", "second"])
    }
}
