#if os(Linux)
import ApplePushSender
import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import CarillonSQL
import CarillonStore
import Foundation
import Logging

/// A sample App with a week of history: Devices, Campaigns, what phones reported, and webhooks.
///
/// It is made before the server runs, by the same engine with a clock that is set from day to day, and a push service
/// that answers by itself.
struct SampleHistory {
    /// What was made.
    struct Made: Sendable {
        var app: AppID
        var devices: [DeviceID]
    }

    private static let day = Duration.seconds(86_400)
    /// From the beginning of a Campaign until its phones have reported.
    static let reporting = Duration.seconds(2 * 3_600)
    /// When the history begins: its last Campaign is of this day, with what phones reported about it.
    private static let length = (day + reporting) * (SampleContent.past.count - 1) + reporting + .seconds(600)

    let engine: Engine
    let stores: Stores
    let sender: SampleSender
    let webhooks: SampleWebhooks
    let clock: SampleClock

    /// Makes the history in a store that nobody uses yet.
    ///
    /// - Parameters:
    ///   - configuration: That of the server which uses the store afterwards.
    ///   - tokens: Device tokens, one for each Device.
    ///   - pushKey: The App's push key.
    ///   - logger: The log.
    /// - Returns: What was made.
    /// - Throws: When the store cannot be used.
    static func make(
        _ configuration: ServerConfiguration,
        tokens: [String],
        pushKey: PushKeyRequest,
        logger: Logger
    ) async throws -> Made {
        let database = try configuration.openDatabase()
        defer { database.close() }
        let clock = SampleClock(SystemWallClock().now().advanced(by: .zero - length))
        let stores = try await Stores(migrating: database, now: clock.now())
        let vault = try await ServerComposition.vault(stores, configuration)
        let context = EngineContext(vault: vault, clock: clock, logger: logger)
        let apps = context.apps(stores)
        let apple = ServerComposition.sender(configuration, stores, context, apps, SimulatedApple(logger: logger))
        let sender = SampleSender(rendering: apple)
        let webhooks = SampleWebhooks()
        let engine = Engine(stores: stores, context: context, apps: apps, sender: sender, webhookClient: webhooks)
        return try await SampleHistory(
            engine: engine,
            stores: stores,
            sender: sender,
            webhooks: webhooks,
            clock: clock
        ).make(tokens, pushKey)
    }

    // MARK: - Private

    private func make(_ tokens: [String], _ pushKey: PushKeyRequest) async throws -> Made {
        var request = AppRequest(
            name: SampleContent.appName,
            bundleID: SampleContent.bundleID,
            identity: .open
        )
        request.personalMessages = true
        let app = try await engine.apps.create(request).app.id
        _ = try await engine.apps.setPushKey(app, pushKey)
        let hook = WebhookRequest(url: SampleWebhooks.url, topics: [.campaignFinished])
        let webhook = try await engine.webhooks.create(app: app, hook).webhook.id
        var made = Made(app: app, devices: [])
        let parts = SampleContent.past.count + 1
        for (round, past) in SampleContent.past.enumerated() {
            // Half of the Devices are there on the first day; some more come each day.
            let count = tokens.count * (parts + round) / (2 * parts - 2)
            for token in tokens[made.devices.count..<min(count, tokens.count)] {
                made.devices.append(try await register(token, made.devices.count, app))
            }
            try await send(past, to: app, round)
            try await notify(webhook, app)
            if round < SampleContent.past.count - 1 { clock.advance(by: Self.day) }
        }
        for token in tokens[made.devices.count...] {
            made.devices.append(try await register(token, made.devices.count, app))
        }
        try await cancel(app)
        return made
    }

    private func register(_ token: String, _ number: Int, _ app: AppID) async throws -> DeviceID {
        let (language, country, zone) = SampleContent.places[number % SampleContent.places.count]
        let consent = Consent(notifications: number % 11 != 5, ads: number.isMultiple(of: 3))
        var registration = Registration(token: DeviceToken(hexadecimal: token), consent: consent)
        // Some people have two phones.
        registration.user = UserID(rawValue: "reader-\(number % (number < 20 ? 12 : 400))")
        (registration.language, registration.country, registration.timeZone) = (language, country, zone)
        registration.model = ["iPhone15,3", "iPhone14,5", "iPad13,4"][number % 5 % 3]
        registration.appVersion = number.isMultiple(of: 4) ? "2.3.1" : "2.4.0"
        registration.osVersion = number.isMultiple(of: 6) ? "iOS 16.7" : "iOS 17.4"
        registration.categories = .dimensions([
            "district": [["north", "harbour", "south"][number % 3]], "interest": [["music", "art"][number / 3 % 2]],
        ])
        let id = DeviceID(UUID().uuidString.lowercased())
        guard let id else { preconditionFailure("A UUID is an id of a Device.") }
        _ = try await engine.devices.register(app: app, device: id, secret: UUID().uuidString, registration)
        return id
    }

    /// A Campaign that was planned and then cancelled.
    private func cancel(_ app: AppID) async throws {
        var request = CampaignRequest(audience: .all, message: SampleContent.cancelled.message)
        request.name = SampleContent.cancelled.name
        request.sendAt = clock.now().advanced(by: Self.day * 20)
        let campaign = try await engine.campaigns.create(app: app, request)
        _ = try await engine.campaigns.cancel(campaign.id, within: app)
    }
}
#endif
