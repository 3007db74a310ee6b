import CarillonImporters
import CarillonModel
import Testing

@Suite struct ToastTests {
    private func read(_ text: String) -> Reading { Reading(ToastFormat(options(environment: nil)), text) }

    private func page(_ tokens: String...) -> String {
        "{\"header\":{\"isSuccessful\":true,\"resultCode\":0},\n \"tokens\":[\n  \(tokens.joined(separator: ",\n  "))\n ]}\n"
    }

    private func object(_ type: String = "APNS", token digits: String = token(1), more: String = "") -> String {
        "{\"pushType\":\"\(type)\",\"token\":\"\(digits)\",\"uid\":\"u-1\",\"isNotificationAgreement\":true,"
            + "\"isAdAgreement\":true,\"isNightAdAgreement\":false,\"timezoneId\":\"Asia/Seoul\",\"country\":\"KR\","
            + "\"language\":\"ko\",\"updatedDateTime\":\"2026-05-01T00:00:00.000+09:00\""
            + ",\"deviceId\":\"a-b\"\(more)}"
    }

    @Test("X-36 Consents and their times come from the flags; a true one without a date is listed")
    func readsConsentTimes() {
        let dated = object(more: ",\"adAgreementDateTime\":\"2026-04-01T12:00:00.000+09:00\"")

        let reading = read(page(dated, object(token: token(2))))

        var expected = ImportRecord(line: 3, consent: Consent(notifications: true, ads: true, nightAds: false))
        expected.registration.token = deviceToken(1)
        expected.registration.user = UserID(rawValue: "u-1")
        expected.registration.language = "ko"
        expected.registration.country = "KR"
        expected.registration.timeZone = "Asia/Seoul"
        expected.consentTimes.ads = Timestamp("2026-04-01T03:00:00Z")
        expected.seenAt = Timestamp("2026-04-30T15:00:00Z")
        #expect(reading.devices.first == expected)
        #expect(reading.devices.last?.consentTimes == ConsentTimes())
        #expect(reading.notes == [.consentUndated: 1])
        let night =
            "{\"pushType\":\"APNS\",\"token\":\"\(token(3))\",\"isNotificationAgreement\":true,"
            + "\"isAdAgreement\":true,\"isNightAdAgreement\":true,\"adAgreementDateTime\":\"2026-04-01T00:00:00Z\""
        let nights = read(page(night + "}", night + ",\"nightAdAgreementDateTime\":\"2026-04-02T00:00:00Z\"}"))
        #expect(nights.devices.map(\.consentTimes.nightAds) == [nil, Timestamp("2026-04-02T00:00:00Z")])
        #expect(nights.notes == [.consentUndated: 1])
    }

    @Test("X-35 Only NHN's flags set consents to ads") func readsAdConsents() {
        let consent = read(page(object())).devices.map(\.registration.consent)

        #expect(consent == [Consent(notifications: true, ads: true, nightAds: false)])
        // A flag that is missing or says something else is no consent.
        for flags in ["", ",\"isAdAgreement\":null,\"isNightAdAgreement\":\"maybe\""] {
            let silent = "{\"pushType\":\"APNS\",\"token\":\"\(token(1))\",\"isNotificationAgreement\":true\(flags)}"
            #expect(read(page(silent)).devices.map(\.registration.consent) == [Consent(notifications: true)])
        }
        let nothing = read(page("{\"pushType\":\"APNS\",\"token\":\"\(token(1))\"}"))
        #expect(nothing.devices.map(\.registration.consent) == [Consent(notifications: false)])
    }

    @Test("X-32 APNS_SANDBOX is the sandbox") func readsEnvironments() {
        let reading = read(page(object("APNS_SANDBOX"), object()))

        #expect(reading.devices.map(\.registration.pushType) == [.apnsSandbox, .apns])
    }

    @Test("X-28 X-30 Other push types are left out by kind") func leavesOutOtherTypes() {
        let reading = read(
            page(object("FCM", token: "a:b"), object("TENCENT"), object("ADM"), object("APNS_SANDBOXVOIP"))
        )

        #expect(reading.others.map(\.platform) == ["android", "tencent", "amazon"])
        #expect(reading.leftOut == ["6 callToken"])
    }

    @Test("A tenant behind a token is the device's") func readsTenants() {
        let devices = read(page(object(token: token(1) + "#tenant=shop"))).devices

        #expect(devices.map(\.registration.tenant) == ["shop"])
        #expect(devices.map(\.registration.token) == [deviceToken(1)])
    }

    @Test("Users of a tag have tags, and no device") func readsUsers() {
        let page =
            "{\"uids\":[{\"uid\":\"u-1\",\"tags\":[{\"tagId\":\"ZZPP00b6\",\"tagName\":\"sports\"},{\"tagName\":\"a b\"}],"
            + "\"contacts\":[{\"contactType\":\"TOKEN_APNS\",\"contact\":\"\(token(1))\"}]}]}"

        let reading = read(page)

        #expect(reading.users.map(\.tags) == [["sports"]])
        #expect(reading.notes == [.tagName: 1])
    }

    @Test("X-39 A page of invalid tokens has dead ones") func readsInvalidTokens() {
        let reading = read(
            "{\"invalidTokens\":[{\"uid\":\"u\",\"token\":\"\(token(4))\",\"pushType\":\"APNS\","
                + "\"createdDateTime\":\"2026-01-01T00:00:00.000+09:00\"}]}"
        )

        guard case .dead(let record) = reading.fates.first else {
            Issue.record("An invalid token is dead.")
            return
        }
        #expect(record.registration.token == deviceToken(4))
        #expect(record.seenAt == Timestamp("2025-12-31T15:00:00Z"))
    }

    @Test("A table with the API's names is read alike") func readsTables() {
        let text =
            "pushtype,token,uid,isNotificationAgreement,isAdAgreement,isNightAdAgreement,adAgreementDateTime,x\n"
            + "APNS,\(token(1)),u-1,Y,true,0,2026-04-01T12:00:00,1\n"

        let reading = read(text)

        #expect(reading.devices.map(\.registration.consent) == [Consent(notifications: true, ads: true)])
        #expect(reading.devices.map(\.consentTimes.ads) == [Timestamp("2026-04-01T03:00:00Z")])
        #expect(reading.unreadColumns == ["x"])
    }
}
