import CarillonImporters
import CarillonModel
import Testing

@Suite struct OneSignalTests {
    private static let header =
        "id,identifier,session_count,language,timezone,game_version,device_os,device_type,device_model,ad_id,tags,"
        + "last_active,playtime,amount_spent,created_at,invalid_identifier,external_user_id,country,notification_types,"
        + "timezone_id\n"

    private func row(
        identifier: String = token(1),
        type: String = "0",
        tags: String = "",
        user: String = "u-1",
        types: String = "31",
        invalid: String = "f",
        zone: String = "Asia/Tokyo"
    ) -> String {
        "some-id,\(identifier),12,zh-Hant,32400,2.1,17.4,\(type),\"iPhone15,3\",,\(tags),2026-10-02 01:02:03 UTC,0,0,"
            + "1700000000,\(invalid),\(user),jp,\(types),\(zone)\n"
    }

    private func read(
        _ rows: String...,
        options: SourceOptions = options()
    ) -> Reading {
        Reading(OneSignalFormat(options), Self.header + rows.joined())
    }

    @Test("A row has everything that Carillon keeps") func readsWholeRows() {
        let tags = #""{""plan"":""gold"",""level"":4,""code"":""007""}""#

        let reading = read(row(tags: tags))

        var expected = ImportRecord(line: 2, consent: Consent(notifications: true))
        expected.registration.token = deviceToken(1)
        expected.registration.user = UserID(rawValue: "u-1")
        expected.registration.language = "zh-Hant"
        expected.registration.country = "JP"
        expected.registration.timeZone = "Asia/Tokyo"
        expected.registration.appVersion = "2.1"
        expected.registration.osVersion = "iOS 17.4"
        expected.registration.model = "iPhone15,3"
        expected.attributes = ["plan": .string("gold"), "level": .integer(4), "code": .string("007")]
        expected.seenAt = Timestamp("2026-10-02T01:02:03Z")
        #expect(reading.devices == [expected])
        #expect(reading.unreadColumns == [])
        #expect(reading.notes == [:])
    }

