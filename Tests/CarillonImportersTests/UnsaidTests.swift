import CarillonImporters
import CarillonModel
import Testing

/// What files do not say: the person who imports does, or the service's own rule holds.
@Suite struct UnsaidTests {
    @Test("X-31 Of Parse's installations of several apps only the named one's are imported") func readsOneParseApp() {
        let text = ["Bus", "Shop"].enumerated().map { number, app in
            "{\"deviceType\":\"ios\",\"deviceToken\":\"\(token(UInt8(number + 1)))\",\"appIdentifier\":\"\(app)\"}\n"
        }.joined()

        var reader = SourceReader(ParseFormat(options(consent: true)))
        try? Array(text.utf8).withUnsafeBufferPointer { try reader.read($0) { _, _ in } }
        let named = Reading(ParseFormat(options(consent: true) { $0.appName = "Bus" }), text)

        #expect(
            reader.format.objection()?.description
                == "has the devices of several apps: Bus, Shop. Name one with --app-name"
        )
        #expect(named.devices.map(\.registration.token) == [deviceToken(1)])
        #expect(named.leftOut == ["2 otherApp"])
    }

    @Test("X-33 Airship, Braze, Parse, CORE PUSH and plain files need the environment by option")
    func requiresTheEnvironment() {
        let some = options(environment: nil, consent: true)
        let problem = "does not say which tokens are of Apple's sandbox; say --environment production or sandbox"

        #expect(AirshipFormat(some).objection()?.description == problem)
        #expect(BrazeFormat(some).objection()?.description == problem)
        #expect(ParseFormat(some).objection()?.description == problem)
        #expect(TokensFormat(some).objection()?.description == problem)
        let table = Reading(CorePushFormat(some), "device_token\n\(token(1))\n")
        #expect((table.failure as? SourceProblem)?.description == problem)
        #expect(CountlyFormat(some).objection() == nil, "Its keys of tokens say it.")
    }

    @Test("X-40 Parse, Countly, CORE PUSH and plain files need a consent by option") func requiresConsent() {
        let problem = "does not say who consents to notifications; say --consent yes or no"

        #expect(ParseFormat(options()).objection()?.description == problem)
        #expect(CountlyFormat(options()).objection()?.description == problem)
        #expect(TokensFormat(options()).objection()?.description == problem)
        let table = Reading(CorePushFormat(options()), "device_token\n\(token(1))\n")
        #expect((table.failure as? SourceProblem)?.description.contains("--consent yes or no") == true)
        for consent in [false, true] {
            #expect(ParseFormat(options(consent: consent)).objection() == nil)
            let plain = Reading(TokensFormat(options(consent: consent)), token(1) + "\n")
            #expect(plain.devices.map(\.registration.consent) == [Consent(notifications: consent)])
            let object = "{\"deviceType\":\"ios\",\"deviceToken\":\"\(token(1))\"}"
            let parse = Reading(ParseFormat(options(consent: consent)), object)
            #expect(parse.devices.map(\.registration.consent) == [Consent(notifications: consent)])
            let own = Reading(CorePushFormat(options(consent: consent)), "device_token\n\(token(1))\n")
            #expect(own.devices.map(\.registration.consent) == [Consent(notifications: consent)])
            var (countly, builder, fates) = (CountlyFormat(options(consent: consent)), RecordBuilder(), [RowFate]())
            let tokens: [String: JSONValue] = ["tk": .object(["ip": .string(token(1))])]
            countly.read(JoinedRow(line: 1, members: tokens, person: nil), &builder, &fates)
            guard case .device(let record) = fates.first else {
                Issue.record("A token of Countly's is a device.")
                return
            }
            #expect(record.registration.consent == Consent(notifications: consent))
        }
    }

    @Test("X-51 A time without a zone is Japan's at CORE PUSH, and Korea's at NHN") func readsTimesWithoutZone() {
        let own = Reading(
            CorePushFormat(options(consent: true)),
            "device_token,updated_at\n\(token(1)),2026-01-02 03:04:05\n"
        )
        let toast = Reading(
            ToastFormat(options()),
            "pushType,token,updatedDateTime\nAPNS,\(token(1)),2026-01-02T03:04:05\n"
        )

        #expect(own.devices.map(\.seenAt) == [Timestamp("2026-01-01T18:04:05Z")])
        #expect(toast.devices.map(\.seenAt) == [Timestamp("2026-01-01T18:04:05Z")])
    }
}
