import CarillonImporters
import CarillonModel
import CarillonReaders
import Testing

/// Airship, Braze, Parse, Countly, CORE PUSH and plain files.
@Suite struct OtherSourceTests {
    // MARK: - Airship

    private func airship(_ more: String) -> String {
        "{\"channel_id\":\"c\",\"device_type\":\"ios\",\"push_address\":\"\(String(repeating: "AB", count: 32))\"\(more)}\n"
    }

    @Test("X-19 X-45 Texts that mean true, null and None are read as meant") func readsMeaning() {
        let reading = Reading(
            AirshipFormat(options()),
            "{\"channels\":[" + airship(#","opt_in":"true","installed":"true","named_user_id":"null","tags":["a"]"#)
                + ","
                + airship(
                    #","opt_in":true,"named_user_id":"u-1","tags":["a","None"],"attributes":{"x":"null","y":"true"}"#
                )
                + "],\"next_page\":\"https://example.com\"}"
        )

        #expect(reading.devices.map(\.registration.consent.notifications) == [true, true])
        #expect(reading.devices.map(\.registration.user?.rawValue) == [nil, "u-1"])
        #expect(reading.devices.map(\.tags) == [[], ["a"]])
        #expect(reading.devices.map(\.attributes) == [[:], ["y": .bool(true)]])
        // Labels of a channel without a user are categories, and no user is made of the channel.
        #expect(reading.devices.map(\.registration.categories) == [.list(["a"]), nil])
    }

    @Test("X-37 X-39 A channel that opted out does not consent, one that is not installed is dead")
    func readsChannelStates() {
        let reading = Reading(
            AirshipFormat(options()),
            airship(#","opt_in":false,"installed":true"#) + airship(#","opt_in":true,"installed":false"#) + airship("")
        )

        #expect(reading.devices.map(\.registration.consent.notifications) == [false, false])
        #expect(reading.leftOut == ["2 dead"])
        #expect(reading.notes == [.consentMissing: 1])
    }

    @Test("X-51 A time without a zone is UTC at Airship") func readsAirshipTimes() {
        let reading = Reading(
            AirshipFormat(options()),
            airship(
                #","last_registration":"2026-01-02T03:04:05","tag_groups":{"timezone":["Asia/Seoul"],"ua_locale_country":["KR"],"ua_locale_language":["ko"]}"#
            )
        )

        #expect(reading.devices.map(\.seenAt) == [Timestamp("2026-01-02T03:04:05Z")])
        #expect(reading.devices.map(\.registration.timeZone) == ["Asia/Seoul"])
        #expect(reading.devices.map(\.registration.country) == ["KR"])
    }

    // MARK: - Braze

    private func braze(_ tokens: String, more: String = "") -> String {
        "{\"external_id\":\"u-1\",\"push_tokens\":[\(tokens)]\(more)}\n"
    }

    private func brazeToken(_ byte: UInt8, app: String = "Shop", more: String = "") -> String {
        "{\"app\":\"\(app)\",\"platform\":\"iOS\",\"token\":\"\(token(byte))\"\(more)}"
    }

    @Test("X-31 Of several apps in one file only the named one is imported") func readsOneApp() {
        let text = braze(brazeToken(1) + "," + brazeToken(2, app: "Bus"))

        var format = BrazeFormat(options())
        var builder = RecordBuilder()
        var fates: [RowFate] = []
        let members = try? JSONParser.object(Array(text.utf8.dropLast())[...])
        format.read(members ?? [:], line: 1, envelope: nil, &builder, &fates)
        let named = Reading(BrazeFormat(options { $0.appName = "Bus" }), text)

        #expect(
            format.objection()?.description == "has the devices of several apps: Bus, Shop. Name one with --app-name"
        )
        #expect(named.devices.map(\.registration.token) == [deviceToken(2)])
        #expect(named.leftOut == ["1 otherApp"])
    }

    @Test("X-17 Braze's answer for some users has them in an array") func readsBrazeAnswers() {
        let lines = [braze(brazeToken(1)), braze(brazeToken(2))].map { $0.dropLast() }.joined(separator: ",")
        let reading = Reading(BrazeFormat(options()), "{\"users\":[\(lines)],\"message\":\"success\"}")
        #expect(reading.devices.count == 2 && reading.failure == nil)
    }

    @Test("X-37 X-39 X-41 Braze's states give consent, or none") func readsBrazeStates() {
        let on = ",\"notifications_enabled\":true"
        let reading = Reading(
            BrazeFormat(options()),
            braze(brazeToken(1, more: on))
                + braze(brazeToken(2, more: on), more: ",\"push_subscribe\":\"unsubscribed\"")
                + braze(
                    brazeToken(3, more: ",\"notifications_enabled\":false"),
                    more: ",\"push_subscribe\":\"opted_in\""
                )
                + braze(brazeToken(4), more: ",\"push_subscribe\":\"subscribed\"")
                + braze(brazeToken(5, more: on + ",\"provisionally_opted_in\":true"))
                + braze(brazeToken(6, more: on), more: ",\"uninstalled_at\":\"2026-01-01 00:00:00.000 UTC\"")
                + braze("")
        )

        #expect(reading.devices.map(\.registration.consent.notifications) == [true, false, false, false, true])
        #expect(reading.leftOut == ["6 dead", "7 withoutToken"])
        #expect(reading.notes[.provisional] == 1)
    }

    @Test("X-44 One user's line with several tokens gives several devices") func readsSeveralTokens() {
        let reading = Reading(
            BrazeFormat(options()),
            braze(
                brazeToken(1) + "," + brazeToken(2),
                more: #","time_zone":"Eastern Time (US & Canada)","custom_attributes":{"vip":true,"n":[1,2]}"#
            )
        )

        #expect(reading.devices.map(\.registration.user?.rawValue) == ["u-1", "u-1"])
        #expect(
            reading.devices.map(\.attributes) == Array(repeating: ["vip": .bool(true), "n": .string("1,2")], count: 2)
        )
        #expect(reading.devices.map(\.registration.timeZone) == [nil, nil])
    }

