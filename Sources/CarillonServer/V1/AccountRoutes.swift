import CarillonAccountModel
import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import HTTPTypes
import Hummingbird

/// `/v1/accounts`: people who sign in, by App key and account token, and operators, by API key.
struct AccountRoutes: Sendable {
    let accounts: Accounts

    private static let own = "/v1/accounts/me"
    private static let ofUser = "/v1/users/{user}/account"

    func declare(_ routes: inout Routes) {
        routes.on(.post, "/v1/accounts/sign-up", .account, signUp)
        routes.on(.post, "/v1/accounts/sign-in", .account, signIn)
        routes.on(.post, "/v1/accounts/guest", .account, signUpGuest)
        // A HEAD would lose a renewed token.
        routes.on(.get, Self.own, .accountToken, answersHead: false, get)
        routes.on(.post, Self.own + "/sign-out", .accountToken, signOut)
        routes.on(.put, Self.own + "/password", .accountToken, changePassword)
        routes.on(.put, Self.own + "/credentials", .accountToken, setCredentials)
        routes.on(.post, Self.own + "/delete", .accountToken, deleteOwn)
        declareOperators(&routes)
    }

    private func declareOperators(_ routes: inout Routes) {
        routes.on(.get, "/v1/apps/{app}/accounts", .key(.read, app: .path), rules)
        routes.on(.put, "/v1/apps/{app}/accounts", .key(.admin, app: .path), setRules)
        routes.on(
            .get,
            "/v1/accounts",
            .key(.read, app: .query),
            recorded: .all,
            query: ["prefix", "cursor", "limit"],
            list
        )
        routes.on(.post, "/v1/accounts", .key(.admin, app: .query), create)
        routes.on(.get, Self.ofUser, .key(.read, app: .query), recorded: .all, record)
        routes.on(.patch, Self.ofUser, .key(.admin, app: .query), update)
        routes.on(.delete, Self.ofUser, .key(.admin, app: .query), delete)
        routes.on(.put, Self.ofUser + "/password", .key(.admin, app: .query), setPassword)
    }

    // MARK: People

    @Sendable private func signUp(_ call: AccountCall) async throws -> Response {
        let request: SignUpRequest = try await call.body(upTo: BodyLimit.standard)
        return try Response(try await accounts.signUp(request.credentials, by: call.caller), status: .created)
    }

    @Sendable private func signIn(_ call: AccountCall) async throws -> Response {
        let request: SignInRequest = try await call.body(upTo: BodyLimit.standard)
        return try Response(try await accounts.signIn(request.name, .plain(request.password), by: call.caller))
    }

    @Sendable private func signUpGuest(_ call: AccountCall) async throws -> Response {
        try Response(try await accounts.signUpGuest(by: call.caller), status: .created)
    }

    @Sendable private func get(_ call: AccountCall) async throws -> Response {
        try Response(try await accounts.session(of: call.token, by: call.caller))
    }

    @Sendable private func signOut(_ call: AccountCall) async throws -> Response {
        // A token that ended already is what the caller wants.
        if let token = call.token { try await accounts.signOut(token, app: call.caller.app) }
        return .noContent
    }

    @Sendable private func changePassword(_ call: AccountCall) async throws -> Response {
        let change: PasswordChange = try await call.body(upTo: BodyLimit.standard)
        return try Response(
            try await accounts.changePassword(
                from: .plain(change.oldPassword),
                to: .plain(change.newPassword),
                token: call.token,
                by: call.caller
            )
        )
    }

    @Sendable private func setCredentials(_ call: AccountCall) async throws -> Response {
        let request: SignUpRequest = try await call.body(upTo: BodyLimit.standard)
        return try Response(
            try await accounts.setCredentials(request.credentials, token: call.token, by: call.caller)
        )
    }

    @Sendable private func deleteOwn(_ call: AccountCall) async throws -> Response {
        // A guest has no password to send.
        let body = try await call.request.decodedIfPresent(AccountDeletion.self, upTo: BodyLimit.standard)
        let request = body ?? AccountDeletion()
        let password = request.password.map(AccountPassword.plain)
        try await accounts.deleteOwn(password: password, token: call.token, by: call.caller)
        return .noContent
    }

    // MARK: Operators

    @Sendable private func rules(_ call: KeyCall<PathApp>) async throws -> Response {
        try Response(try await accounts.rules(of: try call.app()))
    }

    @Sendable private func setRules(_ call: KeyCall<PathApp>) async throws -> Response {
        let rules: AccountRules = try await call.body(upTo: BodyLimit.standard)
        return try Response(try await accounts.setRules(rules, of: try call.app()))
    }

    @Sendable private func list(_ call: KeyCall<RequiredQueryApp>) async throws -> Response {
        let query = call.query
        let prefix = query["prefix"]
        let limit = AccountName.keyBytes
        guard (prefix?.utf8.count ?? 0) <= limit else {
            throw Problem.invalidField(FieldError(field: "prefix", problem: "must have at most \(limit) bytes"))
        }
        let after = try query["cursor"].map { text in
            guard let key = TextCursor.text(of: text) else { throw Query.wrongCursor }
            return key
        }
        return try Response(
            try await accounts.list(app: try call.app(), prefix: prefix, after: after, limit: try query.limit())
        )
    }

    @Sendable private func create(_ call: KeyCall<RequiredQueryApp>) async throws -> Response {
        let app = try call.app()
        let request: AccountRequest = try await call.body(upTo: BodyLimit.standard)
        return try Response(try await accounts.create(app: app, request), status: .created)
    }

    @Sendable private func record(_ call: KeyCall<RequiredQueryApp>) async throws -> Response {
        let app = try call.app()
        return try Response(try await accounts.record(try call[.user], app: app))
    }

    @Sendable private func update(_ call: KeyCall<RequiredQueryApp>) async throws -> Response {
        let app = try call.app()
        let user = try call[.user]
        let change: AccountUpdate = try await call.body(upTo: BodyLimit.standard)
        return try Response(try await accounts.update(user, app: app, change))
    }

    @Sendable private func delete(_ call: KeyCall<RequiredQueryApp>) async throws -> Response {
        let app = try call.app()
        try await accounts.delete(try call[.user], app: app)
        return .noContent
    }

    @Sendable private func setPassword(_ call: KeyCall<RequiredQueryApp>) async throws -> Response {
        let app = try call.app()
        let user = try call[.user]
        let request: AccountPasswordRequest = try await call.body(upTo: BodyLimit.standard)
        return try Response(try await accounts.setPassword(of: user, app: app, request))
    }
}

extension SignUpRequest {
    fileprivate var credentials: AccountCredentials {
        AccountCredentials(name: name, password: .plain(password), displayName: displayName)
    }
}
