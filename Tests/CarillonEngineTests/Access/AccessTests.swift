import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import CarillonStore
import Testing

@Suite struct AccessTests {
    @Test("A key identifies its principal until it expires") func identifiesPrincipals() async throws {
        let registry = try await Registry()
        let app = try await registry.app().app.id
        var request = APIKeyRequest(name: "back end", scopes: [.send, .read])
        request.expiresAt = Timestamp(rawValue: registry.clock.now().rawValue + 1_000)

        let made = try await registry.access.createKey(app: app, request)

        let principal = try await registry.access.principal(bearer: made.secret)
        var expected = Principal(key: made.key.id, app: app, scopes: [.send, .read], expiresAt: request.expiresAt)
        // What new keys of an App get by default.
        (expected.recipientsPerCampaign, expected.recipientsPerHour) = (10_000, 50_000)
        #expect(principal == expected)
        registry.clock.advance(milliseconds: 1_000)
        #expect(try await registry.access.principal(bearer: made.secret) == nil)
    }

    @Test("O2-1 The server's last unexpired admin key cannot be deleted, whatever other keys exist")
    func keepsTheLastAdministrator() async throws {
        let registry = try await Registry()
        let app = try await registry.app().app.id
        let last = try await registry.access.createKey(APIKeyRequest(name: "last", scopes: [.read, .admin]))
        _ = try await registry.access.createKey(APIKeyRequest(name: "reader", scopes: [.read, .send]))
        _ = try await registry.access.createKey(app: app, APIKeyRequest(name: "app", scopes: [.admin]))
        var brief = APIKeyRequest(name: "brief", scopes: [.admin])
        brief.expiresAt = Timestamp(rawValue: registry.clock.now().rawValue + 1_000)
        let expired = try await registry.access.createKey(brief)
        registry.clock.advance(milliseconds: 1_000)

        await #expect { try await registry.access.revokeKey(last.key.id, within: nil) } throws: { error in
            guard case .conflict(let detail) = error as? EngineError else { return false }
            return detail.contains("last") && detail.contains("POST /v1/keys")
        }
        try await registry.access.revokeKey(expired.key.id, within: nil)
        #expect(try await registry.access.principal(bearer: last.secret) != nil)
        _ = try await registry.access.createKey(APIKeyRequest(name: "next", scopes: [.admin]))
        try await registry.access.revokeKey(last.key.id, within: nil)
    }

    @Test("S1-operators-1 The last key without expiry cannot be deleted, even if others have not expired yet")
    func keepsAKeyWithoutAnEnd() async throws {
        let registry = try await Registry()
        let last = try await registry.access.createKey(APIKeyRequest(name: "last", scopes: [.admin]))
        var brief = APIKeyRequest(name: "brief", scopes: [.admin])
        brief.expiresAt = Timestamp(rawValue: registry.clock.now().rawValue + 8_000)
        let ending = try await registry.access.createKey(brief)

        await #expect(throws: EngineError.self) { try await registry.access.revokeKey(last.key.id, within: nil) }
        try await registry.access.revokeKey(ending.key.id, within: nil)
        #expect(try await registry.access.principal(bearer: last.secret) != nil)
    }

    @Test("O2-1 When all administrators delete each other at once, one is left")
    func leavesOneAdministrator() async throws {
        let registry = try await Registry()
        let access = registry.access
        var keys: [APIKeyID] = []
        for name in ["a", "b", "c", "d"] {
            keys.append(try await access.createKey(APIKeyRequest(name: name, scopes: [.admin])).key.id)
        }

        await withTaskGroup(of: Void.self) { group in
            for key in keys { group.addTask { try? await access.revokeKey(key, within: nil) } }
        }

        #expect(try await access.keys(app: nil, after: nil, limit: 10).items.count == 1)
    }

    @Test("A revoked key stops working at once") func revokesAtOnce() async throws {
        let registry = try await Registry()
        _ = try await registry.access.createKey(APIKeyRequest(name: "stays", scopes: [.admin]))
        let made = try await registry.access.createKey(APIKeyRequest(name: "a", scopes: [.admin]))
        #expect(try await registry.access.principal(bearer: made.secret) != nil)

        try await registry.access.revokeKey(made.key.id, within: nil)

        #expect(try await registry.access.principal(bearer: made.secret) == nil)
        await #expect(throws: EngineError.notFound(.key)) {
            try await registry.access.revokeKey(made.key.id, within: nil)
        }
    }

    @Test("An App's administrator cannot revoke keys of another App or of the server")
    func administratorsStayInTheirApp() async throws {
        let registry = try await Registry()
        let app = try await registry.app().app.id
        let server = try await registry.access.createKey(APIKeyRequest(name: "server", scopes: [.admin]))

        await #expect(throws: EngineError.notFound(.key)) {
            try await registry.access.revokeKey(server.key.id, within: app)
        }
        #expect(try await registry.access.principal(bearer: server.secret) != nil)
    }

    @Test(
        "An unknown secret has no principal",
        arguments: ["", "ck_", "ak_x", "ck_" + String(repeating: "a", count: 1_000), "Bearer"]
    )
    func unknownSecrets(_ secret: String) async throws {
        let registry = try await Registry()

        #expect(try await registry.access.principal(bearer: secret) == nil)
        #expect(try await registry.access.app(appKey: secret) == nil)
    }

    @Test("O2-1 The first key is the same at each start until it is used, and then its secret is deleted")
    func firstKeyUntilUsed() async throws {
        let registry = try await Registry()

        let first = try #require(try await registry.access.firstKey())
        #expect(first.key.app == nil)
        #expect(Set(first.key.scopes) == Set(APIKeyScope.allCases))
        #expect(try await registry.access.firstKey() == first)

        #expect(try await registry.access.principal(bearer: first.secret)?.key == first.key.id)
        #expect(try await registry.access.firstKey() == nil)
        let page = try await registry.access.keys(app: nil, after: nil, limit: 10)
        #expect(page.items.map(\.lastUsedAt) == [registry.clock.now()])
    }

    @Test("O2-1 No first key is created when another key exists")
    func noFirstKeyBesideOthers() async throws {
        let registry = try await Registry()
        _ = try await registry.access.createKey(APIKeyRequest(name: "mine", scopes: [.admin]))

        #expect(try await registry.access.firstKey() == nil)
    }

    @Test("Keys are listed in pages, by App or all") func listsKeys() async throws {
        let registry = try await Registry()
        let app = try await registry.app().app.id
        var made: [APIKey] = []
        for index in 0..<5 {
            let request = APIKeyRequest(name: "\(index)", scopes: [.read])
            made.append(try await registry.access.createKey(app: index == 2 ? app : nil, request).key)
        }

        let first = try await registry.access.keys(app: nil, after: nil, limit: 3)
        let cursor = try #require(first.nextCursor.flatMap { APIKeyID($0) })
        let second = try await registry.access.keys(app: nil, after: cursor, limit: 3)

        #expect(first.items + second.items == made)
        #expect(second.nextCursor == nil)
        #expect(try await registry.access.keys(app: app, after: nil, limit: 3).items == [made[2]])
    }

    @Test("A key of an unknown App or with a past expiry is refused") func refusesInvalidKeys() async throws {
        let registry = try await Registry()
        let unknown = AppID(rawValue: 99)
        var past = APIKeyRequest(name: "late", scopes: [.read])
        past.expiresAt = registry.clock.now()

        await #expect(throws: EngineError.notFound(.app)) {
            try await registry.access.createKey(app: unknown, APIKeyRequest(name: "a", scopes: [.read]))
        }
        await #expect(throws: EngineError.self) { try await registry.access.createKey(past) }
        #expect(try await registry.access.keys(app: nil, after: nil, limit: 10).items.isEmpty)
    }
}
