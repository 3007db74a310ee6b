import Carillon
import CarillonAccountModel
import CarillonAccounts
import CarillonModel
import Foundation
import Testing

@Suite("The account of the person")
struct AccountClientTests {
    private static let user = UserID(rawValue: "acc_1")!

    private static func account(_ name: String? = "alice") -> Account {
        Account(user: user, name: name, displayName: name ?? "Guest", createdAt: Timestamp(rawValue: 0))
    }

    /// What the server answers to a person who is signed in.
    private static func session(_ token: String?, name: String? = "alice") throws -> TransportAnswer {
        let session = AccountSession(
            account: account(name),
            token: token,
            expiresAt: Timestamp(rawValue: 1_800_000_000_000),
            userProof: UserProof(expires: 1_900_000_000, signature: String(repeating: "p", count: 43))
        )
        return TransportAnswer(status: 200, body: try JSONEncoder().encode(session))
    }

    /// A client on which somebody is signed in with the token `t-1`.
    private func signedIn() async throws -> TestClient {
        let test = try TestClient()
        test.server.answerNext(try Self.session("t-1"))
        try await test.client.account.signIn(name: "alice", password: "secret")
        return test
    }

    private func tokens(_ test: TestClient) -> [String?] {
        test.server.requests.filter { $0.path.hasPrefix("/v1/accounts") }.map { $0.headers["Carillon-Account-Token"] }
    }

