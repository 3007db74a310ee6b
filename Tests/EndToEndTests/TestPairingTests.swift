import Carillon
import CarillonModel
import CarillonOperatorModel
import PhoneSimulator
import Testing

@testable import CarillonCommand

/// A phone that becomes a test Device, and its first test.
@Suite struct TestPairingTests {
    @Test("A phone becomes a test Device by a code, and gets a test that counts in no statistics")
    func pairsAndTests() async throws {
        try await EndToEndWorld.run(phones: 2) { world in
            let (api, app) = (world.running.api, world.app.description)
            let phone = try #require(await world.fleet.phones[0].app)
            let client = await phone.carillon.client
            let pairing: TestPairing = try await api.post(
                "v1/test-pairings",
                ["app": app],
                TestPairingRequest(name: "Phone")
            )
            await #expect(throws: CarillonError.self) { try await client.becomeTestDevice(code: "0") }
            try await client.becomeTestDevice(code: pairing.code.prefix(4) + " " + pairing.code.suffix(4))
            let listed: Page<TestDevice> = try await api.get("v1/test-devices", ["app": app])
            #expect(listed.items.map(\.name) == ["Phone"] && listed.items.first?.hasToken == true)

            let devices = listed.items.map(\.device)
            let message = Message(content: ["default": LocalizedContent(title: "Test", body: "Only here")])
            let _: Campaign = try await api.post(
                "v1/test-device-send",
                ["app": app],
                TestDevicesSend(devices: devices, message: message)
            )
            #expect(await world.fleet.wait(delivered: 1, within: 60) == 0)
            #expect(world.fleet.statistics.shown == 1)
            let series: StatisticsSeries = try await api.get("v1/statistics", ["app": app])
            #expect(series.total.accepted == 0)
        }
    }
}
