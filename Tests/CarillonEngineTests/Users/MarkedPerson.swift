import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import CarillonSQL
import Foundation
import Testing

@testable import CarillonStore

/// A person with all kinds of data: each text has a mark in it, and ids and tokens are known bytes.
struct MarkedPerson {
    static let mark = "zqxmark"
    static let user = UserID(rawValue: "\(mark)-user")!
    static let other = UserID(rawValue: "somebody-else")!
    /// Two existing Devices, one that was deleted before, and one that was imported.
    static let phone = device(0xA1)
    static let tablet = device(0xA2)
    static let deleted = device(0xA3)
    static let tokens = [UInt8](repeating: 0xA7, count: 16)

    /// Texts about the person and by the person.
    static let texts =
        [
            "tenant", "city", "for one", "order", "for two devices", "later", "retried", "title", "body", "reply",
        ].map { "\(mark) \($0)" } + ["en-\(mark)", "Asia/\(mark)", "1 \(mark)", "2 \(mark)", "3 \(mark)", "4 \(mark)"]
        + [
            "\(mark)name", "\(mark)kind", "\(mark)label", "\"user\":\"\(user)\"", "\"from\":\"\(user)\"",
            "\"to\":\"\(user)\"", "\(mark)-vendor", "\(mark)@account", "\(mark) shown", "\(mark) jazz",
            "\(mark).png",
        ]

    let world: DeliveryWorld
    let users: Users
    private let backEnd = FakeBackEnd()

    static func device(_ byte: UInt8) -> DeviceID {
        DeviceID(
            rawValue: [UInt8](repeating: byte, count: 16).withUnsafeBytes {
                UUID(uuid: $0.loadUnaligned(as: uuid_t.self))
            }
        )
    }

    init(_ world: DeliveryWorld) {
        self.world = world
        users = Users(store: world.stores.users, apps: world.apps, clock: world.time)
    }

    // MARK: - Stored data

    /// Creates all kinds of data of the person; two Campaigns are incomplete afterwards.
    ///
    /// - Returns: The Campaign whose totals have to stay.
    func fill() async throws -> Campaign {
        try await setRules()
        try await registerAll()
        let campaign = try await sendCampaigns()
        try await sendMessages()
        try await signUp()
        try await follow()
        try await attach()
        try await leaveTraces()
        return campaign
    }

    private func setRules() async throws {
        var change = AppUpdate()
        change.sendingRules = SendingRules()
        change.sendingRules?.frequencyCaps = [FrequencyCap(limit: 1_000, period: 86_400)]
        _ = try await world.apps.update(world.app, change)
        _ = try await world.webhooks(backEnd).create(
            app: world.app,
            .init(url: "https://a/", topics: WebhookTopic.allCases)
        )
    }

    private func signUp() async throws {
        let account = StoredAccount(
            user: Self.user,
            name: try AccountName("\(Self.mark)@account"),
            displayName: "\(Self.mark) shown",
            password: nil,
            createdAt: world.time.now()
        )
        let now: Timestamp = world.time.now()
        let token = NewAccountToken(
            hash: SecretHash(of: "token"),
            session: 1,
            createdAt: now,
            expiresAt: now.advanced(by: .seconds(86_400))
        )
        let inserted = try await world.stores.accounts.insert(
            account,
            app: world.app,
            token: token,
            activation: nil,
            staleBefore: now
        )
        #expect(inserted == .done)
    }