    @Test("X-47 A 17th tag is left out and counted, and the device stays") func leavesOutTags() {
        let tags = (1...17).map { "\"t\($0)\"" }.joined(separator: ",")
        let text =
            "{\"device_type\":\"ios\",\"push_address\":\"\(token(1))\",\"named_user_id\":\"u\",\"tags\":[\"a b\",\(tags)]}"

        let reading = Reading(AirshipFormat(options()), text)

        #expect(reading.devices.map(\.tags) == [(1...16).map { "t\($0)" }])
        #expect(reading.notes[.tagExcess] == 1 && reading.notes[.tagName] == 1)
    }

    // MARK: - Parse

    @Test(
        "X-49 Locales give language and country",
        arguments: [
            ("en_US", "en", "US"), ("en-US", "en", "US"), ("zh_Hant_TW", "zh-Hant", "TW"), ("ja", "ja", nil),
            ("es-419", "es", "419"), ("en_us_POSIX", "en", "US"), ("ko_KR@calendar=x", "ko", "KR"),
        ]
    )
    func readsLocales(_ locale: String, _ language: String, _ country: String?) {
        let text = "{\"deviceType\":\"ios\",\"deviceToken\":\"\(token(1))\",\"localeIdentifier\":\"\(locale)\"}"

        let devices = Reading(ParseFormat(options(consent: true)), text).devices

        #expect(devices.map(\.registration.language) == [language])
        #expect(devices.map(\.registration.country) == [country])
    }

    @Test(
        "X-51 MongoDB's dates are read in their three forms",
        arguments: [
            #"{"$date":"2026-01-02T03:04:05.678Z"}"#, #"{"$date":1767323045678}"#,
            #"{"$date":{"$numberLong":"1767323045678"}}"#,
        ]
    )
    func readsMongoDates(_ date: String) {
        let text =
            "[{\"deviceType\":\"ios\",\"deviceToken\":\"\(token(1))\",\"channels\":[\"a\"],\"_updated_at\":\(date),"
            + "\"_p_user\":\"_User$abc\",\"plan\":\"gold\",\"_acl\":{}},\n"
            + "{\"deviceType\":\"android\",\"deviceToken\":\"x\",\"GCMSenderId\":\"1\"},{\"deviceType\":\"ios\"}]"

        let reading = Reading(ParseFormat(options(consent: true) { $0.columns["user"] = "_p_user" }), text)

        #expect(reading.devices.map(\.seenAt) == [Timestamp("2026-01-02T03:04:05.678Z")])
        #expect(reading.devices.map(\.registration.user?.rawValue) == ["abc"])
        #expect(reading.devices.map(\.tags) == [["a"]])
        #expect(reading.devices.map(\.attributes) == [["plan": .string("gold")]])
        #expect(reading.others.map(\.platform) == ["android"])
        #expect(reading.leftOut == ["2 withoutToken"])
    }

