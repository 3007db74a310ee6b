import ApplePush
import ApplePushConnection
import Foundation
import NIOCore
import NIOPosix

/// What docs/apns-client.md shows, compiled; `GuideTests` compares the two.
enum GuideSnippets {
    static func one(deviceToken: String) async throws {
        // guide: one
        let key = try SigningKey(file: "AuthKey_ABC123DEFG.p8", keyID: "ABC123DEFG", teamID: "DEF123GHIJ")
        let client = try APNsClient(.key(key), bundleID: "com.example.app", endpoint: .sandbox)

        let message = AlertMessage(title: "Tonight at eight", body: "The carillon plays.")
        switch try await client.send(message, to: deviceToken) {
        case .accepted: print("APNs took it")
        case .rejected(let rejection): print("APNs refused it:", rejection.reason.rawValue)
        case .notSent(let failure): print("safe to send again:", failure.rawValue)
        case .unknown(let failure): print("sent, and no answer:", failure.rawValue)
        }
        await client.shutDown()
        // end
    }

    static func team(pem: String, message: AlertMessage, app: BundleID, device: APNsDeviceToken) async throws {
        // guide: team
        let tokens = ProviderTokenSource(key: try SigningKey(pem: pem, keyID: "ABC123DEFG", teamID: "DEF123GHIJ"))
        let pool = try ConnectionPool(endpoint: .sandbox, eventLoopGroup: MultiThreadedEventLoopGroup.singleton)

        let token = try tokens.token()
        let outcome = try await pool.send(
            PushNotification(message.request(for: app), to: device),
            token: token,
            deadline: .now() + .seconds(30)
        )
        if case .rejected(let rejection) = outcome, rejection.reason == .expiredProviderToken {
            tokens.refusedAsExpired(token)
        }
        // end
    }

    static func many(
        _ request: PushRequest,
        to devices: [APNsDeviceToken],
        over pool: ConnectionPool,
        _ token: ProviderToken
    ) async throws {
        // guide: many
        let batch = try PushBatch(request, to: devices, ids: devices.map { _ in UUID() })
        let outcomes = await pool.send(batch, token: token, deadline: .now() + .seconds(60), whenFull: .wait)
        print(outcomes.count { $0 == .accepted(uniqueID: nil) }, pool.metrics.rejected)
        // end
    }

    static func configured(passphrase: String) throws -> ConnectionPool.Configuration {
        // guide: configured
        var configuration = ConnectionPool.Configuration()
        configuration.identity = try ClientIdentity(file: "push.p12", passphrase: passphrase)
        configuration.proxy = try HTTPProxy(url: "http://proxy.example:3128")
        configuration.maximumConnectionAge = .seconds(86_400)
        // end
        return configuration
    }

    static func alert() -> AlertMessage {
        // guide: alert
        var message = AlertMessage(
            title: .localized(key: "GOAL_TITLE", arguments: ["Town"]),
            body: "Town 1, Village 0",
            sound: .critical(name: "horn.caf", volume: 0.8),
            badge: 1
        )
        message.interruptionLevel = .timeSensitive
        message.relevanceScore = 0.9
        message.filterCriteria = "sports"
        message.threadID = "match-7"
        message.expiration = Expiration(Date(timeIntervalSinceNow: 3_600))
        message.custom = ["match": 7, "scorers": ["Ann"]]
        // end
        return message
    }

    static func others(app: BundleID) throws {
        // guide: others
        let quiet = BackgroundMessage(custom: ["sync": true])
        let call = VoIPMessage(custom: ["caller": "Ann"])
        let talk = PushToTalkMessage(custom: ["speaker": "Ann"])
        let widgets = WidgetsMessage()
        let novel = RawMessage(
            APNsPushType(rawValue: "novel"),
            payload: try PayloadObject(json: #"{"aps":{"new":1}}"#.utf8)
        )
        // end
        _ = [
            try quiet.request(for: app), try call.request(for: app), try talk.request(for: app),
            try widgets.request(for: app), try novel.request(for: app),
        ]
    }

    // guide: state
    struct Score: Encodable {
        var home: Int
        var guest: Int
    }
    // end

    static func activity(app: BundleID, channel: ChannelID) throws {
        // guide: activity
        let start = LiveActivityStart(
            attributesType: "MatchAttributes",
            attributes: ["home": "Town", "guest": "Village"],
            contentState: try PayloadObject(encoding: Score(home: 0, guest: 0)),
            alert: LiveActivityAlert(title: "Kick-off", body: "Town – Village"),
            timestamp: Date(),
            input: .channel(channel)
        )
        let update = LiveActivityUpdate(
            contentState: try PayloadObject(encoding: Score(home: 1, guest: 0)),
            timestamp: Date(),
            urgency: .considerate
        )
        let end = LiveActivityEnd(timestamp: Date(), dismissalDate: Date().addingTimeInterval(600))
        let requests = [
            try start.request(for: app), try update.request(for: app), try end.request(for: app),
        ]
        // end
        _ = requests
    }

    static func broadcast(app: BundleID, token: ProviderToken, update: LiveActivityUpdate) async throws {
        // guide: broadcast
        let client = try BroadcastClient(endpoints: .sandbox)
        let created = await client.createChannel(storing: .nothing, for: app, token: token)
        guard case .accepted(let channel) = created else { return }

        let broadcast = try Broadcast(update, expiration: .nowOrNever)
        let outcome = await client.send(broadcast, to: channel, of: app, token: token)
        if case .rejected(let rejection) = outcome { print(rejection.reason.rawValue) }
        client.shutDown()
        // end
    }
}
