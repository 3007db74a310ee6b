import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import CarillonStore
import Crypto
import Foundation
import Testing

@Suite struct AppsTests {
    private static let pem = """
        -----BEGIN PRIVATE KEY-----
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgevZzL1gdAFr88hb2
        OF/2NxApJCzGCEDdfSp6VQO30hyhRANCAAQRWz+jn65BtOMvdyHKcvjBeBSDZH2r
        1RTwjmYSi9R/zpBnuQ4EiMnCqfMPWiZqB4QdbAd0E7oH50VpuZ1P087G
        -----END PRIVATE KEY-----
        """

    @Test("An App is created, found and listed in pages") func createsAndListsApps() async throws {
        let registry = try await Registry()
        var made: [App] = []
        for _ in 0..<3 { made.append(try await registry.app().app) }

        let first = try await registry.apps.list(after: nil, limit: 2)
        let cursor = try #require(first.nextCursor.flatMap { AppID($0) })
        let second = try await registry.apps.list(after: cursor, limit: 2)

        #expect(first.items + second.items == made)
        #expect(second.nextCursor == nil)
        #expect(try await registry.apps.app(made[0].id) == made[0])
        await #expect(throws: EngineError.notFound(.app)) { try await registry.apps.app(AppID(rawValue: 1)) }
    }

    @Test("S1-M6 an App changes from open to signed, not back: old claims stay, new ones need a proof")
    func becomesSigned() async throws {
        let registry = try await Registry()
        let app = try await registry.app(.open).app.id
        let person = Person(registry: registry, app: app)
        try await person.register("u1")

        #expect(try await registry.apps.update(app, AppUpdate(name: "Shop")).identity == .open)
        var change = AppUpdate()
        change.identity = .signed
        #expect(try await registry.apps.update(app, change).identity == .signed)

        #expect(try await person.register("u1").user?.rawValue == "u1")
        await #expect(throws: EngineError.refused(.userProofRequired)) { try await person.register("u2") }
        let back = Data(#"{"identity":"open"}"#.utf8)
        #expect(throws: FieldError.self) { try JSONDecoder().decode(AppUpdate.self, from: back) }
    }

    @Test("Name and dialect of an App change separately") func changesNameAndDialect() async throws {
        let registry = try await Registry()
        let app = try await registry.app().app
        #expect(app.dialect == .carillon)
        #expect(try await registry.apps.dialect(of: app.id) == .carillon)

        let dialect = try await registry.apps.update(app.id, AppUpdate(dialect: .toast))
        #expect(dialect.dialect == .toast && dialect.name == "Shop")
        #expect(try await registry.apps.dialect(of: app.id) == .toast)
        let name = try await registry.apps.update(app.id, AppUpdate(name: "Bazaar"))
        #expect(name.dialect == .toast && name.name == "Bazaar")
        #expect(try await registry.apps.list(after: nil, limit: 1).items == [name])
        await #expect(throws: EngineError.notFound(.app)) {
            try await registry.apps.update(AppID(rawValue: 1), AppUpdate(name: "x"))
        }
        let request = AppRequest(name: "A", bundleID: "a", dialect: .corepush)
        let made = try await registry.apps.create(request).app
        #expect(try await registry.apps.app(made.id).dialect == .corepush)
    }

    @Test("A push key gives an account, and a new key replaces it at once") func replacesPushKeys() async throws {
        let registry = try await Registry()
        let app = try await registry.app().app
        #expect(try await registry.apps.account(for: app.id) == nil)

        let request = PushKeyRequest(keyID: "ABCDE12345", teamID: "TEAM567890", privateKey: Self.pem)
        let changed = try await registry.apps.setPushKey(app.id, request)

        let account = PushAccount(
            app: app.id,
            topic: "com.example.shop",
            keyID: "ABCDE12345",
            teamID: "TEAM567890",
            privateKey: Self.pem
        )
        #expect(changed.hasPushKey)
        #expect(try await registry.apps.account(for: app.id) == account)
        var other = request
        other.keyID = "ZZZZZ99999"
        _ = try await registry.apps.setPushKey(app.id, other)
        #expect(try await registry.apps.account(for: app.id)?.keyID == "ZZZZZ99999")
    }