    @Test(
        "X-51 Times are read in all forms",
        arguments: [
            ("1767323045", "2026-01-02T03:04:05Z"), ("1767323045678", "2026-01-02T03:04:05.678Z"),
            ("2026-01-02T03:04:05.000+09:00", "2026-01-01T18:04:05Z"),
            ("2026-01-02 03:04:05.000 UTC", "2026-01-02T03:04:05Z"),
            ("2026-01-02 03:04:05", "2026-01-01T18:04:05Z"), ("2026-01-02", "2026-01-01T15:00:00Z"),
            ("2026-01-02T03:04", "2026-01-01T18:04:00Z"), ("2026-01-02T03:04:05+0900", "2026-01-01T18:04:05Z"),
        ]
    )
    func readsTimes(_ text: String, _ expected: String) {
        #expect(SourceTime.read(text, zone: "+09:00") == Timestamp(expected))
    }

    @Test("What is no time is none", arguments: ["", "x", "2026", "2026-13-01", "yesterday at ten", "123456789012345"])
    func readsNoTimes(_ text: String) {
        #expect(SourceTime.read(text) == nil)
    }

    // MARK: - Countly

    @Test(
        "X-32 X-58 Countly's two files are joined in any order, and a hash is never a token",
        arguments: [true, false]
    )
    func joinsFiles(_ isPersonFirst: Bool) throws {
        let people =
            "{\"_id\":\"1\",\"uid\":\"7\",\"did\":\"d-7\",\"cc\":\"JP\",\"av\":\"1:2\",\"lo\":\"ja\",\"tkip\":\"\(token(9))\"}\n"
        let tokens =
            "{\"_id\":\"7\",\"tk\":{\"ip\":\"\(token(1))\",\"id\":\"\(token(2))\",\"ia\":\"\(token(3))\",\"ap\":\"x:y\"}}\n"
        let some = options(environment: nil, consent: true) { $0.columns["user"] = "did" }
        let text = isPersonFirst ? people + tokens : tokens + people

        var format = CountlyFormat(some)
        let halves = Reading(format, text).fates.compactMap { if case .half(let half) = $0 { half } else { nil } }
        let half = try #require(halves.first { !$0.isPerson })
        let person = try #require(halves.first { $0.isPerson && $0.key == half.key })
        var reading = Reading(format, "")
        var builder = RecordBuilder()
        format.read(
            JoinedRow(line: half.line, members: half.members, person: person.members),
            &builder,
            &reading.fates
        )

        // id is the sandbox, ia production.
        #expect(reading.devices.map(\.registration.token) == [deviceToken(3), deviceToken(2), deviceToken(1)])
        #expect(reading.devices.map(\.registration.pushType) == [.apns, .apnsSandbox, .apns])
        #expect(Set(reading.devices.map(\.registration.user?.rawValue)) == ["d-7"])
        #expect(Set(reading.devices.map(\.registration.country)) == ["JP"])
        #expect(Set(reading.devices.map(\.registration.appVersion)) == ["1.2"])
        #expect(reading.others.map(\.platform) == ["android"])
    }

    // MARK: - CORE PUSH and plain files

    @Test("A customer's own table has the columns that are named") func readsOwnTables() {
        let text =
            "phone,kind,member,groups,push,seen\n\(token(1)),1,u-1,\"3,4\",1,2026-01-02 03:04:05\nx:y,2,u-2,,1,\n"
            + "\(token(2)),ios,u-3,4,,\n"
        let some = options {
            $0.columns = [
                "token": "phone", "platform": "kind", "user": "member", "category": "groups", "consent": "push",
                "date": "seen",
            ]
        }

        let reading = Reading(CorePushFormat(some), text)

        #expect(reading.devices.map(\.registration.user?.rawValue) == ["u-1", "u-3"])
        #expect(reading.devices.map(\.registration.categories) == [.list(["3", "4"]), .list(["4"])])
        #expect(reading.devices.map(\.registration.consent.notifications) == [true, false])
        #expect(reading.devices.map(\.seenAt) == [Timestamp("2026-01-01T18:04:05Z"), nil])
        #expect(reading.others.map(\.platform) == ["android"])
        let missing = Reading(CorePushFormat(options { $0.columns = ["token": "x"] }), text).failure as? SourceProblem
        #expect(missing?.description == "has no column x")
    }

    @Test("A plain file has a token a line") func readsPlainFiles() {
        let reading = Reading(
            TokensFormat(options(consent: true)),
            "\(token(1))\r\n\n\(token(2))\nabc:def\nxyz\n\(token(3)),u\n"
        )

        #expect(reading.devices.map(\.line) == [1, 3])
        #expect(reading.leftOut == ["4 firebaseToken"])
        #expect(
            reading.refused == [
                "5 token must be 16 through 200 hexadecimal digits, an even number of them",
                "6 has 2 fields, not a token alone",
            ]
        )
    }
}
