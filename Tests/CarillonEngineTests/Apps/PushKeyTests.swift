import CarillonBytes
import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import CarillonStore
import Crypto
import Logging
import NIOConcurrencyHelpers
import Testing

/// Push keys that are checked and replaced.
struct PushKeyTests {
    private func request(_ keyID: String, whenHealthy: Bool = true) -> PushKeyRequest {
        let pem = P256.Signing.PrivateKey().pemRepresentation
        var request = PushKeyRequest(keyID: keyID, teamID: "TEAM567890", privateKey: pem)
        request.whenHealthy = whenHealthy
        return request
    }

    private func service(_ registry: Registry, _ sender: CheckingSender) throws -> PushKeys {
        let vault = try #require(Vault(masterKey: [UInt8](repeating: 7, count: 32)))
        let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        let context = EngineContext(vault: vault, clock: registry.clock, logger: logger)
        return PushKeys(store: registry.stores.pushKeys, apps: registry.apps, sender: sender, context: context)
    }

    @Test("K-78 Replacing a push key keeps the old one in use until the new one passed the check")
    func replaces() async throws {
        let (registry, sender) = (try await Registry(), CheckingSender())
        let keys = try service(registry, sender)
        let app = try await registry.app().app.id

        #expect(try await keys.set(request("OLD1234567"), of: app, by: "opr_1").hasPushKey)
        #expect(try await keys.record(of: app).check?.state == .healthy)
        sender.found = .wrongTopic
        registry.clock.advance(milliseconds: 1_000)
        _ = try await keys.set(request("NEW1234567"), of: app, by: "opr_2")

        // Sending goes on with the old key.
        #expect(try await registry.apps.account(for: app)?.keyID == "OLD1234567")
        let waiting = try await keys.record(of: app)
        #expect(waiting.keyID == "OLD1234567" && waiting.addedBy == "opr_1")
        #expect(waiting.candidate?.keyID == "NEW1234567" && waiting.candidate?.addedBy == "opr_2")
        #expect(waiting.candidate?.check?.state == .wrongTopic)
        #expect(waiting.fingerprint != waiting.candidate?.fingerprint && waiting.fingerprint?.count == 64)

        sender.found = .healthy
        let replaced = try await keys.check(app)
        #expect(replaced.keyID == "NEW1234567" && replaced.candidate == nil && replaced.check?.state == .healthy)
        #expect(try await registry.apps.account(for: app)?.keyID == "NEW1234567")
    }

    @Test("A key that waits can be discarded, or used in spite of the check")
    func decides() async throws {
        let (registry, sender) = (try await Registry(), CheckingSender())
        let keys = try service(registry, sender)
        let app = try await registry.app().app.id
        _ = try await keys.set(request("OLD1234567"), of: app, by: nil)
        sender.found = .unreachable
        for keyID in ["NEW1234567", "NXT1234567"] {
            registry.clock.advance(milliseconds: 1_000)
            _ = try await keys.set(request(keyID), of: app, by: nil)
        }
        try await keys.discardCandidate(of: app)
        #expect(try await keys.record(of: app).candidate == nil)
        await #expect(throws: EngineError.self) { try await keys.discardCandidate(of: app) }
        _ = try await keys.set(request("NEW1234567"), of: app, by: nil)
        #expect(try await keys.promote(app).keyID == "NEW1234567")
        #expect(try await registry.apps.account(for: app)?.keyID == "NEW1234567")
        await #expect(throws: EngineError.self) { try await keys.promote(app) }
    }

    @Test("Keys are checked once a day, and a healthy one that APNs does not accept any more was revoked")
    func daily() async throws {
        let (registry, sender) = (try await Registry(), CheckingSender())
        let keys = try service(registry, sender)
        let app = try await registry.app().app.id
        _ = try await keys.set(request("OLD1234567", whenHealthy: false), of: app, by: nil)
        #expect(sender.count == 0)
        await keys.checkDue()
        await keys.checkDue()
        #expect(sender.count == 1)
        #expect(try await keys.lastCheck(of: app)?.state == .healthy)
        registry.clock.advance(milliseconds: 21 * 3_600_000)
        sender.found = .wrongTeamOrKeyID
        await keys.checkDue()
        #expect(try await keys.lastCheck(of: app)?.state == .revoked)
    }
}

/// Answers as a test says.
private final class CheckingSender: Sender {
    private let state = NIOLockedValueBox((found: PushKeyCheck.State.healthy, count: 0))

    var found: PushKeyCheck.State {
        get { state.withLockedValue { $0.found } }
        set { state.withLockedValue { $0.found = newValue } }
    }
    var count: Int { state.withLockedValue { $0.count } }

    func render(_ draft: NotificationDraft) throws(RenderingError) -> Rendering {
        Rendering(bytes: [], receiptOffset: Rendering.noReceipt)
    }

    func send(_ batch: NotificationBatch, until deadline: ContinuousClock.Instant) async -> [Consequence] { [] }

    func checkKey(_ account: PushAccount, isInUse: Bool) async -> [PushKeyCheck.Environment] {
        state.withLockedValue { $0.count += 1 }
        return [PushKeyCheck.Environment(name: "all", state: found)]
    }
}
