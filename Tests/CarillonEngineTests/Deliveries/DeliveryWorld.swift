import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import CarillonSQL
import CarillonStore
import Foundation
import Logging
import TestStores

/// An App, its Devices, Campaigns and a push service, on a store of its own.
struct DeliveryWorld: Sendable {
    let database: any Database
    let stores: Stores
    let apps: Apps
    let inboxes: Inboxes
    private(set) var app: AppID
    let sender: FakeSender
    let time: TestTime
    let ids: IDSource
    let signals: CampaignSignals
    /// The log of its dispatchers.
    let log = CollectedLog()

    /// Opens the database of a place, a new one when there is none; `app` is the App of a place that was used before.
    init(
        sender: FakeSender = FakeSender(),
        time: TestTime = TestTime(),
        place: TestPlace? = nil,
        options: SQLiteDatabase.Options = .init(),
        app known: AppID? = nil
    ) async throws {
        self.sender = sender
        self.time = time
        if let place {
            database = try place.open(options)
        } else {
            database = try await TestDatabase(options)
        }
        stores = try await Stores(migrating: database, now: time.now())
        ids = IDSource(clock: time)
        signals = CampaignSignals(now: { time.now() })
        let vault = Vault(masterKey: Array(repeating: 7, count: 32))!
        apps = Apps(
            store: stores.apps,
            vault: vault,
            appKeys: AppKeyCache(),
            ids: ids,
            clock: time,
            signals: signals
        )
        app =
            if let known { known } else {
                try await apps.create(AppRequest(name: "Test", bundleID: "com.example.test")).app.id
            }
        inboxes = Inboxes(store: stores.inboxes, clock: time)
        if known == nil { try await addPushKey(isConfirmed: false) }
    }

    /// The same with another App under the same rules.
    func withNewApp(_ rules: SendingRules = SendingRules()) async throws -> DeliveryWorld {
        var world = self
        var request = AppRequest(name: "Other", bundleID: "com.example.other")
        request.sendingRules = rules
        world.app = try await apps.create(request).app.id
        try await world.addPushKey(isConfirmed: false)
        return world
    }

    var campaigns: Campaigns { campaigns(timer: time) }

    /// Campaigns whose followers wait by another clock.
    func campaigns(timer: TestTime) -> Campaigns {
        Campaigns(
            store: stores.campaigns,
            sender: sender,
            ids: ids,
            clock: time,
            signals: signals,
            timer: timer
        )
    }

    // MARK: - Devices

    /// A Device; number `n` has token `n` repeated.
    struct Device: Sendable {
        var consent = ConsentBits.notifications
        var language: String? = "en"
        var zone: String? = "Asia/Seoul"
        var user: String?
        var pushType = PushType.apns
        var tokenState = DeviceRecord.TokenState.active
        /// When it registered its token; `nil` after an import.
        var tokenAt: Int64? = 0
        /// Whether no notification to the token has been accepted.
        var isTokenUnconfirmed = false
        /// When it registered last; by default shortly before the tests' time.
        var registeredAt = Timestamp("2026-02-28T12:00:00Z")!
        /// A second token, of another push type; its bytes are the other's reversed.
        var callPushType: PushType?
    }

    /// Adds Devices with numbers from `first` on.
    func addDevices(
        _ count: Int,
        from first: Int = 1,
        _ device: @escaping @Sendable (Int) -> Device = { _ in Device() }
    )
        async throws
    {
        let app = app
        _ = try await database.write { connection in
            for number in first..<(first + count) {
                try connection.insert(device(number), number: number, app: app)
            }
        }
    }

    /// Gives the App a push key; `isConfirmed` means that the push service accepted one of its notifications.
    func addPushKey(isConfirmed: Bool) async throws {
        let (app, now): (AppID, Timestamp) = (app, time.now())
        let key = Array("key".utf8)
        _ = try await stores.apps.setPushKey(app, keyID: "K", teamID: "T", sealedPrivateKey: key, at: now)
        guard isConfirmed else { return }
        _ = try await database.write { connection in
            try connection.run("UPDATE push_keys SET confirmed_at = $1 WHERE app_id = $2", now, app)
        }
    }

