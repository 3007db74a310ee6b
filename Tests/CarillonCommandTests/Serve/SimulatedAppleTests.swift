import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import Testing

@testable import CarillonCommand

/// Apps without a key of Apple's.
struct SimulatedAppleTests {
    private static func request(to device: DeviceID) -> TestSendRequest {
        TestSendRequest(device: device, message: Message(content: ["default": LocalizedContent(title: "It works")]))
    }

    /// Sends a test and waits until it is over.
    private static func send(_ request: TestSendRequest, of app: AppID, _ engine: Engine) async throws -> Funnel {
        let campaign = try await engine.campaigns.test(app: app, request)
        for await _ in try await engine.campaigns.progress(campaign.id, within: app) {}
        return try await engine.campaigns.funnel(campaign.id, within: app)
    }

    @Test("An App that uses the simulator sends to the simulated APNs inside the server, over its connections")
    func sends() async throws {
        try await RunningServer.run { server in
            let engine = server.composition.engine
            let request = AppRequest(name: "Tram", bundleID: "org.example.tram", identity: .signed)
            let app = try await engine.apps.create(request).app
            _ = try await engine.apps.useSimulator(app.id)
            let phone = try await engine.simulatedPhones.add(to: app.id, language: "ja", timeZone: "Asia/Tokyo")

            let funnel = try await Self.send(Self.request(to: phone.device), of: app.id, engine)

            #expect(funnel.accepted == 1 && funnel.failed.isEmpty)
            let log = try await engine.messageLog.page(
                MessageLogQuery(app: app.id, subject: .device(phone.device)),
                cursor: nil,
                limit: 10
            )
            let message = try #require(log.items.first)
            #expect(message.outcome == .accepted && message.openedAt == nil)
            try await engine.simulatedPhones.open(message.occurrence, on: phone.device, of: app.id)
            try await engine.simulatedPhones.open(message.occurrence, on: phone.device, of: app.id)
            let opened = try await engine.campaigns.funnel(message.campaign, within: app.id)
            #expect(opened.received == 1 && opened.opened == 1)
        }
    }

    @Test("Other Apps have no simulated phones, and their Devices are none")
    func refuses() async throws {
        try await RunningServer.run { server in
            let engine = server.composition.engine
            await #expect {
                _ = try await engine.simulatedPhones.add(to: server.app, language: nil, timeZone: nil)
            } throws: { error in
                if case .conflict = error as? EngineError { true } else { false }
            }
            let app = try await engine.apps.create(AppRequest(name: "Tram", bundleID: "org.example.tram")).app
            _ = try await engine.apps.useSimulator(app.id)
            let phone = try await engine.simulatedPhones.add(to: app.id, language: nil, timeZone: nil)
            let occurrence = OccurrenceID(rawValue: 1)
            await #expect(throws: EngineError.notFound(.device)) {
                try await engine.simulatedPhones.open(occurrence, on: phone.device, of: server.app)
            }
        }
    }
}