    private func registerAll() async throws {
        // First without a User, then the person's, then without and the person's again: three numbers.
        for (step, user) in [nil, Self.user, nil, Self.user].enumerated() {
            try await register(Self.phone, token: 1, user, nightAds: step == 3)
        }
        try await register(Self.tablet, token: 2, Self.user)
        try await register(Self.deleted, token: 3, Self.user)
        try await register(Self.device(0x0B), token: 4, Self.other)
        let caller = DeviceCaller(app: world.app, device: Self.phone, secret: "secret")
        let call = VoIPRegistration(token: try #require(DeviceToken(bytes: Self.tokens + [9, 9, 9, 9])))
        let devices = Devices(store: world.stores.devices, apps: world.apps, inboxes: world.inboxes, clock: world.time)
        _ = try await devices.registerVoIP(call, of: caller)
        let engine = RegistryServices(world.stores.registry, apps: world.apps, clock: world.time)
        let tags = Tags(store: world.stores.tags, apps: world.apps, clock: world.time)
        let tag = try await tags.create(app: world.app, TagRequest(name: "vip"))
        _ = try await tags.apply(.add([tag.id]), of: caller)
        let attributes = UserAttributes(attributes: ["\(Self.mark)name": .string("\(Self.mark) city")])
        _ = try await Attributes(store: world.stores.attributes, apps: world.apps).apply(attributes, of: caller)
        let line =
            #"{"registration":{"token":"\#(String(repeating: "a7", count: 16))05050505","user":"\#(Self.user)","#
            + #""consent":{"notifications":true}},"tags":["vip"]}"# + "\n"
        let report = try await engine.imports.importDevices(
            AsyncStream { parts in
                parts.yield(Array(line.utf8))
                parts.finish()
            },
            app: world.app,
            format: .jsonLines
        )
        #expect(report.added == 1)
    }

    private func register(_ device: DeviceID, token: UInt8, _ user: UserID?, nightAds: Bool = false) async throws {
        let mark = Self.mark
        var registration = Registration(consent: Consent(notifications: true, ads: nightAds, nightAds: nightAds))
        let bytes =
            user == Self.other ? [UInt8](repeating: 0x0C, count: 20) : Self.tokens + Array(repeating: token, count: 4)
        registration.token = DeviceToken(bytes: bytes)
        registration.user = user
        if user != Self.other {
            registration.tenant = "\(mark) tenant"
            registration.language = "en-\(mark)"
            registration.country = mark
            registration.timeZone = "Asia/\(mark)"
            registration.appVersion = "1 \(mark)"
            registration.osVersion = "2 \(mark)"
            registration.model = "3 \(mark)"
            registration.sdkVersion = "4 \(mark)"
            // The deleted one reported a label that no other Device reports.
            let label = device == Self.deleted ? "\(mark)former" : "\(mark)label"
            registration.categories = try JSONDecoder().decode(
                DeviceCategories.self,
                from: Data(#"{"\#(mark)kind":["\#(label)"]}"#.utf8)
            )
            registration.location = DeviceLocation(latitude: 37.5, longitude: 127, at: world.time.now())
        }
        world.time.advance(by: .seconds(1))
        var change = DeviceChange(
            app: world.app,
            device: device,
            secretHash: SecretHash(of: "secret"),
            content: .registration(registration),
            claim: .granted,
            at: world.time.now()
        )
        if user != Self.other { change.vendorDeviceID = "\(mark)-vendor" }
        _ = try await world.stores.devices.apply(change)
    }

    // MARK: Campaigns

    private func request(_ audience: Audience, _ text: String) -> CampaignRequest {
        var request = world.request(audience, DeliveryWorld.message(text))
        request.name = text
        return request
    }

    /// A Campaign whose text is for the person alone.
    private func recipientRequest() -> CampaignRequest {
        let recipients = [
            CampaignRecipient(user: Self.user, values: TemplateValues(["order": "\(Self.mark) order"])),
            CampaignRecipient(user: Self.other, values: TemplateValues(["order": "5"])),
        ]
        var request = request(.users(recipients.map(\.user)), "Order {{recipient.order}}")
        request.recipients = recipients
        return request
    }

    private func sendCampaigns() async throws -> Campaign {
        let mark = Self.mark
        let tablet = try await number(Self.tablet)
        world.sender.answer { notification in
            notification.device == tablet
                ? .dropDeviceToken(FailureReason(rawValue: "Unregistered"), since: nil) : .accepted
        }
        let campaign = try await world.send(request(.users([Self.user, Self.other]), "for some"))
        var toOne = request(.users([Self.user]), "\(mark) for one")
        toOne.variants = [
            Variant(name: "a", content: [Message.defaultLanguage: LocalizedContent(body: "\(mark) variant")]),
            Variant(name: "b"),
        ]
        _ = try await world.send(toOne)
        _ = try await world.send(recipientRequest())
        _ = try await world.send(request(.devices([Self.phone, Self.deleted]), "\(mark) for two devices"))
        // A repeatable request, a scheduled one, a rule that names the person, and a saved one.
        let idempotency = Idempotency(store: world.stores.idempotency, clock: world.time)
        let now: Timestamp = world.time.now()
        let later = now.advanced(by: .seconds(86_400))
        let lists = [Audience.users([Self.user]), .users([Self.other, Self.user]), .devices([Self.deleted])]
        for (index, audience) in lists.enumerated() {
            var waiting = request(audience, audience.isToOne ? "\(mark) later" : "later")
            waiting.sendAt = later
            let key = idempotency.key(principal: "k", key: "\(index)", fingerprint: [1])
            _ = try await world.campaigns.create(
                app: world.app,
                waiting,
                for: IdempotentRequest(key: key) { campaign throws(StoreError) in
                    guard let body = try? JSONEncoder().encode(campaign) else { throw .failed("It is no JSON.") }
                    return StoredAnswer(status: 201, location: "/v1/campaigns/\(campaign.id)", body: Array(body))
                }
            )
        }
        let rule = try AudienceRule(text: "user != \"\(Self.user)\" and not device in [\(Self.phone), \(Self.deleted)]")
        var ruled = request(.rule(rule), "by rule")
        ruled.sendAt = later
        _ = try await world.campaigns.create(app: world.app, ruled)
        _ = try await Audiences(store: world.stores.audiences, apps: world.apps, ids: world.ids, clock: world.time)
            .create(app: world.app, AudienceRequest(name: "all but one", rule: rule))
        return campaign
    }

    private func sendMessages() async throws {
        let room = UserMessages(
            store: world.stores.userMessages,
            apps: world.apps,
            campaigns: world.campaigns,
            client: backEnd,
            vault: DeliveryWorld.vault,
            ids: world.ids,
            clock: world.time,
            timer: world.time
        )
        var rules = UserMessageRules()
        rules.isAllowed = true
        _ = try await room.setRules(rules, of: world.app)
        for (device, to) in [(Self.phone, Self.other), (Self.device(0x0B), Self.user)] {
            let message = UserMessage(to: to, title: "\(Self.mark) title", body: "\(Self.mark) body")
            let caller = DeviceCaller(app: world.app, device: device, secret: "secret")
            #expect(try await room.send(message, from: caller) == nil)
        }
        // They are sent with the next Campaign, and the phone gets a retry.
        world.sender.answer { _ in .retryLater(FailureReason(rawValue: "TooManyRequests"), after: .seconds(600)) }
        let campaign = try await world.campaigns.create(
            app: world.app,
            request(.devices([Self.phone]), "\(Self.mark) retried")
        )
        try await world.dispatching(world.dispatcher()) {
            try await world.wait(of: campaign.id) { $0.retrying == 1 }
        }
    }

    // MARK: Traces

    /// The person follows rows of a content set, and is to hear of one.
    private func follow() async throws {
        let (app, mark, user) = (world.app.rawValue, Self.mark, Self.user)
        try await world.database.write { connection in
            try connection.execute(
                script: """
                    INSERT INTO content_follows (app_id, id, set_name, name, table_name, user_id, query, is_bundled,
                        created_at, user_hash)
                    VALUES (\(app), 1, 's', '\(mark)-follow', 't', '\(user)', '{"words":"\(mark) jazz"}', 1, 0, 7);
                    INSERT INTO content_follow_keys (app_id, set_name, table_name, term, user_hash, follow_id)
                    VALUES (\(app), 's', 't', 'w:\(mark)', 7, 1);
                    INSERT INTO content_bundles (app_id, set_name, table_name, due_at, user_id, name)
                    VALUES (\(app), 's', 't', 1, '\(user)', 'r');
                    """
            )
        }
    }

    /// The person has attached a file to a row of a content set.
    private func attach() async throws {
        let (app, user) = (world.app, Self.user)
        _ = try await world.database.write { connection in
            try connection.run(
                """
                INSERT INTO content_attachments (app_id, id, set_name, table_name, row_name, user_id, kind, title, name,
                    media_type, size, created_at)
                VALUES ($1, 1, 's', 't', 'r', $2, 3, $3, $4, 'image/png', 1, 0)
                """,
                app,
                user,
                "\(Self.mark) title",
                "\(Self.mark).png"
            )
            try connection.run(
                "INSERT INTO content_attachment_parts (app_id, id, number, bytes) VALUES ($1, 1, 0, $2)",
                app,
                Array("\(Self.mark) pixels".utf8)
            )
        }
    }

    private func leaveTraces() async throws {
        let (app, stores) = (world.app, world.stores)
        let occurrences = try await world.database.read { connection in
            try connection.all("SELECT id FROM occurrences WHERE app_id = $1 ORDER BY id LIMIT 100", app) {
                OccurrenceID(rawValue: $0.int64(0))
            }
        }
        for device in [Self.phone, Self.tablet, Self.deleted] {
            let number = try await number(device)
            let events = occurrences.map { occurrence in
                EventRow(
                    occurrence: occurrence,
                    device: number,
                    kind: .action,
                    action: "buy",
                    reply: "\(Self.mark) reply",
                    at: world.time.now(),
                    place: EventPlace(latitude: 37.5, longitude: 127)
                )
            }
            _ = try await stores.events.record(app: app, events, at: Timestamp(rawValue: 1_700_000_000_000))
            let entries = occurrences.map { InboxEntry(occurrence: $0, device: number, isRead: false) }
            let first = OccurrenceID(rawValue: 0)
            try await stores.inboxes.markRead(entries, by: .user(Self.user), app: app, since: first)
            try await stores.inboxes.markRead(entries, by: .device, app: app, since: first)
        }
        _ = try await stores.devices.delete(app: app, device: Self.deleted, secretHash: nil, at: world.time.now())
        // Items that wait for a Device of the User, and leftovers of an interrupted erasure.
        // Only the row: beginning one ends the account, and there is none until it is over.
        let now: Timestamp = world.time.now()
        _ = try await world.database.write { connection in
            try connection.run("INSERT INTO user_tags (app_id, user_id, tags) VALUES ($1, $2, '1')", app, Self.user)
            try connection.run(
                """
                INSERT INTO user_erasures (app_id, user_id, after_occurrence, requested_at) VALUES ($1, $2, -1, $3)
                """,
                app,
                Self.user,
                now
            )
        }
    }

    func number(_ device: DeviceID) async throws -> DeviceNumber {
        try #require(try await world.stores.devices.device(app: world.app, device: device)).number
    }
}