    static func id(_ number: Int) -> DeviceID {
        var bytes = [UInt8](repeating: 0, count: 16)
        withUnsafeBytes(of: UInt64(number).bigEndian) { bytes.replaceSubrange(8..<16, with: $0) }
        return DeviceID(rawValue: bytes.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) })
    }

    static func token(_ number: Int) -> [UInt8] {
        (0..<4).flatMap { _ in withUnsafeBytes(of: UInt64(number).bigEndian, Array.init) }
    }

    /// The tokens of all Devices.
    static let secret = String(repeating: "s", count: 43)

    // MARK: - Campaigns

    static func message(_ body: String = "hello") -> Message {
        Message(content: [Message.defaultLanguage: LocalizedContent(body: body)])
    }

    func request(_ audience: Audience = .all, _ message: Message = message()) -> CampaignRequest {
        CampaignRequest(audience: audience, message: message)
    }

    func dispatcher(_ configure: (inout Dispatcher.Options) -> Void = { _ in }) -> Dispatcher {
        var options = Dispatcher.Options()
        options.random = { 0.5 }
        configure(&options)
        return Dispatcher(
            options: options,
            Dispatcher.Dependencies(
                store: stores.deliveries,
                sender: sender,
                receiptKeys: apps,
                ids: ids,
                signals: signals,
                clock: time,
                timer: time,
                logger: log.logger
            )
        )
    }

    /// A dispatcher's dependencies, on a store that fails.
    func dependencies(_ store: FaultyStore) -> Dispatcher.Dependencies {
        var dependencies = dispatcher().dependencies
        (dependencies.work, dependencies.outcomes, dependencies.sessions) = (store, store, store)
        return dependencies
    }

    /// Runs dispatchers while the body runs.
    @discardableResult
    func dispatching<Value>(
        _ dispatchers: Dispatcher...,
        body: () async throws -> Value
    ) async throws -> Value {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for dispatcher in dispatchers { group.addTask { try await dispatcher.run() } }
            defer { group.cancelAll() }
            return try await body()
        }
    }

    /// Advances the clocks while the body runs, no faster than the database processes its requests.
    func withTimeRunning<Value>(_ body: () async throws -> Value) async throws -> Value {
        try await time.running(idle: { await processRequests() }, body)
    }

    /// Moves both clocks to the first wake-up, after the database has processed its requests: on a busy machine leases would
    /// otherwise end, again and again, before their holders had the processor.
    func advanceToNextSleeper() async {
        await processRequests()
        await time.advanceToNextSleeper()
    }

    private func processRequests() async {
        for _ in 0..<5 {
            _ = try? await database.read { connection in
                try connection.first("SELECT 1") { $0.int(0) }
            }
        }
        // Waits behind the writes that wait; a full disk refuses none that writes nothing.
        try? await database.write(priority: .bulk) { _ in }
    }

    /// Waits until a Campaign is in a state.
    @discardableResult
    func wait(
        for state: Campaign.State,
        of campaign: CampaignID,
        until isSo: (Campaign) -> Bool = { _ in true }
    ) async throws -> Campaign {
        let signal = signals.changes(of: campaign)
        while true {
            let count = signal.count
            let found = try await campaigns.campaign(campaign, within: app)
            if found.state == state, isSo(found) { return found }
            await signal.wait(after: count)
            try Task.checkCancellation()
        }
    }

    /// Waits until a Campaign's counts satisfy a condition.
    func wait(of campaign: CampaignID, until isSo: (Funnel) -> Bool) async throws {
        let signal = signals.changes(of: campaign)
        while true {
            let count = signal.count
            if isSo(try await funnel(campaign)) { return }
            await signal.wait(after: count)
            try Task.checkCancellation()
        }
    }

    /// Waits until no Chunk is open, and moves the clocks to the next retry.
    ///
    /// - Returns: False when the Campaign is complete.
    @discardableResult
    func advanceToNextRetry(of campaign: CampaignID) async throws -> Bool {
        let signal = signals.changes(of: campaign)
        while true {
            let count = signal.count
            if try await campaigns.campaign(campaign, within: app).state != .sending { return false }
            let now: Timestamp = time.now()
            if let due = try await nextWhenQuiet(.nextRetry), due > now {
                time.advance(by: now.duration(to: due))
                return true
            }
            await signal.wait(after: count)
            try Task.checkCancellation()
        }
    }

    /// Waits until no Chunk is open, and moves the clocks to the next due work.
    ///
    /// - Returns: False when the Campaign is complete, or waits for nothing.
    @discardableResult
    func advanceToNextWork(of campaign: CampaignID) async throws -> Bool {
        let signal = signals.changes(of: campaign)
        while true {
            let count = signal.count
            let state = try await campaigns.campaign(campaign, within: app).state
            guard state == .sending || state == .scheduled || state == .cancelling else { return false }
            let now: Timestamp = time.now()
            if let due = try await nextWhenQuiet(.nextWork), due > now {
                time.advance(by: now.duration(to: due))
                return true
            }
            await signal.wait(after: count)
            try Task.checkCancellation()
        }
    }

    /// Sends a Campaign completely, moving the clocks as far as needed.
    func finish(_ campaign: CampaignID, _ dispatchers: Dispatcher...) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for dispatcher in dispatchers.isEmpty ? [dispatcher()] : dispatchers {
                group.addTask { try await dispatcher.run() }
            }
            defer { group.cancelAll() }
            while try await advanceToNextWork(of: campaign) {}
        }
    }

    func funnel(_ campaign: CampaignID) async throws -> Funnel {
        try await campaigns.funnel(campaign, within: app)
    }

    /// All deliveries by Device number.
    func deliveries(_ campaign: CampaignID) async throws -> [Int: Delivery] {
        let kept = try await campaigns.campaign(campaign, within: app)
        let rows = try await stores.campaigns.deliveries(of: kept, after: nil, limit: 1_000_000)
        return Dictionary(uniqueKeysWithValues: rows.map { (Int($0.position.device.rawValue), $0.delivery) })
    }

    func tokenState(_ number: Int) async throws -> DeviceRecord.TokenState? {
        try await stores.devices.device(app: app, device: Self.id(number))?.tokenState
    }

    /// When the next work is due, unless a Chunk is open; both read at one instant.
    func nextWhenQuiet(_ next: SQL) async throws -> Timestamp? {
        let due = try await database.read { connection in
            try connection.first(next) { ($0.int(0), $0.int64(1)) }
        }
        guard let due, due.0 == 0 else { return nil }
        return Timestamp(rawValue: due.1)
    }

    /// The number of rows of a work table.
    func rowCount(_ table: SQL) async throws -> Int {
        try await database.read { connection in
            try connection.first(table) { $0.int(0) } ?? 0
        }
    }
}