    @Test("M-31 M-32 Signing in has one answer, and the phone is registered as the person's")
    func signsIn() async throws {
        let test = try await signedIn()
        let request = try #require(test.server.requests.first)
        #expect(request.method == "POST" && request.path == "/v1/accounts/sign-in")
        #expect(request.headers["Carillon-App-Key"] == FakeServer.appKey)
        #expect(request.headers["Carillon-Device-Secret"] == nil)
        let body = try JSONDecoder().decode(SignInRequest.self, from: #require(request.body))
        #expect(body == SignInRequest(name: "alice", password: "secret"))
        #expect(try test.client.account.current == Self.account())

        try await test.client.register()

        let registration = try #require(test.server.registrations.first)
        #expect(registration.user == Self.user && registration.userProof?.expires == 1_900_000_000)
        #expect(test.server.requests.count == 2)
    }

    @Test("M-40 The person is signed in still after a restart")
    func survivesRestart() async throws {
        let test = try await signedIn().restarted()
        #expect(try test.client.account.current == Self.account())
        test.server.answerNext(try Self.session(nil))
        #expect(try await test.client.account.refresh() == Self.account())
        #expect(tokens(test) == [nil, "t-1"])
    }

    @Test("M-20 M-21 A token in an answer replaces the former one; without one that stays")
    func renewsToken() async throws {
        let test = try await signedIn()
        test.server.answerNext(try Self.session(nil), try Self.session("t-2"), try Self.session(nil))
        for _ in 0..<3 { try await test.client.account.refresh() }
        #expect(tokens(test) == [nil, "t-1", "t-1", "t-2"])
    }

    @Test("M-19 A token that ended signs the person out, here and in the registration")
    func noticesEnd() async throws {
        let test = try await signedIn()
        try await test.client.register(consent: Sample.consent, user: Self.user)
        test.server.answerNext(.problem(401, "wrong-account-token"))

        #expect(try await test.client.account.refresh() == nil)

        #expect(try test.client.account.current == nil)
        #expect(test.server.registrations.map(\.user) == [nil])
        #expect(try await test.client.account.refresh() == nil)
        #expect(tokens(test) == [nil, "t-1"])
    }

    @Test("M-38 Signing out takes effect before the answer, and sends the old token once")
    func signsOut() async throws {
        let test = try await signedIn()
        let client = test.client
        test.server.holdNext { #expect((try? client.account.current) == .some(nil)) }
        test.server.answerNext(TransportAnswer(status: 204))
        try await client.account.signOut()
        try await client.account.signOut()
        #expect(tokens(test) == [nil, "t-1"])
        try await client.register()
        #expect(test.server.registrations.map(\.user) == [nil])
    }

    @Test("M-39 Without a network the person signs out all the same, and stays signed in otherwise")
    func worksOffline() async throws {
        let test = try await signedIn()
        test.server.answerAlways(nil)
        let error = await #expect(throws: CarillonError.self) { try await test.client.account.refresh() }
        #expect(error?.code == .unreachable)
        #expect(try test.client.account.current == Self.account())
        try await test.client.account.signOut()
        #expect(try test.client.account.current == nil)
        #expect(try test.restarted().client.account.current == nil)
    }

    @Test("An answer that comes after the person signed out does not sign in again")
    func ignoresLateAnswer() async throws {
        let test = try await signedIn()
        let client = test.client
        let (signedOut, done) = AsyncStream.makeStream(of: Void.self)
        test.server.holdNext { for await _ in signedOut { break } }
        let refresh = Task { try await client.account.refresh() }
        while test.server.isHolding { await Task.yield() }
        test.server.answerNext(TransportAnswer(status: 204), try Self.session("t-2"))
        try await client.account.signOut()
        done.yield()

        #expect(try await refresh.value == nil)
        #expect(try client.account.current == nil)
    }

    @Test("Who signs in ends the session of who was signed in before")
    func replacesPerson() async throws {
        let test = try await signedIn()
        test.server.answerNext(try Self.session("t-2"), TransportAnswer(status: 204))
        try await test.client.account.signUp(name: "alice", password: "correct horse")
        #expect(tokens(test) == [nil, nil, "t-1"])
        #expect(test.server.requests.last?.path == "/v1/accounts/me/sign-out")
    }

    @Test("A guest stays the same until the person chooses a name")
    func staysGuest() async throws {
        let test = try TestClient()
        test.server.answerNext(
            try Self.session("t-1", name: nil),
            try Self.session(nil, name: nil),
            try Self.session(nil)
        )
        #expect(try await test.client.account.signInAsGuest().isGuest)
        #expect(try await test.client.account.signInAsGuest().isGuest)
        let named = try await test.client.account.setCredentials(name: "alice", password: "correct horse")
        #expect(try named == Self.account() && test.client.account.current == named)
        #expect(tokens(test) == [nil, "t-1", "t-1"])
    }

    @Test("A guest whose account is gone becomes another one, and without a network stays who it was")
    func replacesGoneGuest() async throws {
        let test = try TestClient()
        test.server.answerNext(try Self.session("t-1", name: nil), nil, .problem(401, "wrong-account-token"))
        let account = test.client.account
        let guest = try await account.signInAsGuest()
        #expect(try await account.signInAsGuest() == guest)

        test.server.answerNext(try Self.session("t-2", name: nil))
        #expect(try await account.signInAsGuest().isGuest)

        #expect(tokens(test) == [nil, "t-1", "t-1", nil])
        test.server.answerNext(try Self.session(nil, name: nil))
        #expect(try await account.refresh() == guest)
        #expect(tokens(test).last == "t-2")
    }

    @Test("When the phone cannot keep who signed in, who was signed in stays so, and the new session ends")
    func keepsFormerPerson() async throws {
        let test = try await signedIn()
        // A folder cannot be replaced by a file.
        let file = try #require(Self.file("account.json", in: test.folder.url))
        try FileManager.default.removeItem(at: file)
        try FileManager.default.createDirectory(at: file, withIntermediateDirectories: false)
        try Data().write(to: file.appendingPathComponent("x"))
        test.server.answerNext(try Self.session("t-2", name: "bob"), TransportAnswer(status: 204))

        let error = await #expect(throws: CarillonError.self) {
            try await test.client.account.signIn(name: "bob", password: "secret")
        }

        #expect(error?.code == .storage)
        #expect(tokens(test) == [nil, nil, "t-2"])
        #expect(test.server.requests.last?.path == "/v1/accounts/me/sign-out")
        try FileManager.default.removeItem(at: file)
        test.server.answerNext(try Self.session(nil))
        #expect(try await test.client.account.refresh() == Self.account())
        #expect(tokens(test).last == "t-1")
    }

    private static func file(_ name: String, in folder: URL) -> URL? {
        let all = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)
        return all?.lazy.compactMap { $0 as? URL }.first { $0.lastPathComponent == name }
    }

    @Test("M-85 What cannot be right is refused here, and who is not signed in")
    func checksArguments() async throws {
        let account = try TestClient().client.account
        let long = String(repeating: "x", count: 257)
        for (name, password) in [("", "correct horse"), ("alice", ""), ("alice", long)] {
            let error = await #expect(throws: CarillonError.self) {
                try await account.signIn(name: name, password: password)
            }
            #expect(error?.code == .invalidArgument)
        }
        let short = await #expect(throws: CarillonError.self) {
            try await account.signUp(name: "alice", password: "short")
        }
        #expect(short?.code == .invalidArgument)
        let nobody = await #expect(throws: CarillonError.self) {
            try await account.changePassword(from: "secret", to: "correct horse")
        }
        #expect(nobody?.code == .userRequired)
    }

    @Test("A deleted account is nobody's, and its password is sent once")
    func deletes() async throws {
        let test = try await signedIn()
        test.server.answerNext(.problem(403, "wrong-name-or-password"), TransportAnswer(status: 204))
        let error = await #expect(throws: CarillonError.self) { try await test.client.account.delete(password: "no") }
        #expect(try error?.code == .refused && test.client.account.current != nil)
        try await test.client.account.delete(password: "secret")
        #expect(try test.client.account.current == nil)
    }
}
