import ApplePush
import ApplePushConnection
import ApplePushSimulator
import Foundation
import Testing

/// The simulator as others use it in their tests, with the client in front of it.
struct SimulatedAPNsTests {
    private let message = AlertMessage(title: "Goal")

    private func client(
        _ apns: SimulatedAPNs,
        _ credentials: APNsClient.Credentials? = nil,
        bundleID: String = "com.example.app"
    ) throws -> APNsClient {
        var configuration = ConnectionPool.Configuration()
        configuration.trustRoots = .file(apns.certificateAuthorityFile)
        configuration.firstBackoff = .milliseconds(10)
        return try APNsClient(
            credentials ?? .key(SigningKey(pem: apns.key.pem, keyID: apns.key.keyID, teamID: apns.key.teamID)),
            bundleID: bundleID,
            endpoint: Endpoint(host: apns.host, port: apns.port),
            configuration: configuration
        )
    }

    private func reason(_ outcome: Outcome) -> String? {
        if case .rejected(let rejection) = outcome { rejection.reason.rawValue } else { nil }
    }

    @Test("Device tokens are made, belong to an app, end and come back")
    func deviceTokens() async throws {
        try await SimulatedAPNs.run { apns in
            let client = try client(apns)
            let mine = try apns.makeDeviceToken(bundleID: "com.example.app")
            let other = try apns.makeDeviceToken(bundleID: "com.example.other")
            #expect(try await client.send(message, to: mine) == .accepted(uniqueID: nil))
            #expect(reason(try await client.send(message, to: other)) == "DeviceTokenNotForTopic")

            try apns.unregister(mine, since: Date(timeIntervalSince1970: 1_800_000_000.5))
            let gone = Rejection(
                .unregistered,
                status: 410,
                tokenInvalidSince: Date(timeIntervalSince1970: 1_800_000_000.5)
            )
            #expect(try await client.send(message, to: mine) == .rejected(gone))
            try apns.register(mine)
            #expect(try await client.send(message, to: mine) == .accepted(uniqueID: nil))
            #expect(apns.accepted == 2 && apns.refused == 2)
            await client.shutDown()
        }
    }

    @Test("Rules change while it runs, and read back")
    func rules() async throws {
        var strict = SimulatedAPNs.Rules()
        strict.acceptsUnknownDeviceTokens = false
        strict.environment = .sandbox
        try await SimulatedAPNs.run(strict) { apns in
            #expect(apns.rules == strict)
            let client = try client(apns)
            let unknown = String(repeating: "ab", count: 32)
            #expect(reason(try await client.send(message, to: unknown)) == "BadDeviceToken")
            #expect(throws: SimulatedAPNs.Problem.unknownDeviceToken) { try apns.unregister(unknown) }
            apns.rules.acceptsUnknownDeviceTokens = true
            // The sandbox gives each notification an id for Apple's console.
            guard case .accepted(.some) = try await client.send(message, to: unknown) else {
                Issue.record("not accepted")
                return
            }
            apns.rules.bundleIDs = ["com.example.other"]
            #expect(reason(try await client.send(message, to: unknown)) == "TopicDisallowed")
            await client.shutDown()
        }
    }

    @Test("Faults hit so many requests, and outages end")
    func faults() async throws {
        try await SimulatedAPNs.run { apns in
            let client = try client(apns)
            let token = try apns.makeDeviceToken()
            try apns.inject(.answer(500, "InternalServerError"), count: 1, deviceToken: token)
            #expect(reason(try await client.send(message, to: token)) == "InternalServerError")
            try apns.inject(.close.thatTakesEffect, count: 1)
            #expect(try await client.send(message, to: token) == .unknown(.connectionLost))
            #expect(apns.accepted == 1)
            try apns.inject(.answer(429, "TooManyRequests"))
            apns.removeFaults()
            #expect(try await client.send(message, to: token) == .accepted(uniqueID: nil))

            apns.setReachable(false)
            // The first may still go out on the connection that has just been cut.
            _ = try? await client.send(message, to: token)
            await #expect(throws: APNsClient.Problem.self) { try await client.send(message, to: token) }
            apns.setReachable(true)
            #expect(try await client.send(message, to: token) == .accepted(uniqueID: nil))
            #expect(apns.connectionsOpened >= 3)
            await client.shutDown()
        }
    }

    @Test("Requests are shown with fields, body and answer")
    func requests() async throws {
        try await SimulatedAPNs.run { apns in
            let client = try client(apns)
            let token = try apns.makeDeviceToken()
            let id = UUID()
            async let sent = client.send(message, to: token, id: id)
            let request = try #require(try await apns.requests(atLeast: 1).first)
            #expect(try await sent == .accepted(uniqueID: nil))
            #expect(request.deviceToken == token && request["apns-id"] == id.uuidString.lowercased())
            #expect(request["apns-push-type"] == "alert" && request.keyID == "SIMKEY0001")
            #expect(try request.decode([String: [String: [String: String]]].self)["aps"]?["alert"]?["title"] == "Goal")
            apns.reset()
            #expect(apns.requests.isEmpty && apns.accepted == 0)
            await #expect(throws: SimulatedAPNs.Problem.tooFewRequests(0)) {
                try await apns.requests(atLeast: 1, within: .zero)
            }
            await client.shutDown()
        }
    }

    @Test("A certificate replaces the key, and a revoked key is invalid")
    func credentials() async throws {
        try await SimulatedAPNs.run { apns in
            let made = try apns.makeClientCertificate(bundleID: "com.example.app", passphrase: "secret")
            let identity = try ClientIdentity(p12: made.pkcs12, passphrase: "secret")
            let token = try apns.makeDeviceToken()
            let certified = try client(apns, .certificate(identity))
            #expect(try await certified.send(message, to: token) == .accepted(uniqueID: nil))
            let keyed = try client(apns)
            apns.revokeKey()
            #expect(reason(try await keyed.send(message, to: token)) == "InvalidProviderToken")
            await certified.shutDown()
            await keyed.shutDown()
        }
    }

    @Test("The clock moves, and with it the age of provider tokens")
    func clock() async throws {
        try await SimulatedAPNs.run { apns in
            let client = try client(apns)
            let token = try apns.makeDeviceToken()
            #expect(try await client.send(message, to: token) == .accepted(uniqueID: nil))
            apns.advanceClock(by: .seconds(3700))
            #expect(reason(try await client.send(message, to: token)) == "ExpiredProviderToken")
            await client.shutDown()
        }
    }

    @Test("What cannot be is refused with its limit")
    func badInput() async throws {
        try await SimulatedAPNs.run { apns in
            #expect(throws: SimulatedAPNs.Problem.badStatus) { try apns.inject(.answer(200, "Fine")) }
            #expect(throws: SimulatedAPNs.Problem.badAmount) { try apns.inject(.close, count: 0) }
            #expect(throws: SimulatedAPNs.Problem.badAmount) { try apns.inject(.close, percent: 101) }
            #expect(throws: SimulatedAPNs.Problem.badDeviceToken) { try apns.inject(.close, deviceToken: "xy") }
            #expect(throws: SimulatedAPNs.Problem.badDeviceToken) { try apns.register("ab") }
            #expect(throws: SimulatedAPNs.Problem.badBundleID) { try apns.makeDeviceToken(bundleID: "com example") }
            #expect(throws: SimulatedAPNs.Problem.badBundleID) { try apns.makeClientCertificate(bundleID: "") }
        }
    }
}