    @Test("X-20 A user that a spreadsheet has made a number is refused", arguments: ["1.23E+15", "4E+9"])
    func refusesSpreadsheetNumbers(_ user: String) {
        let reading = read(row(user: user), row(user: "1E+x"))

        #expect(
            reading.refused == [
                "2 has an external_user_id that a spreadsheet has made a number, such as 1.2E+15; export the file anew"
            ]
        )
        #expect(reading.devices.count == 1)
    }

    @Test("X-25 Upper and lower case of a token are the same token") func readsEitherCase() {
        let reading = read(
            row(identifier: String(repeating: "ab", count: 32)),
            row(identifier: String(repeating: "AB", count: 32))
        )

        let token = DeviceToken(hexadecimal: String(repeating: "ab", count: 32))
        #expect(reading.devices.map(\.registration.token) == [token, token])
    }

    @Test("X-26 Brackets and blanks around a token are removed") func cleansTokens() {
        let reading = read(row(identifier: "<1a2b3c4d 1a2b3c4d 1a2b3c4d>"), row(identifier: "xyz"))

        #expect(reading.devices.map(\.registration.token) == [DeviceToken(hexadecimal: "1a2b3c4d1a2b3c4d1a2b3c4d")])
        #expect(reading.refused == ["3 identifier must be 16 through 200 hexadecimal digits, an even number of them"])
    }

    @Test("X-27 A token of Firebase is left out") func leavesOutFirebase() {
        #expect(read(row(identifier: "abc:APA91b")).leftOut == ["2 firebaseToken"])
    }

    @Test(
        "X-28 Other platforms are left out by kind",
        arguments: [
            (1, "android"), (2, "amazon"), (5, "web"), (7, "web"), (17, "web"), (11, "email"), (14, "sms"),
            (13, "huawei"),
            (9, "macos"), (99, "unknown"),
        ]
    )
    func leavesOutOtherPlatforms(_ type: Int, _ platform: String) {
        let others = read(row(identifier: "x:y", type: "\(type)")).others

        #expect(others.map(\.platform) == [platform])
        #expect(others.map(\.address) == ["x:y"])
        #expect(others.map(\.record.registration.user?.rawValue) == ["u-1"])
    }

    @Test("X-29 A row without a token is left out; its user's attributes are kept if asked")
    func leavesOutRowsWithoutToken() {
        let line = row(identifier: "", tags: #""{""plan"":""gold""}""#, invalid: "t")

        #expect(read(line).leftOut == ["2 withoutToken"])
        let users = read(line, options: options { $0.keepsUsersWithoutToken = true }).users
        #expect(users.map(\.attributes) == [["plan": .string("gold")]])
    }

    @Test("X-32 test_type 1 is the sandbox, 2 and nothing production") func readsTestTypes() {
        let text = "identifier,device_type,test_type\n\(token(1)),0,1\n\(token(2)),0,2\n\(token(3)),0,\n"

        let reading = Reading(OneSignalFormat(options(environment: nil)), text)

        #expect(reading.devices.map(\.registration.pushType) == [.apnsSandbox, .apns, .apns])
    }

    @Test("X-33 Without test_type the environment must be given") func requiresTheEnvironment() {
        let reading = read(row(), options: options(environment: nil))

        #expect(
            (reading.failure as? SourceProblem)?.description
                == "does not say which tokens are of Apple's sandbox; say --environment production or sandbox"
        )
        #expect(
            read(row(), options: options(environment: .apnsSandbox)).devices.map(\.registration.pushType) == [
                .apnsSandbox
            ]
        )
    }

    @Test("X-35 No subscription sets a consent to ads", arguments: ["31", "1", "64", "95"])
    func setsNoConsentToAds(_ types: String) {
        let consents = read(row(types: types)).devices.map(\.registration.consent)

        #expect(consents == [Consent(notifications: true, ads: false, nightAds: false)])
    }

    @Test(
        "X-37 Who was unsubscribed, by whomever, does not consent",
        arguments: [("-2", "f"), ("-22", "f"), ("-31", "f"), ("-30", "f"), ("31", "t"), ("", "t"), ("-13", "f")]
    )
    func readsUnsubscription(_ types: String, _ invalid: String) {
        let reading = read(row(types: types, invalid: invalid))

        #expect(reading.devices.map(\.registration.consent.notifications) == [false])
    }

    @Test("X-38 Who was never asked does not consent, and is counted", arguments: ["0", "-18", "-19"])
    func countsNeverAsked(_ types: String) {
        let reading = read(row(types: types))

        #expect(reading.devices.map(\.registration.consent.notifications) == [false])
        #expect(reading.notes[.neverAsked] == 1)
    }

    @Test("X-39 An uninstalled app's row is left out as dead") func leavesOutUninstalled() {
        #expect(read(row(types: "-10", invalid: "t")).leftOut == ["2 dead"])
    }

    @Test("X-41 Provisional permission is consent, and is counted") func countsProvisional() {
        let reading = read(row(types: "71"), row(types: "31"))

        #expect(reading.devices.map(\.registration.consent.notifications) == [true, true])
        #expect(reading.notes[.provisional] == 1)
    }

    @Test("A table that says nothing of consent gives none") func givesNoConsentBySilence() {
        let reading = Reading(OneSignalFormat(options()), "identifier,device_type\n\(token(1)),0\n")

        #expect(reading.devices.map(\.registration.consent.notifications) == [false])
        #expect(reading.notes[.consentMissing] == 1)
    }

    @Test("An empty notification_types is no consent; without the column invalid_identifier says it, and is counted")
    func readsConsentByValidity() {
        let empty = read(row(types: ""), row(types: "", invalid: "t"))
        #expect(empty.devices.map(\.registration.consent.notifications) == [false, false])
        #expect(empty.notes[.consentMissing] == 1)
        let header = "identifier,device_type,invalid_identifier\n"
        let text = header + "\(token(1)),0,f\n\(token(2)),0,t\n\(token(3)),0,\n"
        let reading = Reading(OneSignalFormat(options()), text)
        #expect(reading.devices.map(\.registration.consent.notifications) == [true, false, false])
        #expect(reading.notes == [.consentByValidity: 1, .consentMissing: 1])
    }

    @Test("Tags that are no JSON object are counted apart") func countsUnreadableTags() {
        let reading = read(row(tags: #""{""plan"": broken""#))
        #expect(reading.notes[.attributesUnreadable] == 1 && reading.devices.count == 1)
    }

    @Test("X-45 Without a user no attributes are kept; named ones become categories") func makesNoUsers() {
        let line = row(tags: #""{""plan"":""gold"",""region"":""kanto""}""#, user: "")

        let plain = read(line)
        let named = read(line, options: options { $0.categoryNames = ["region"] })

        #expect(plain.devices.map(\.registration.user) == [nil])
        #expect(plain.devices.map(\.attributes) == [[:]])
        #expect(plain.notes[.attributeWithoutUser] == 1)
        #expect(named.devices.map(\.registration.categories) == [.list(["kanto"])])
    }

    @Test("X-47 What does not fit is left out and counted, and the device stays") func keepsTheDevice() {
        let many = (0..<66).map { "\"\"a\($0)\"\":\($0)" }.joined(separator: ",")
        let long = String(repeating: "x", count: 257)

        let reading = read(
            row(tags: "\"{\(many)}\""),
            row(tags: "\"{\"\"a b\"\":1,\"\"c\"\":\"\"\(long)\"\",\"\"d\"\":[1],\"\"e\"\":5}\""),
            row(tags: "{broken")
        )

        #expect(reading.devices.map(\.attributes.count) == [64, 1, 0])
        #expect(reading.notes[.attributeExcess] == 1)
        #expect(reading.notes[.attributeName] == 1)
        #expect(reading.notes[.attributeValue] == 1 && reading.notes[.attributesUnreadable] == 1)
    }

    @Test("X-48 Values keep their kind") func keepsKinds() {
        let reading = read(row(tags: #""{""a"":""007"",""b"":4,""c"":true,""d"":""4"",""e"":1.5}""#))

        #expect(
            reading.devices.first?.attributes == [
                "a": .string("007"), "b": .integer(4), "c": .bool(true), "d": .string("4"), "e": .number(1.5),
            ]
        )
    }

    @Test(
        "X-50 A zone that is not IANA's, or seconds alone, is left out and counted",
        arguments: ["Eastern Time (US & Canada)", "JST", ""]
    )
    func leavesOutOtherZones(_ zone: String) {
        let reading = read(row(zone: zone))

        #expect(reading.devices.map(\.registration.timeZone) == [nil])
        #expect(reading.notes[.zone] == 1)
    }

    @Test("X-49 A country becomes upper case") func raisesCountries() {
        #expect(read(row()).devices.map(\.registration.country) == ["JP"])
    }

    @Test("X-51 A time without a zone is UTC at OneSignal, unless a zone is named") func readsTimesWithoutZone() {
        let text = "identifier,device_type,last_active\n\(token(1)),0,2026-10-02 01:02:03\n"

        let plain = Reading(OneSignalFormat(options()), text)
        let named = Reading(OneSignalFormat(options { $0.zone = "+09:00" }), text)

        #expect(plain.devices.map(\.seenAt) == [Timestamp("2026-10-02T01:02:03Z")])
        #expect(named.devices.map(\.seenAt) == [Timestamp("2026-10-01T16:02:03Z")])
    }

    @Test("What tells which row holds is the same in both readings", arguments: [nil, "1E+9", "u\u{1}", "ü", "a+b"])
    func surveysTheSame(_ user: String?) {
        let token = token(7)
        let rows = [
            row(tags: "{x"), row(identifier: ""), row(types: "0"), row(identifier: "<\(token)>"), row(types: "-10"),
            row(identifier: "x:y"), row(identifier: "xyz"), row(type: "1"), row(type: "zero"), row(type: "+0"),
            row(types: "", invalid: "True"), row(types: "many", invalid: "0"), row(types: "71"), "too,few\n",
            row(user: user ?? ""),
        ]
        let bytes = Array((Self.header + rows.joined()).utf8)

        let survey = Reading(OneSignalFormat(options()), bytes, isSurvey: true)
        let whole = Reading(OneSignalFormat(options()), bytes)

        #expect(survey.fates.map(\.tokenClaim) == whole.fates.map(\.tokenClaim))
        #expect(survey.fates.count == rows.count && survey.notes.isEmpty)
        #expect(survey.fates.compactMap(\.tokenClaim).count == (user == nil || user == "ü" || user == "a+b" ? 8 : 7))
    }

    @Test("A large part, whose halves two threads read, is read as small ones are", arguments: 0..<12)
    func readsHalves(_ seed: UInt64) {
        var generator = RandomBytesTests.Generator(state: seed)
        // Of two texts in three a quote, or a field that breaks its line, may be where the halves meet.
        let long = "\"" + String(repeating: "x\n", count: 9_000) + "\""
        let pieces = [
            row(), row(), row(identifier: token(9)), row(user: "ü"), row(types: "-10"), "too,few\n", "\n",
            row(user: "\"a\n\nb\""), seed % 3 > 0 ? row(user: long) : "", seed % 3 > 1 ? row(user: "\"open") : "",
        ]
        var text = Self.header
        while text.utf8.count < 400_000 { text += pieces.randomElement(using: &generator) ?? "" }
        let bytes = Array(text.utf8)

        let large = Reading(OneSignalFormat(options()), bytes, partSizes: [1 << 17], isSurvey: true)
        let small = Reading(OneSignalFormat(options()), bytes, partSizes: [5_000], isSurvey: true)

        #expect(large.fates.map(\.tokenClaim) == small.fates.map(\.tokenClaim))
        #expect(large.lastLine == small.lastLine && large.lostLineCount == small.lostLineCount)
        #expect(large.failure == nil && large.fates.count > 50)
    }
}
