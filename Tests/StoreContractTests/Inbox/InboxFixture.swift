import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import CarillonSQL
import CarillonStore
import Foundation
import NIOConcurrencyHelpers

/// An App, its Devices, and their messages.
struct InboxFixture: Sendable {
    static let secret = SecretHash(of: "secret")

    let database: any Database
    let stores: Stores
    let app = AppID(rawValue: 7)
    /// The oldest time that inboxes show in these tests.
    let start = Timestamp(rawValue: 1_800_000_000_000)
    private let counter = NIOLockedValueBox<Int64>(0)

    init(_ database: any Database, identity: App.Identity = .signed) async throws {
        self.database = database
        stores = try await Stores(migrating: database, now: start)
        _ = try await database.write { [app] connection in
            try connection.run(
                """
                INSERT INTO apps (id, name, bundle_id, identity, created_at, next_device_number)
                VALUES ($1, 'a', 'b', $2, 0, 1)
                """,
                app,
                identity.rawValue
            )
        }
    }

    static func device(_ number: UInt8) -> DeviceID {
        DeviceID(rawValue: UUID(uuid: (number, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1)))
    }

    func time(_ minute: Int) -> Timestamp { start.advanced(by: .seconds(60 * minute)) }

    /// Registers a Device, or changes its User.
    ///
    /// - Returns: The Device's number.
    @discardableResult
    func register(_ device: UInt8, user: String? = nil, at minute: Int = 0) async throws -> DeviceNumber {
        var registration = Registration(
            token: [UInt8](repeating: device, count: 32).withUnsafeBytes { DeviceToken(bytes: $0) },
            pushType: .apns,
            consent: Consent(notifications: true, ads: false, nightAds: false)
        )
        registration.user = user.flatMap(UserID.init(rawValue:))
        registration.language = "ja-JP"
        let change = DeviceChange(
            app: app,
            device: Self.device(device),
            secretHash: Self.secret,
            content: .registration(registration),
            claim: .granted,
            at: time(minute)
        )
        _ = try await stores.devices.apply(change)
        return try await number(device)
    }

    struct Missing: Error {}

    func number(_ device: UInt8) async throws -> DeviceNumber {
        guard let stored = try await stores.devices.device(app: app, device: Self.device(device)) else {
            throw Missing()
        }
        return stored.number
    }

    /// Sends a message, and saves an outcome for each of its Devices.
    @discardableResult
    func send(
        _ body: String = "b",
        to audience: Audience = .all,
        at minute: Int,
        isTest: Bool = false,
        _ change: (inout CampaignRequest) -> Void = { _ in },
        outcome: @Sendable (DeviceNumber) -> Delivery.Outcome = { _ in .accepted }
    ) async throws -> OccurrenceID {
        let serial = counter.withLockedValue { count in
            count += 1
            return count
        }
        let message = Message(content: [Message.defaultLanguage: LocalizedContent(body: body)])
        var request = CampaignRequest(audience: audience, message: message)
        change(&request)
        let now = time(minute)
        let occurrence = OccurrenceID(milliseconds: now.rawValue, sequence: UInt32(serial))
        let campaign = Campaign(
            id: CampaignID(rawValue: serial),
            app: app,
            request: request,
            state: .sending,
            createdAt: now
        )
        let new = NewCampaign(
            campaign: campaign,
            retryFor: .seconds(60),
            isTest: isTest,
            inbox: InboxPlacement(request, isTest: isTest),
            occurrence: occurrence
        )
        guard try await stores.campaigns.insert(new) != nil else { throw Missing() }
        try await dispatch(occurrence, at: now, outcome)
        return occurrence
    }

    private func dispatch(
        _ occurrence: OccurrenceID,
        at now: Timestamp,
        _ outcome: (DeviceNumber) -> Delivery.Outcome
    ) async throws {
        let store = stores.deliveries
        let wave = try await store.overview(at: now, from: WorkCursor()).waves.first { $0.occurrence == occurrence }
        guard let wave, let facts = try await store.facts(of: occurrence, app: app) else { throw Missing() }
        let reading = try await store.read(wave, of: facts, limit: 5_000)
        let lease = try await store.lease(
            reading,
            of: wave,
            readAt: Timestamp(rawValue: 0),
            at: now,
            for: DispatcherSession(rawValue: 1)
        )
        guard let lease else { return }
        var commit = ChunkCommit(lease: lease, at: now)
        commit.reasons = [FailureReason(rawValue: "Test")]
        commit.rows = reading.recipients.numbers.indices.map { row in
            ChunkCommit.Row(
                device: reading.recipients.numbers[row],
                pushType: reading.recipients.pushTypes[row],
                outcome: outcome(reading.recipients.numbers[row])
            )
        }
        commit.ending = .isOver
        _ = try await store.commit(commit)
    }

    /// A Device's messages, newest first.
    func listing(_ device: UInt8, since first: OccurrenceID? = nil, limit: Int = 100) async throws -> InboxListing {
        let answer = try await stores.inboxes.listing(
            app: app,
            device: Self.device(device),
            secretHash: Self.secret,
            since: first ?? OccurrenceID(milliseconds: start.rawValue, sequence: 0),
            limit: limit
        )
        guard case .found(let listing) = answer else { throw Missing() }
        return listing
    }

    func occurrences(_ device: UInt8) async throws -> [OccurrenceID] {
        try await listing(device).entries.map(\.occurrence)
    }

    /// Marks all of a Device's messages as read.
    func read(_ device: UInt8) async throws {
        let listing = try await listing(device)
        let first = OccurrenceID(milliseconds: start.rawValue, sequence: 0)
        try await stores.inboxes.markRead(listing.entries, by: listing.owner, app: app, since: first)
    }

    func rowCount(_ sql: SQL) async throws -> Int {
        try await database.read { connection in try connection.first(sql) { $0.int(0) } ?? 0 }
    }
}

extension StoreKind {
    func withInboxes(identity: App.Identity = .signed, _ body: (InboxFixture) async throws -> Void) async throws {
        try await withDatabase { database in try await body(InboxFixture(database, identity: identity)) }
    }
}
