import Carillon
import CarillonAccounts
import CarillonModel
import Foundation
import Testing

/// What the SDK does with accounts, with the same result from both servers.
@Suite("Accounts, on both servers")
struct AccountContractTests {
    private func failure(_ body: () async throws -> Void) async -> AccountFailure? {
        do {
            try await body()
            return nil
        } catch { return (error as? CarillonError)?.accountFailure }
    }

    @Test("M-26 M-32 People sign up, in and out, and the phone is theirs", arguments: ContractServer.allCases)
    func signsIn(_ server: ContractServer) async throws {
        try await server.run { world in
            let phone = try await world.registered()
            #expect(
                await failure { try await phone.account.signUp(name: "alice", password: "correct horse") }
                    == .accountsOff
            )
            try await world.turnOnAccounts()
            let account = try await phone.account.signUp(name: "Alice.Lee@example.com", password: "correct horse")
            #expect(account.name == "Alice.Lee@example.com" && account.displayName == "Alice" && !account.isGuest)
            #expect(try await phone.fetchRecord().user == account.user)
            #expect(try await phone.account.refresh() == account)

            let tablet = try world.client("tablet")
            #expect(
                await failure {
                    try await tablet.account.signIn(name: "alice.lee@example.com", password: "wrong horse")
                }
                    == .wrongNameOrPassword
            )
            #expect(
                await failure { try await tablet.account.signIn(name: "nobody", password: "correct horse") }
                    == .wrongNameOrPassword
            )
            #expect(
                await failure {
                    try await tablet.account.signUp(name: "ALICE.lee@example.com", password: "battery staple")
                }
                    == .nameTaken
            )
            #expect(
                await failure { try await tablet.account.signUp(name: "correct horse", password: "correct horse") }
                    == .invalidPassword
            )
            #expect(
                await failure { try await tablet.account.signUp(name: "bob ", password: "correct horse") }
                    == .invalidName
            )
            let same = try await tablet.account.signIn(name: "alice.lee@example.com", password: "correct horse")
            #expect(same == account)

            try await phone.account.changePassword(from: "correct horse", to: "battery staple")
            #expect(try await tablet.account.refresh() == nil)
            #expect(try await phone.account.refresh() == account)
            #expect(
                await failure { try await phone.account.changePassword(from: "correct horse", to: "other staple") }
                    == .wrongNameOrPassword
            )
            try await phone.account.signOut()
            #expect(try await phone.fetchRecord().user == nil)
            #expect(
                await failure { try await phone.account.changePassword(from: "a", to: "battery staple") }
                    == .notSignedIn
            )
        }
    }

    @Test("A guest chooses a name later, and deletes the account", arguments: ContractServer.allCases)
    func guest(_ server: ContractServer) async throws {
        try await server.run { world in
            try await world.turnOnAccounts()
            let phone = try await world.registered()
            let guest = try await phone.account.signInAsGuest()
            #expect(guest.isGuest && guest.name == nil && guest.displayName == "Guest")
            #expect(
                await failure { try await phone.account.changePassword(from: "a", to: "battery staple") }
                    == .withoutPassword
            )
            let named = try await phone.account.setCredentials(
                name: "bob",
                password: "correct horse",
                displayName: "Bob!"
            )
            #expect(named.user == guest.user && named.displayName == "Bob!" && !named.isGuest)
            #expect(
                await failure { try await phone.account.setCredentials(name: "carl", password: "correct horse") }
                    == .hasPassword
            )
            #expect(await failure { try await phone.account.delete(password: "wrong horse") } == .wrongNameOrPassword)
            #expect(await failure { try await phone.account.delete(password: nil) } == .invalidPassword)
            try await phone.account.delete(password: "correct horse")
            #expect(try phone.account.current == nil)
            #expect(
                await failure { try await phone.account.signIn(name: "bob", password: "correct horse") }
                    == .wrongNameOrPassword
            )
        }
    }

    @Test("Calls about accounts are refused alike", arguments: ContractServer.allCases)
    func refusals(_ server: ContractServer) async throws {
        try await server.run { world in
            let call = { (method: String, path: String, body: String?) in
                RawRequest(method, "", body).with { $0.path = "/v1/accounts/" + path }
            }
            let expect = { (request: RawRequest, wanted: RawAnswer) async throws in
                #expect(try await world.exchange(request) == wanted, "\(request.method) \(request.path)")
            }
            let person = #"{"name":"alice","password":"correct horse"}"#
            try await expect(call("POST", "sign-in", person), .init(403, "accounts-off"))
            try await expect(call("GET", "me", nil), .init(403, "accounts-off"))
            try await expect(call("POST", "sign-in", "{}"), .init(422, "invalid-field", "name"))
            try await world.turnOnAccounts()
            try await expect(call("GET", "me", nil), .init(401, "wrong-account-token"))
            try await expect(call("POST", "me/sign-out", nil), .init(204))
            try await expect(call("PUT", "me/credentials", person), .init(401, "wrong-account-token"))
            try await expect(call("GET", "sign-in", nil), .init(405, "method-not-allowed"))
            try await expect(call("GET", "nothing", nil), .init(404, "unknown-path"))
            try await expect(call("GET", "me?x=1", nil), .init(422, "invalid-field", "x"))
            try await expect(call("POST", "sign-in", "{"), .init(400, "malformed-json"))
            let unknown = call("POST", "sign-in", person).with { $0.appKey = .missing }
            try await expect(unknown, .init(401, "missing-credentials"))
            let short = #"{"name":"alice","password":"short"}"#
            try await expect(call("POST", "sign-up", short), .init(422, "invalid-field", "password"))
            try await expect(call("POST", "sign-in", short), .init(403, "wrong-name-or-password"))
            let more = #"{"name":"alice","password":"correct horse","age":3}"#
            try await expect(call("POST", "sign-up", more), .init(422, "invalid-field", "age"))
        }
    }
}
