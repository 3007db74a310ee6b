import CarillonAccountModel
import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import HTTPTypes
import HummingbirdTesting
import Testing

/// A person of an App, by HTTP.
struct TestPerson: Sendable {
    let server: TestServer
    let app: AppSecrets

    /// Sends a request as the app does.
    func send(
        _ method: HTTPRequest.Method,
        _ path: String,
        _ body: String? = nil,
        token: String? = nil
    ) async throws -> TestResponse {
        var headers = ["Carillon-App-Key": app.appKey]
        if let token { headers["Carillon-Account-Token"] = token }
        return try await server.send(method, "/v1/accounts" + path, body, headers: headers)
    }

    func signUp(_ name: String = "alice", _ password: String = "correct horse") async throws -> TestResponse {
        try await send(.post, "/sign-up", #"{"name":"\#(name)","password":"\#(password)"}"#)
    }

    func signIn(_ name: String = "alice", _ password: String = "correct horse") async throws -> TestResponse {
        try await send(.post, "/sign-in", #"{"name":"\#(name)","password":"\#(password)"}"#)
    }

    func get(_ token: String?) async throws -> TestResponse { try await send(.get, "/me", token: token) }

    /// The engine's caller, from some address.
    func caller(_ form: AccountToken.Form = .hexadecimal, network: String = "192.0.2.1") -> AccountCaller {
        AccountCaller(app: app.app.id, network: network, form: form, isEncrypted: true)
    }
}

extension TestServer {
    /// Creates an App with accounts.
    func makeAccounts(
        identity: App.Identity = .signed,
        _ change: (inout AccountRules) -> Void = { _ in }
    ) async throws -> TestPerson {
        let app = try await makeApp(identity: identity)
        var rules = AccountRules()
        (rules.isOn, rules.guests) = (true, true)
        change(&rules)
        _ = try await engine.accounts.setRules(rules, of: app.app.id)
        return TestPerson(server: self, app: app)
    }
}

extension TestResponse {
    var session: AccountSession { get throws { try decoded() } }

    /// The token that the response has.
    var token: String { get throws { try #require(try session.token) } }
}
