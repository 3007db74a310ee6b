import ApplePush
import Foundation
import Testing

struct RequestTests {
    @Test("P-20 a device token reads hexadecimal in either case and nothing else")
    func deviceTokenText() throws {
        let token = try #require(APNsDeviceToken(hex: "00FFab10"))

        #expect(token.bytes == [0x00, 0xFF, 0xAB, 0x10])
        #expect(token.hex == "00ffab10")
        for bad in ["", "0", "abc", "0g", "0x11", " 00", "00 ", "é0", "００"] {
            #expect(APNsDeviceToken(hex: bad) == nil, "\(bad)")
        }
    }

    @Test("P-20 a device token has 1 through 256 bytes")
    func deviceTokenLength() {
        #expect(APNsDeviceToken(bytes: []) == nil)
        #expect(APNsDeviceToken(bytes: [1])?.hex == "01")
        #expect(APNsDeviceToken(hex: String(repeating: "ab", count: 80))?.bytes.count == 80)
        #expect(APNsDeviceToken(bytes: Array(repeating: 1, count: 256)) != nil)
        #expect(APNsDeviceToken(bytes: Array(repeating: 1, count: 257)) == nil)
    }

    @Test("P-43 neither a device token, nor a key, nor a provider token shows itself in a text")
    func secretsStayHidden() throws {
        let token = try #require(APNsDeviceToken(hex: "00ffab10"))
        let key = try SigningKey(pem: TestKey.pem, keyID: "ABC123DEFG", teamID: "DEF123GHIJ")
        let provider = try ProviderToken(signedWith: key, at: Date(timeIntervalSince1970: 1_700_000_000))
        var texts = ["\(token)", "\(key)", "\(provider)", token.debugDescription, provider.debugDescription]
        var dumped = ""
        dump((token, key, provider), to: &dumped)
        texts.append(dumped)
        texts.append("\([token]) \([provider]) \([key])")

        for text in texts {
            #expect(!text.contains("00ffab10") && !text.contains("171"))
            #expect(!text.contains(provider.rawValue.suffix(20)))
            #expect(!text.contains("MIGHAgEAMBMG"))
        }
    }

    @Test(
        "P-19 a push type derives its topic from the bundle id, and a raw topic overrides it",
        arguments: [
            (APNsPushType.alert, "com.example.app"), (.background, "com.example.app"),
            (.location, "com.example.app.location-query"), (.voip, "com.example.app.voip"),
            (.complication, "com.example.app.complication"), (.fileProvider, "com.example.app.pushkit.fileprovider"),
            (.liveActivity, "com.example.app.push-type.liveactivity"), (.pushToTalk, "com.example.app.voip-ptt"),
            (.widgets, "com.example.app.push-type.widgets"), (.controls, "com.example.app.push-type.controls"),
            (.accessory, "com.example.app.push-type.accessory"), (APNsPushType(rawValue: "novel"), "com.example.app"),
        ]
    )
    func topics(type: APNsPushType, topic: String) {
        #expect(Topic(bundleID: "com.example.app", for: type)?.rawValue == topic)
        #expect(Topic(rawValue: "anything.at.all")?.rawValue == "anything.at.all")
    }

    @Test("A topic that cannot stand in a header is refused")
    func badTopics() {
        for bad in ["", "com.example app", "com.example\n", "com.é", String(repeating: "a", count: 256)] {
            #expect(Topic(rawValue: bad) == nil)
        }
    }

    @Test("P-21 the size limit is 5,120 bytes for VoIP and 4,096 for the others")
    func sizeLimits() {
        #expect(APNsPushType.voip.payloadLimit == 5120)
        #expect([APNsPushType.alert, .background, .liveActivity, .pushToTalk].allSatisfy { $0.payloadLimit == 4096 })
    }

    @Test("P-17 expiration is whole seconds, and zero is not the same as absent")
    func headerFields() throws {
        let topic = try #require(Topic(rawValue: "com.example.app"))
        let plain = RequestHeaders(topic: topic, pushType: .alert)
        let full = RequestHeaders(
            topic: topic,
            pushType: .background,
            priority: .considerate,
            expiration: .nowOrNever,
            collapseID: CollapseID(rawValue: "score")
        )

        #expect(plain.fields.map(\.name) == ["apns-topic", "apns-push-type"])
        #expect(
            full.fields.map { "\($0.name): \($0.value)" } == [
                "apns-topic: com.example.app", "apns-push-type: background", "apns-priority: 5", "apns-expiration: 0",
                "apns-collapse-id: score",
            ]
        )
        let date = Date(timeIntervalSince1970: 1_700_000_000)
        #expect(Expiration(seconds: 1_700_000_000).date == date)
        #expect(Expiration(seconds: -5) == .nowOrNever && Expiration.nowOrNever.date == nil)
        #expect(Expiration(Date(timeIntervalSince1970: 1_700_000_000.9)) == Expiration(date))
        #expect(Expiration(.distantPast) == .nowOrNever)
        #expect(Priority.allCases.map(\.rawValue) == [1, 5, 10])
    }

    @Test("P-20 a collapse id has at most 64 bytes, counted as UTF-8")
    func collapseIDs() {
        #expect(CollapseID(rawValue: String(repeating: "a", count: 64)) != nil)
        #expect(CollapseID(rawValue: String(repeating: "a", count: 65)) == nil)
        #expect(CollapseID(rawValue: String(repeating: "音", count: 21)) != nil)
        #expect(CollapseID(rawValue: String(repeating: "音", count: 22)) == nil)
        for bad in ["", " a", "a ", "a\r\nb", "a\u{0}", "\u{7F}"] {
            #expect(CollapseID(rawValue: bad) == nil)
        }
    }
}