extension SQL {
    /// The number of open Chunks, and when the first retry is due; 0 for never.
    static let nextRetry: SQL =
        "SELECT (SELECT count(*) FROM chunks), COALESCE(MIN(due_at), 0) FROM retries"
    /// The number of open Chunks, and when any work is due; 0 for never.
    static let nextWork: SQL = """
        SELECT (SELECT count(*) FROM chunks), COALESCE(MIN(at), 0) FROM (
            SELECT wake_at AS at FROM waves WHERE wake_at IS NOT NULL
            UNION ALL SELECT next_at FROM campaigns WHERE next_at IS NOT NULL AND state IN ('scheduled', 'sending')
        ) AS work
        """
    static let chunkCount: SQL = "SELECT count(*) FROM chunks"
    static let retryCount: SQL = "SELECT count(*) FROM retries"
    static let waveCount: SQL = "SELECT count(*) FROM waves"
    static let deliveryCount: SQL = "SELECT count(*) FROM deliveries"
}

extension SQLConnection {
    fileprivate func insert(_ device: DeliveryWorld.Device, number: Int, app: AppID) throws(StoreError) {
        let hasToken = device.tokenState != .none
        try send(
            """
            INSERT INTO devices (app_id, number, public_id, user_id, consent, push_type, language, time_zone,
                secret_hash, token, token_state, token_at, created_at, registered_at, token_unconfirmed)
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, 0, $13, $14)
            """,
            app,
            number,
            DeliveryWorld.id(number),
            device.user,
            Int(device.consent.rawValue),
            device.pushType.code,
            device.language,
            device.zone,
            SecretHash(of: DeliveryWorld.secret),
            hasToken ? DeliveryWorld.token(number) : nil,
            hasToken ? device.tokenState.code : nil,
            device.tokenAt,
            device.registeredAt,
            device.isTokenUnconfirmed ? Int64(1) : nil
        )
        guard let callPushType = device.callPushType else { return }
        try send(
            """
            INSERT INTO call_tokens (app_id, device_number, push_type, token, state, registered_at)
            VALUES ($1, $2, $3, $4, 1, 0)
            """,
            app,
            number,
            callPushType.code,
            Array(DeliveryWorld.token(number).reversed())
        )
    }
}
