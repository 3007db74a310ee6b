import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import CarillonServer
import HTTPTypes
import HummingbirdTesting
import NIOCore
import Testing

/// `/v1/operators`.
struct OperatorTests {
    private let caller = OperatorCaller(address: "192.0.2.1", network: "192.0.2.1")
    private let password = "a passphrase nobody tries"

    private func invite(_ server: TestServer, _ address: String, _ role: OperatorRole) async throws -> OperatorWithLink
    {
        let body = #"{"address":"\#(address)","role":"\#(role.rawValue)"}"#
        let answer = try await server.send(.post, "/v1/operators", body, key: server.serverKey)
        #expect(answer.status == .created)
        let made = try answer.decoded(OperatorWithLink.self)
        #expect(answer.headers[.location] == "/v1/operators/\(made.person.id)")
        return made
    }

    /// An Operator who accepted an invitation.
    private func join(_ server: TestServer, _ address: String, _ role: OperatorRole) async throws -> OperatorID {
        let link = try await invite(server, address, role).link
        let secret = String(try #require(link.path.split(separator: "/").last))
        return try await server.engine.operators.acceptInvitation(
            secret,
            displayName: nil,
            password: password,
            by: caller
        ).session.owner.id
    }

    @Test("An Operator is invited, listed, changed, disabled and removed")
    func lives() async throws {
        try await TestServer.run { server in
            let made = try await invite(server, "Mei@example.com", .viewer)
            #expect(made.link.kind == .invite && made.link.path.hasPrefix("/console/invite/"))
            let path = "/v1/operators/\(made.person.id)"
            let list = try await server.send(.get, "/v1/operators", key: server.serverKey)
            #expect(try list.decoded(Page<Operator>.self).items == [made.person])
            #expect(try await server.send(.get, path, key: server.serverKey).decoded(Operator.self) == made.person)

            let app = try await server.makeApp().app.id
            let body = #"{"role":null,"apps":[{"app":"\#(app)","role":"sender"}]}"#
            let changed = try await server.send(.patch, path, body, key: server.serverKey).decoded(Operator.self)
            #expect(changed.roles == OperatorRoles(apps: [OperatorAppRole(app: app, role: .sender)]))
            let disabled = try await server.send(.patch, path, #"{"isDisabled":true}"#, key: server.serverKey)
            #expect(try disabled.decoded(Operator.self).state == .disabled)
            #expect(try await server.send(.post, path + "/link", "{}", key: server.serverKey).problem == "conflict")
            _ = try await server.send(.patch, path, #"{"isDisabled":false}"#, key: server.serverKey)
            let again = try await server.send(.post, path + "/link", "{}", key: server.serverKey)
            #expect(try again.decoded(OperatorWithLink.self).link.kind == .invite)
            #expect(try await server.send(.delete, path, key: server.serverKey).status == .noContent)
            #expect(try await server.send(.get, path, key: server.serverKey).problem == "unknown-operator")
        }
    }

    @Test("Only a key of the server with scope admin may see or change Operators")
    func needsAdmin() async throws {
        try await TestServer.run { server in
            let app = try await server.makeApp().app.id
            let (own, reader) = (try await server.makeKey(app, .admin), try await server.makeKey(nil, .read, .send))
            for (key, problem) in [(own, "server-key-required"), (reader, "missing-scope")] {
                #expect(try await server.send(.get, "/v1/operators", key: key).problem == problem)
                let body = #"{"address":"x","role":"admin"}"#
                #expect(try await server.send(.post, "/v1/operators", body, key: key).problem == problem)
            }
            #expect(try await server.engine.operators.list(after: nil, limit: 10).items == [])
        }
    }

    @Test("K-22 V1 neither demotes, disables nor removes the last admin")
    func keepsLastAdmin() async throws {
        try await TestServer.run { server in
            let id = try await join(server, "ann", .admin)
            let path = "/v1/operators/\(id)"
            for body in [#"{"role":"sender"}"#, #"{"role":null,"apps":[]}"#, #"{"isDisabled":true}"#] {
                let answer = try await server.send(.patch, path, body, key: server.serverKey)
                #expect(answer.problem == (body.contains("null") ? "invalid-field" : "last-admin"))
            }
            #expect(try await server.send(.delete, path, key: server.serverKey).problem == "last-admin")
            #expect(try await server.send(.get, path, key: server.serverKey).decoded(Operator.self).role == .admin)
        }
    }

    @Test("K-83 Each change has an entry with its object and what changed, and each refusal one")
    func isAudited() async throws {
        try await TestServer.run { server in
            let id = try await join(server, "ann", .viewer)
            let path = "/v1/operators/\(id)"
            _ = try await server.send(.patch, path, #"{"role":"editor","displayName":"Ann"}"#, key: server.serverKey)
            _ = try await server.send(.post, path + "/link", #"{"removesSecondFactor":true}"#, key: server.serverKey)
            _ = try await server.send(.delete, path + "/sessions", key: server.serverKey)
            _ = try await server.send(.delete, path, key: server.serverKey)
            _ = try await server.send(.delete, path, key: server.serverKey)
            let log = try await server.engine.audit.entries(AuditQuery(), limit: 100).items.reversed()
            let entries = log.filter { $0.action.contains("/v1/operators") }
            #expect(entries.map(\.object) == Array(repeating: id.description, count: 6))
            #expect(entries.map(\.status) == [201, 200, 200, 204, 204, 404])
            #expect(
                entries.map(\.change) == [
                    "state: - → invited; role: - → viewer", "role: viewer → editor; displayName: changed",
                    "link: new reset, removes the second factor", "sessions: 0 → 0", "state: active → removed", nil,
                ]
            )
            _ = try await server.engine.audit.verify()
        }
    }

    @Test("Fields of an invitation are checked")
    func checksFields() async throws {
        try await TestServer.run { server in
            for (body, field) in [
                (#"{"role":"viewer"}"#, "address"), (#"{"address":"a"}"#, "role"),
                (#"{"address":" a","role":"viewer"}"#, "address"), (#"{"address":"a","role":"owner"}"#, "role"),
                (#"{"address":"a","role":"viewer","x":1}"#, "x"),
            ] {
                let answer = try await server.send(.post, "/v1/operators", body, key: server.serverKey)
                #expect(
                    answer.problem == "invalid-field" && String(buffer: answer.body).contains(#""\#(field)""#),
                    "\(body)"
                )
            }
            _ = try await invite(server, "a", .viewer)
            let again = try await server.send(
                .post,
                "/v1/operators",
                #"{"address":"A","role":"viewer"}"#,
                key: server.serverKey
            )
            #expect(again.problem == "operator-address-taken")
        }
    }
}
