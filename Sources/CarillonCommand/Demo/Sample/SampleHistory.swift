#if os(Linux)
import ApplePushSender
import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import CarillonSQL
import CarillonStore
import CarillonWebhooks
import Foundation
import Logging
import ServiceLifecycle

/// A sample App with a week of history: Operators, Devices, Campaigns and what phones reported.
///
/// It is made before the server runs, by the same engine with a clock that is set from day to day, and a push service
/// that answers by itself.
struct SampleHistory {
    /// What was made.
    struct Made: Sendable {
        var app: AppID
        var devices: [DeviceID]
        var appKey: String
    }

    /// One Operator of each role; the word before the address's `@` is the role.
    static let roles: [OperatorRole] = [.admin, .sender, .editor, .viewer]

    private static let day = Duration.seconds(86_400)
    private static let caller = OperatorCaller(address: "127.0.0.1", network: "127.0.0.1")

    private let engine: Engine
    private let stores: Stores
    private let sender: SampleSender
    private let clock: SampleClock
    private let password: String
    private let pushKey: PushKeyRequest

    /// The address of a role's Operator.
    static func address(of role: OperatorRole) -> String { "\(role.rawValue)@example.org" }

    /// Makes the history in a store that nobody uses yet.
    ///
    /// - Parameters:
    ///   - configuration: That of the server which uses the store afterwards.
    ///   - tokens: Device tokens, one for each Device.
    ///   - password: The Operators' password.
    ///   - pushKey: The App's push key.
    ///   - logger: The log.
    /// - Returns: What was made.
    /// - Throws: When the store cannot be used.
    static func make(
        _ configuration: ServerConfiguration,
        tokens: [String],
        password: String,
        pushKey: PushKeyRequest,
        logger: Logger
    ) async throws -> Made {
        let database = try configuration.openDatabase()
        defer { database.close() }
        let clock = SampleClock(SystemWallClock().now().advanced(by: .zero - day * 7))
        let stores = try await Stores(migrating: database, now: clock.now())
        let vault = try await ServerComposition.vault(stores, configuration)
        let context = EngineContext(vault: vault, clock: clock, logger: logger)
        let apps = context.apps(stores)
        let apple = ServerComposition.sender(configuration, stores, context, apps, SimulatedApple(logger: logger))
        let sender = SampleSender(rendering: apple)
        let engine = Engine(
            stores: stores,
            context: context,
            apps: apps,
            sender: sender,
            webhookClient: HTTPWebhookClient(options: configuration.webhooks),
            operatorOptions: configuration.operators
        )
        let history = SampleHistory(
            engine: engine,
            stores: stores,
            sender: sender,
            clock: clock,
            password: password,
            pushKey: pushKey
        )
        return try await history.make(tokens)
    }

    // MARK: - Private

    private func make(_ tokens: [String]) async throws -> Made {
        try await makeOperators()
        var request = AppRequest(
            name: SampleContent.appName,
            bundleID: SampleContent.bundleID,
            identity: .open
        )
        request.personalMessages = true
        let secrets = try await engine.apps.create(request)
        let app = secrets.app.id
        _ = try await engine.apps.setPushKey(app, pushKey)
        var made = Made(app: app, devices: [], appKey: secrets.appKey)
        let parts = SampleContent.past.count + 1
        for (round, past) in SampleContent.past.enumerated() {
            // Half of the Devices are there on the first day; some more come each day.
            let count = tokens.count * (parts + round) / (2 * parts - 2)
            for token in tokens[made.devices.count..<min(count, tokens.count)] {
                made.devices.append(try await register(token, made.devices.count, app))
            }
            try await send(past.name, past.message, to: app, round)
            clock.advance(by: Self.day)
        }
        for token in tokens[made.devices.count...] {
            made.devices.append(try await register(token, made.devices.count, app))
        }
        try await cancel(app)
        return made
    }

    private func makeOperators() async throws {
        guard let setup = try await engine.operators.newSetupLink() else { return }
        _ = try await engine.operators.setUp(
            Self.secret(of: setup),
            address: Self.address(of: .admin),
            displayName: "Admin",
            password: password,
            by: Self.caller
        )
        for role in Self.roles where role != .admin {
            let name = role.rawValue.capitalized
            let roles = OperatorRoles(everywhere: role)
            let invitation = OperatorInvitation(address: Self.address(of: role), displayName: name, roles: roles)
            let invited = try await engine.operators.invite(invitation, by: .server).value
            _ = try await engine.operators.acceptInvitation(
                Self.secret(of: invited.link),
                displayName: name,
                password: password,
                by: Self.caller
            )
        }
    }

