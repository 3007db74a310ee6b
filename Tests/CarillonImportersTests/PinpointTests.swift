import CarillonImporters
import CarillonModel
import Testing

@Suite struct PinpointTests {
    private func read(_ text: String, _ some: SourceOptions = options(environment: nil)) -> Reading {
        Reading(PinpointFormat(some), text)
    }

    private func line(_ more: String, channel: String = "APNS", address: String? = token(1)) -> String {
        let address = address.map { "\"Address\":\"\($0)\"," } ?? ""
        return "{\(address)\"ChannelType\":\"\(channel)\",\"OptOut\":\"NONE\",\"EndpointStatus\":\"ACTIVE\"\(more)}\n"
    }

    @Test("X-17 An endpoint a line has everything that Carillon keeps") func readsWholeEndpoints() {
        let reading = read(
            line(
                #","Attributes":{"team":["red"],"hobbies":["a","b"]},"Metrics":{"age":31.0},"EffectiveDate":"2026-10-01T00:00:00.000Z","#
                    + #""Demographic":{"Locale":"zh_Hant_TW","Timezone":"Asia/Taipei","AppVersion":"1.2","PlatformVersion":"17.1","#
                    + #""Model":"iPhone"},"Location":{"Country":"us"},"User":{"UserId":"u-1","UserAttributes":{"plan":["gold"]}}"#
            )
        )

        var expected = ImportRecord(line: 1, consent: Consent(notifications: true))
        expected.registration.token = deviceToken(1)
        expected.registration.user = UserID(rawValue: "u-1")
        expected.registration.language = "zh-Hant"
        expected.registration.country = "US"
        expected.registration.timeZone = "Asia/Taipei"
        expected.registration.appVersion = "1.2"
        expected.registration.osVersion = "iOS 17.1"
        expected.registration.model = "iPhone"
        expected.attributes = [
            "team": .string("red"), "hobbies": .string("a,b"), "plan": .string("gold"), "age": .number(31),
        ]
        expected.seenAt = Timestamp("2026-10-01T00:00:00Z")
        #expect(reading.devices == [expected])
    }

    @Test("X-12 Attribute columns of a CSV file that are there several times become several values")
    func readsRepeatedColumns() {
        let text =
            "ChannelType,Address,User.UserId,User.UserAttributes.hobby,User.UserAttributes.hobby,Metrics.age,OptOut,"
            + "Demographic.Locale,Attributes.a.b\nAPNS,\(token(1)),u-1,chess,go,31,NONE,en_US,x\n"

        let reading = read(text)

        #expect(
            reading.devices.map(\.attributes) == [
                ["hobby": .string("chess,go"), "age": .integer(31), "a.b": .string("x")]
            ]
        )
        #expect(reading.devices.map(\.registration.country) == ["US"])
        #expect(reading.notes[.severalValues] == 1)
        let failure = read("ChannelType,Address,OptOut,OptOut\n").failure as? SourceProblem
        #expect(failure?.description == "has the column OptOut twice")
    }

    @Test("X-28 X-30 Other channels are left out by kind, tokens for calls too") func leavesOutOtherChannels() {
        let reading = read(
            ["GCM", "BAIDU", "ADM", "SMS", "EMAIL", "APNS_VOIP", "APNS_VOIP_SANDBOX"].map { line("", channel: $0) }
                .joined()
        )

        #expect(reading.others.map(\.platform) == ["android", "baidu", "amazon", "sms", "email"])
        #expect(reading.leftOut == ["6 callToken", "7 callToken"])
    }

    @Test("X-29 A line without an address is left out") func leavesOutLinesWithoutAddress() {
        #expect(read(line("", address: nil)).leftOut == ["1 withoutToken"])
    }

    @Test("X-32 APNS_SANDBOX is the sandbox; who knows better says so") func readsEnvironments() {
        let text = line("") + line("", channel: "APNS_SANDBOX")

        #expect(read(text).devices.map(\.registration.pushType) == [.apns, .apnsSandbox])
        let named = read(text, options(environment: .apnsSandbox))
        #expect(named.devices.map(\.registration.pushType) == [.apnsSandbox, .apnsSandbox])
    }

    @Test("X-37 OptOut ALL, INACTIVE and silence give no consent") func readsConsent() {
        let head = "{\"Address\":\"\(token(1))\",\"ChannelType\":\"APNS\""

        let reading = read(
            head + ",\"OptOut\":\"ALL\"}\n" + head + "}\n" + head
                + ",\"OptOut\":\"NONE\",\"EndpointStatus\":\"INACTIVE\"}\n"
                + head + ",\"OptOut\":\"NONE\"}\n"
        )

        #expect(reading.devices.map(\.registration.consent.notifications) == [false, false, false, true])
        #expect(reading.devices.map(\.isActive) == [true, true, false, true])
        #expect(reading.notes == [.consentMissing: 1, .inactive: 1])
    }

    @Test("X-46 One value is a value; several are one text with commas") func joinsValues() {
        let reading = read(line(#","User":{"UserId":"u","UserAttributes":{"a":["1"],"b":["x","y"],"c":[]}}"#))

        #expect(reading.devices.map(\.attributes) == [["a": .string("1"), "b": .string("x,y")]])
        #expect(reading.notes == [.severalValues: 1])
    }
}
