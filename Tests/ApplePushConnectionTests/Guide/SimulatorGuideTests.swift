import ApplePush
import ApplePushConnection
import ApplePushSimulator
import Testing

@Test("A goal is pushed once, although APNs is briefly unavailable")
func goal() async throws {
    try await SimulatedAPNs.run { apns in
        var configuration = ConnectionPool.Configuration()
        configuration.trustRoots = .file(apns.certificateAuthorityFile)
        let client = try APNsClient(
            .key(SigningKey(pem: apns.key.pem, keyID: apns.key.keyID, teamID: apns.key.teamID)),
            bundleID: "com.example.app",
            endpoint: Endpoint(host: apns.host, port: apns.port),
            configuration: configuration
        )
        let fan = try apns.makeDeviceToken()
        try apns.inject(.answer(503, "ServiceUnavailable"), count: 1)

        let message = AlertMessage(title: "Goal", body: "Town 1, Village 0")
        let outcomes = [try await client.send(message, to: fan), try await client.send(message, to: fan)]

        #expect(outcomes == [.rejected(Rejection(.serviceUnavailable, status: 503)), .accepted(uniqueID: nil)])
        #expect(apns.requests(to: fan).map(\.status) == [503, 200])
        #expect(apns.requests.last?["apns-topic"] == "com.example.app")
        await client.shutDown()
    }
}
