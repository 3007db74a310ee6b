import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import CarillonSQL
import CarillonStore
import Foundation

/// A Campaign that has just begun, and two processes that dispatch it.
struct DeliveryFixture: Sendable {
    let database: any Database
    let store: DeliveryRepository
    let other: DeliveryRepository
    /// The sessions of the two.
    let session = DispatcherSession(rawValue: 101)
    let otherSession = DispatcherSession(rawValue: 102)
    let campaigns: CampaignRepository
    let app = AppID(rawValue: 7)
    let now = Timestamp(rawValue: 1_700_000_000_000)
    var campaign: Campaign
    var facts: OccurrenceFacts

    var later: Timestamp { now.advanced(by: .seconds(60)) }

    /// Creates the Campaign; the other process may have its own connection.
    init(_ database: any Database, devices: Int, other second: (any Database)? = nil) async throws {
        let stores = try await Stores(migrating: database, now: now)
        self.database = database
        store = DeliveryRepository(database: database)
        other = DeliveryRepository(database: second ?? database)
        campaigns = CampaignRepository(database: database)
        _ = stores
        let message = Message(content: [Message.defaultLanguage: LocalizedContent(body: "b")])
        let request = CampaignRequest(audience: .all, message: message)
        campaign = Campaign(
            id: CampaignID(rawValue: 8),
            app: app,
            request: request,
            state: .sending,
            createdAt: now
        )
        facts = OccurrenceFacts(
            app: app,
            campaign: campaign.id,
            occurrence: OccurrenceID(rawValue: 9),
            audience: .all,
            message: message,
            isAd: false,
            startedAt: now,
            retryUntil: now.advanced(by: .seconds(3_600))
        )
        try await run(
            """
            INSERT INTO apps (id, name, bundle_id, identity, created_at, next_device_number)
            VALUES (7, 'a', 'b', 'open', 0, 1)
            """
        )
        try await addDevices(1...devices)
        let new = NewCampaign(
            campaign: campaign,
            retryFor: .seconds(3_600),
            isTest: false,
            inbox: InboxPlacement(request, isTest: false),
            occurrence: facts.occurrence
        )
        campaign = try await campaigns.insert(new) ?? campaign
        try await store.begin(session, at: now)
        try await other.begin(otherSession, at: now)
    }

    func run(_ sql: SQL) async throws {
        _ = try await database.write { connection in try connection.run(sql) }
    }

    func token(_ number: Int) -> [UInt8] { Array(repeating: UInt8(number), count: 32) }

    func addDevices(_ numbers: ClosedRange<Int>) async throws {
        try await database.write { [app] connection in
            for number in numbers {
                try connection.send(
                    """
                    INSERT INTO devices (app_id, number, public_id, consent, push_type, language, token, token_state,
                        created_at, registered_at)
                    VALUES ($1, $2, $3, 1, 1, 'en', $4, 1, 0, 0)
                    """,
                    app,
                    number,
                    DeviceID(rawValue: UUID()),
                    token(number)
                )
            }
        }
    }

    func overview(at time: Timestamp? = nil) async throws -> DispatchOverview {
        try await store.overview(at: time ?? now, from: WorkCursor())
    }

    struct NoWave: Error {}

    func wave() async throws -> OpenWave {
        guard let wave = try await overview().waves.first else { throw NoWave() }
        return wave
    }

    func read(_ wave: OpenWave, limit: Int) async throws -> ChunkReading {
        try await store.read(wave, of: facts, limit: limit)
    }

    func lease(limit: Int) async throws -> Lease {
        let wave = try await wave()
        guard let lease = try await lease(try await read(wave, limit: limit), of: wave) else { throw NoWave() }
        return lease
    }

    func lease(
        _ reading: ChunkReading,
        of wave: OpenWave,
        byOther isOther: Bool = false
    ) async throws -> Lease? {
        try await (isOther ? other : store).lease(
            reading,
            of: wave,
            readAt: Timestamp(rawValue: 0),
            at: now,
            for: isOther ? otherSession : session
        )
    }

    func commit(_ lease: Lease, accepted: ClosedRange<Int64>) -> ChunkCommit {
        var commit = ChunkCommit(lease: lease, at: now)
        commit.rows = accepted.map { number in
            ChunkCommit.Row(device: DeviceNumber(rawValue: number), pushType: .apns, outcome: .accepted)
        }
        return commit
    }

    func funnel() async throws -> Funnel { try await campaigns.funnel(of: campaign) }
}

extension StoreKind {
    /// Runs a test on a database with a Campaign that has just begun.
    func withDeliveries(devices: Int, _ body: (DeliveryFixture) async throws -> Void) async throws {
        try await withDatabase { database in
            try await body(DeliveryFixture(database, devices: devices))
        }
    }
}