    @Test("The simulator's key is made once, and never takes the place of one of Apple's")
    func simulator() async throws {
        let registry = try await Registry()
        let (app, other) = (try await registry.app().app, try await registry.app().app)
        #expect(!app.usesSimulator)

        let simulated = try await registry.apps.useSimulator(app.id)

        #expect(simulated.hasPushKey && simulated.usesSimulator)
        let account = try #require(try await registry.apps.account(for: app.id))
        #expect(account.usesSimulator && account.topic == "com.example.shop")
        #expect(try await registry.apps.useSimulator(app.id) == simulated)
        #expect(try await registry.apps.account(for: app.id)?.privateKey == account.privateKey)
        let request = PushKeyRequest(keyID: "ABCDE12345", teamID: "TEAM567890", privateKey: Self.pem)
        _ = try await registry.apps.setPushKey(other.id, request)
        await #expect {
            _ = try await registry.apps.useSimulator(other.id)
        } throws: { error in
            if case .conflict = error as? EngineError { true } else { false }
        }
        #expect(try await registry.apps.account(for: other.id)?.keyID == "ABCDE12345")
        // A key of Apple's takes the simulator's place.
        _ = try await registry.apps.setPushKey(app.id, request)
        #expect(try await registry.apps.app(app.id).usesSimulator == false)
    }

    @Test(
        "An invalid P-256 key is refused with its field",
        arguments: [
            ("", "is empty"), ("no key", "has no line -----BEGIN PRIVATE KEY-----"),
            (
                "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----",
                "is damaged, or a key of another kind than P-256"
            ), (P384.Signing.PrivateKey().pemRepresentation, "is a private key, but not of the curve P-256"),
        ]
    )
    func refusesInvalidPushKeys(_ text: String, _ words: String) async throws {
        let registry = try await Registry()
        let app = try await registry.app().app
        let request = PushKeyRequest(keyID: "ABCDE12345", teamID: "TEAM567890", privateKey: text)
        let problem = FieldError(field: "privateKey", problem: words + ": " + PushKeyText.advice)

        await #expect(throws: EngineError.invalid(problem)) { try await registry.apps.setPushKey(app.id, request) }
        #expect(try await registry.apps.app(app.id).hasPushKey == false)
    }

    @Test("Secrets are stored sealed, and another master key does not open them") func sealsSecrets() async throws {
        let registry = try await Registry()
        let made = try await registry.app()
        let stored = try #require(try await registry.stores.apps.storedApp(made.app.id))
        let vault = try #require(Vault(masterKey: Array(repeating: 8, count: 32)))
        let stranger = Apps(
            store: registry.stores.apps,
            vault: vault,
            appKeys: AppKeyCache(),
            ids: IDSource(clock: registry.clock),
            clock: registry.clock
        )

        #expect(!stored.secrets.identitySecret.contains(Array(made.identitySecret.utf8)))
        await #expect(throws: EngineError.self) { try await stranger.receiptKey(for: made.app.id) }
    }

    @Test("O2-3 A push key that the master key does not open is distinguished from a missing one")
    func closedPushKey() async throws {
        let registry = try await Registry()
        let app = try await registry.app().app.id
        let request = PushKeyRequest(
            keyID: "KEY0000001",
            teamID: "TEAM000001",
            privateKey: Self.pem
        )
        _ = try await registry.apps.setPushKey(app, request)
        let other = Apps(
            store: registry.stores.apps,
            vault: try #require(Vault(masterKey: Array(repeating: 8, count: 32))),
            appKeys: AppKeyCache(),
            ids: IDSource(clock: registry.clock),
            clock: registry.clock
        )

        #expect(try await other.account(for: app)?.privateKey.isEmpty == true)
        #expect(try await registry.apps.account(for: app)?.privateKey == request.privateKey)
    }
}