    private static func secret(of link: OperatorLink) -> String {
        String(link.path.split(separator: "/").last ?? "")
    }

    private func register(_ token: String, _ number: Int, _ app: AppID) async throws -> DeviceID {
        let places = [("en-GB", "GB", "Europe/London"), ("ja-JP", "JP", "Asia/Tokyo"), ("ko-KR", "KR", "Asia/Seoul")]
        let (language, country, zone) = places[number % places.count]
        let consent = Consent(notifications: number % 11 != 5, ads: number.isMultiple(of: 3))
        var registration = Registration(token: DeviceToken(hexadecimal: token), consent: consent)
        // Some people have two phones.
        registration.user = UserID(rawValue: "reader-\(number % (number < 20 ? 12 : 400))")
        (registration.language, registration.country, registration.timeZone) = (language, country, zone)
        registration.model = ["iPhone15,3", "iPhone14,5", "iPad13,4"][number % 5 % 3]
        registration.appVersion = number.isMultiple(of: 4) ? "2.3.1" : "2.4.0"
        registration.osVersion = number.isMultiple(of: 6) ? "iOS 16.7" : "iOS 17.4"
        let id = DeviceID(UUID().uuidString.lowercased())
        guard let id else { preconditionFailure("A UUID is an id of a Device.") }
        _ = try await engine.devices.register(
            app: app,
            device: id,
            secret: String(repeating: "s", count: 43),
            registration
        )
        return id
    }

    /// Sends a Campaign, and reports what phones did with it.
    private func send(_ name: String, _ message: Message, to app: AppID, _ round: Int) async throws {
        var request = CampaignRequest(audience: .all, message: message)
        request.name = name
        let campaign = try await engine.campaigns.create(app: app, request)
        try await dispatch(campaign.id)
        var events: [Event] = []
        for (number, accepted) in sender.take().enumerated() {
            func add(_ kind: Event.Kind, after seconds: Int) {
                let at = clock.now().advanced(by: .seconds(seconds))
                events.append(Event(kind, occurrence: accepted.occurrence, receipt: accepted.receipt, at: at))
            }
            if number % 9 != 0 { add(.received, after: 1 + number % 40) }
            // Some messages interest more people than others.
            if number % (4 + round % 3) == 1 {
                add(.opened, after: 60 + number * 7)
            } else if number % 7 == 3 {
                add(.dismissed, after: 90 + number)
            }
        }
        clock.advance(by: .seconds(3_600 * 2))
        for start in stride(from: 0, to: events.count, by: EventBatch.maximumCount) {
            let end = min(start + EventBatch.maximumCount, events.count)
            _ = try await engine.events.record(app: app, Array(events[start..<end]))
        }
    }

    /// Runs a dispatcher until a Campaign is sent.
    private func dispatch(_ campaign: CampaignID) async throws {
        let context = engine.context
        let dispatcher = Dispatcher(
            options: Dispatcher.Options(),
            Dispatcher.Dependencies(
                store: stores.deliveries,
                sender: sender,
                receiptKeys: engine.apps,
                ids: context.ids,
                signals: context.signals,
                clock: context.clock,
                logger: context.logger
            )
        )
        let services = ServiceGroup(configuration: .init(services: [dispatcher], logger: context.logger))
        async let running: Void = services.run()
        for await _ in try await engine.campaigns.progress(campaign, within: nil, every: .milliseconds(20)) {}
        await services.triggerGracefulShutdown()
        try await running
    }

    /// A Campaign that was planned and then cancelled.
    private func cancel(_ app: AppID) async throws {
        let message = SampleContent.message("Street festival", "It is moved to spring.", ja: "祭り延期", ko: "축제 연기")
        var request = CampaignRequest(audience: .all, message: message)
        request.name = "Street festival"
        request.sendAt = clock.now().advanced(by: Self.day * 20)
        let campaign = try await engine.campaigns.create(app: app, request)
        _ = try await engine.campaigns.cancel(campaign.id, within: app)
    }
}
#endif
