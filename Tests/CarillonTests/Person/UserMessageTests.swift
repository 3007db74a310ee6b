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

    @Test func `go out as the user of the phone, also from one that is not registered yet`() async throws {
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

    @Test func `need a user, and a text of the right length; nothing is sent otherwise`() async throws {
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

    @Test func `are not kept when they cannot be sent: what a person wrote does not go out later by itself`()
        async throws
    {
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

    @Test func `say when to try again, and why they are refused`() async throws {
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

    @Test func `make a Device known again that the server has lost, and go out once`() async throws {
        let test = try await client()
        try await test.client.send(to: Self.other, body: "first")
        test.server.forget()
        try await test.client.send(to: Self.other, body: "second")
        #expect(test.server.with { $0.messages.map(\.1.body) } == ["first", "second"])
    }
}
