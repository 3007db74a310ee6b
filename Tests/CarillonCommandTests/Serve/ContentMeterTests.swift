import ApplePushConnection
import ApplePushSimulator
import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import CarillonServer
import Foundation
import Testing

@testable import CarillonCommand

/// The meter of the composer beside what a simulated APNs receives.
struct ContentMeterTests {
    /// A message with a text a language, buttons, data and variables.
    private static var message: Message {
        var standard = LocalizedContent(title: "Line 5", body: #"Hello {{attribute.name | default: "you"}}, late"#)
        standard.link = "https://bus.example/5?u={{user | default: \"-\"}}"
        var button = Button(id: "answer", title: "Answer", kind: .reply)
        button.hint = "Text"
        standard.buttons = [button, Button(id: "no", title: "No", kind: .dismiss)]
        var message = Message(content: [
            "default": standard,
            "ja": LocalizedContent(title: "5番線 \"急行\"", body: "{{attribute.name | default: \"お客様\"}}へ"),
            "ko": LocalizedContent(body: "10분 늦습니다. 😀"),
        ])
        message.data = ["article": .integer(12), "words": .array([.string("a/b")])]
        (message.sound, message.badge, message.thread) = ("default", .count(3), "bus")
        return message
    }

    @Test("K-32 The meter's bytes are those that APNs receives, for each language, with the Devices' values")
    func equalsReceivedBytes() async throws {
        try await ApplePushSimulator.SimulatedAPNs.run { apns in
            let tokens = try (0..<3).map { _ in try apns.makeDeviceToken() }
            try await Self.withServer(apns) { engine in
                let app = try await Self.makeApp(engine, apns)
                for (place, language) in ["en", "ja", "ko"].enumerated() {
                    try await Self.register(place, tokens[place], language, of: app, engine)
                }
                let measure = try await engine.campaigns.measure(Self.message, app: app)
                let request = CampaignRequest(audience: .all, message: Self.message)
                _ = try await engine.campaigns.create(app: app, request)

                let received = try await apns.requests(atLeast: 3)

                for (token, language) in zip(tokens, ["default", "ja", "ko"]) {
                    let body = received.first { $0.deviceToken == token }?.body
                    let measured = measure.languages.first { $0.language == language }
                    #expect(body?.count == measured?.bytes, "\(language)")
                    #expect(measured?.limit == 4_096 && measured?.isTooLarge == false)
                }
                #expect(measure.languages.map(\.sampled) == [3, 3, 3])
            }
        }
    }

    @Test("K-32 A message that is too large is measured too, and one for calls has its own limit")
    func measuresTooLarge() async throws {
        try await ApplePushSimulator.SimulatedAPNs.run { apns in
            try await Self.withServer(apns) { engine in
                let app = try await Self.makeApp(engine, apns)
                let long = String(repeating: "長", count: 1_500)
                let message = Message(content: ["default": LocalizedContent(title: "a", body: long)])
                let measured = try await engine.campaigns.measure(message, app: app).languages
                #expect(measured.count == 1 && measured[0].isTooLarge && measured[0].bytes > 4_500)
                let call = try await engine.campaigns.measure(message, channel: .voip, app: app).languages
                #expect(call.first?.limit == 5_120 && call.first?.isTooLarge == false)
            }
        }
    }

    @Test("K-42 In an ad the text for Korean phones begins with the mark, and only theirs")
    func measuresAds() async throws {
        try await ApplePushSimulator.SimulatedAPNs.run { apns in
            try await Self.withServer(apns) { engine in
                let app = try await Self.makeApp(engine, apns)
                let wording = AdWording(contact: "02-1234", removeGuide: "설정에서 끄기")
                let measured = try await engine.campaigns.measure(Self.message, adWording: wording, app: app).languages
                #expect(measured.map(\.language) == ["default", "ja", "ko"])
                #expect(measured.map { $0.payload.contains("(광고)") } == [false, false, true])
            }
        }
    }

    // MARK: - Private

    private static func withServer(
        _ apns: ApplePushSimulator.SimulatedAPNs,
        _ body: @Sendable @escaping (Engine) async throws -> Void
    ) async throws {
        try await ServerFolder.with { folder in
            var configuration = ServerConfiguration(folder: folder)
            configuration.server.port = 0
            configuration.sendTo(Endpoint(host: apns.host, port: apns.port), trusting: apns.certificateAuthorityFile)
            let server = try await ServerComposition(configuration, logger: ServerFolder.silent)
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await server.run() }
                _ = try #require(await server.port.value)
                try await body(server.engine)
                group.cancelAll()
            }
        }
    }

    private static func makeApp(_ engine: Engine, _ apns: ApplePushSimulator.SimulatedAPNs) async throws -> AppID {
        var request = AppRequest(name: "Bus", bundleID: "org.example.bus", identity: .open)
        request.personalMessages = true
        let app = try await engine.apps.create(request).app.id
        let key = PushKeyRequest(keyID: apns.key.keyID, teamID: apns.key.teamID, privateKey: apns.key.pem)
        _ = try await engine.apps.setPushKey(app, key)
        return app
    }

    /// The values of all Devices are of one size, so that the largest is each.
    private static func register(
        _ place: Int,
        _ token: String,
        _ language: String,
        of app: AppID,
        _ engine: Engine
    ) async throws {
        let device = try #require(DeviceID("3f2504e0-4f89-41d3-9a0c-0305e82c330\(place)"))
        var registration = Registration(token: DeviceToken(hexadecimal: token), consent: Consent(notifications: true))
        registration.language = language
        registration.user = UserID(rawValue: "u-\(place)")
        let secret = String(repeating: "s", count: 43)
        _ = try await engine.devices.register(app: app, device: device, secret: secret, registration)
    }
}
