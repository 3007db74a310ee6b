import Carillon
import CarillonAccounts
import CarillonModel
import Foundation
import Testing

@Suite("What is to be done about an account's failure")
struct AccountFailureTests {
    private func failure(_ answer: TransportAnswer, _ name: String = "alice") async throws -> AccountFailure? {
        let test = try TestClient()
        test.server.answerNext(answer)
        let error = await #expect(throws: CarillonError.self) {
            try await test.client.account.signIn(name: name, password: "correct horse")
        }
        return error?.accountFailure
    }

    @Test(
        "M-85 A problem of the server is a failure that says who can do something about it",
        arguments: [
            (403, "wrong-name-or-password", AccountFailure.wrongNameOrPassword, AccountFailure.Remedy.askPerson),
            (403, "account-blocked", .accountBlocked, .askOperator),
            (409, "account-name-taken", .nameTaken, .askPerson),
            (409, "account-has-password", .hasPassword, .changeApp), (403, "accounts-off", .accountsOff, .askOperator),
            (401, "wrong-account-token", .signedOut, .signIn), (429, "too-many-requests", .tryLater, .wait),
            (503, "sign-ins-busy", .tryLater, .wait), (403, "tls-required", .tlsRequired, .changeApp),
        ]
    )
    func problem(_ status: Int, _ code: String, _ wanted: AccountFailure, _ remedy: AccountFailure.Remedy) async throws
    {
        let found = try await failure(.problem(status, code))
        #expect(found == wanted)
        #expect(found?.remedy == remedy)
        #expect(found?.description.hasPrefix(wanted.rawValue + ": ") == true)
    }

    @Test("A field that the server refuses is told from another")
    func fields() async throws {
        for (field, wanted) in [
            ("name", AccountFailure.invalidName), ("password", .invalidPassword), ("displayName", .invalidDisplayName),
        ] {
            let error = FieldError(field: field, problem: "is wrong")
            let problem = Problem(code: "invalid-field", title: "Invalid", status: 422, errors: [error])
            let answer = TransportAnswer(status: 422, body: try JSONEncoder().encode(problem))
            #expect(try await failure(answer) == wanted)
        }
        #expect(try await failure(.problem(404, "unknown-path")) == nil)
    }

    @Test("What is refused here is a failure too, and a lost network is none")
    func here() async throws {
        let test = try TestClient()
        let account = test.client.account
        let name = await #expect(throws: CarillonError.self) { try await account.signIn(name: "", password: "secret") }
        #expect(name?.accountFailure == .invalidName)
        let short = await #expect(throws: CarillonError.self) {
            try await account.signUp(name: "alice", password: "short")
        }
        #expect(short?.accountFailure == .invalidPassword)
        let nobody = await #expect(throws: CarillonError.self) {
            try await account.changePassword(from: "secret", to: "correct horse")
        }
        #expect(nobody?.accountFailure == .notSignedIn)
        test.server.answerAlways(nil)
        let lost = await #expect(throws: CarillonError.self) { try await account.signInAsGuest() }
        #expect(lost?.accountFailure == nil)
        #expect(CarillonError.invalidArgument("a tag has 1 through 64 characters").accountFailure == nil)
    }
}
