import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import Testing

struct DeliveryPlanTests {
    private let now = Timestamp("2026-03-01T12:00:00Z")!

    private func context(
        _ message: Message,
        isAd: Bool = false,
        adRule: App.AdRule = .everyone
    ) -> OccurrenceContext {
        let facts = OccurrenceFacts(
            app: AppID(rawValue: 1),
            campaign: CampaignID(rawValue: 2),
            occurrence: OccurrenceID(rawValue: 3),
            audience: .all,
            message: message,
            isAd: isAd,
            adRule: adRule,
            startedAt: now,
            retryUntil: now.advanced(by: .seconds(86_400))
        )
        return OccurrenceContext(facts: facts, sender: FakeSender())
    }

    private func recipients(_ rows: [DeliveryWorld.Device]) -> Recipients {
        var recipients = Recipients()
        for (index, row) in rows.enumerated() {
            var (language, zone) = (row.language ?? "", row.zone ?? "")
            language.withUTF8 { language in
                zone.withUTF8 { zone in
                    let token = row.tokenState == .active ? DeliveryWorld.token(index) : []
                    token.withUnsafeBytes { token in
                        recipients.append(
                            number: DeviceNumber(rawValue: Int64(index)),
                            pushType: row.pushType,
                            consent: row.consent,
                            language: UnsafeRawBufferPointer(language),
                            zone: UnsafeRawBufferPointer(zone),
                            token: token
                        )
                    }
                }
            }
        }
        return recipients
    }

    private func slices(_ plan: DeliveryPlan, limit: Int = 100) -> [DeliveryPlan.Group: [[Int]]] {
        var plan = plan
        var slices: [DeliveryPlan.Group: [[Int]]] = [:]
        while let slice = plan.next(limit: limit) { slices[slice.group, default: []].append(slice.rows.map(Int.init)) }
        return slices
    }

    @Test("Rows are grouped by content and push type") func groupsRows() {
        var message = DeliveryWorld.message()
        message.content["ja"] = LocalizedContent(body: "j")
        let rows: [DeliveryWorld.Device] = [
            .init(language: "ja-JP"), .init(language: "en"), .init(language: nil),
            .init(language: "ja_JP", pushType: .apnsSandbox), .init(language: "JA"),
        ]
        let context = context(message)

        let plan = DeliveryPlan(recipients(rows), of: context, nights: ZoneNights(), at: now)

        let ja = context.contentKeys.firstIndex(of: "ja")!
        let other = context.contentKeys.firstIndex(of: "default")!
        #expect(
            slices(plan) == [
                .init(pushType: .apns, place: ja, cap: nil): [[0, 4]],
                .init(pushType: .apns, place: other, cap: nil): [[1, 2]],
                .init(pushType: .apnsSandbox, place: ja, cap: nil): [[3]],
            ]
        )
    }

    @Test("A slice has rows of one group") func cutsSlices() {
        let rows = Array(repeating: DeliveryWorld.Device(), count: 5)
        let plan = DeliveryPlan(
            recipients(rows),
            of: context(DeliveryWorld.message()),
            nights: ZoneNights(),
            at: now
        )

        #expect(slices(plan, limit: 2).values.first == [[0, 1], [2, 3], [4]])
    }

    @Test("Ads expire at the next night of each zone") func capsAdsAtNight() {
        // 12:00 UTC is 21:00 in Seoul, 13:00 in Paris and 07:00 in New York.
        let ads: ConsentBits = [.notifications, .ads]
        let rows: [DeliveryWorld.Device] = [
            .init(consent: ads, zone: "Asia/Seoul"),
            .init(consent: ads, zone: "Europe/Paris"),
            .init(consent: [.notifications, .ads, .nightAds], zone: "Asia/Seoul"),
            .init(consent: ads, zone: "Europe/Berlin"),
            .init(consent: ads, zone: "America/New_York"),
            .init(consent: ads, zone: "nowhere"),
            .init(consent: .notifications, zone: "Europe/Paris"),
            .init(consent: [], zone: "Europe/Paris"),
            .init(consent: [.notifications, .ads, .nightAds], zone: nil),
            .init(tokenState: .none),
        ]

        let plan = DeliveryPlan(
            recipients(rows),
            of: context(DeliveryWorld.message(), isAd: true),
            nights: ZoneNights(),
            at: now
        )

        #expect(
            slices(plan) == [
                .init(pushType: .apns, place: 0, cap: Timestamp("2026-03-01T20:00:00Z")): [[1, 3]],
                .init(pushType: .apns, place: 0, cap: nil): [[2, 8]],
            ]
        )
        let skips = Dictionary(uniqueKeysWithValues: plan.skips.map { ($0.row, $0.reason) })
        #expect(
            skips == [
                0: .nightAd, 4: .nightAd, 5: .unknownTimeZone, 6: .noAdConsent, 7: .noConsent, 9: .noToken,
            ]
        )
    }

    @Test(
        "T-59 T-61 under the Korean rule ads need consent on phones whose language is ko, kor or ko-…, and on no others"
    )
    func koreanRule() {
        // 12:00 UTC is 21:00 in Seoul.
        let rows = ["ko", "kor", "ko-KR", "KO_kr", "ja", "kok", nil].map {
            DeliveryWorld.Device(consent: .notifications, language: $0, zone: "Asia/Seoul")
        }
        let others: [DeliveryWorld.Device] = [
            .init(consent: [.notifications, .ads], language: "ko", zone: "Asia/Seoul"),
            .init(consent: [], language: "ja", zone: "Asia/Seoul"),
        ]

        let plan = DeliveryPlan(
            recipients(rows + others),
            of: context(DeliveryWorld.message(), isAd: true, adRule: .korean),
            nights: ZoneNights(),
            at: now
        )

        #expect(slices(plan) == [.init(pushType: .apns, place: 0, cap: nil): [[4, 5, 6]]])
        #expect(
            plan.skips.map(\.reason) == Array(repeating: .noAdConsent, count: 4) + [.nightAd, .noConsent]
        )
    }

    @Test("Delivery options follow message and cap") func followsMessageAndCap() {
        var message = DeliveryWorld.message()
        let cap = now.advanced(by: .seconds(100))
        #expect(context(message).options(expiringBy: nil, at: now).expiration == .unset)
        #expect(context(message).options(expiringBy: cap, at: now).expiration == .at(cap))
        #expect(context(message).options(expiringBy: nil, at: now).priority == .high)
        #expect(context(message).options(expiringBy: nil, at: now).collapseID == OccurrenceID(rawValue: 3).description)
        message.expiresIn = 60
        #expect(context(message).options(expiringBy: cap, at: now).expiration == .at(now.advanced(by: .seconds(60))))
        message.expiresIn = 600
        #expect(context(message).options(expiringBy: cap, at: now).expiration == .at(cap))
        message.expiresIn = 0
        #expect(context(message).options(expiringBy: cap, at: now).expiration == .immediately)
        message.collapseID = "mine"
        #expect(context(message).options(expiringBy: cap, at: now).collapseID == "mine")
        message.collapseID = nil
        message.collapses = false
        #expect(context(message).options(expiringBy: cap, at: now).collapseID == nil)
        var silent = Message(content: [:])
        silent.silent = true
        #expect(context(silent).options(expiringBy: nil, at: now).purpose == .background)
        #expect(context(silent).options(expiringBy: nil, at: now).priority == .normal)
    }

    @Test("Texts are interned by their bytes") func internsTexts() {
        var texts = InternedTexts()
        var numbers: [UInt16] = []
        for round in 0..<2 {
            for index in 0..<500 {
                var text = "text \(index)"
                let number = text.withUTF8 { texts.number(of: UnsafeRawBufferPointer($0)) }
                if round == 0 { numbers.append(number) } else { #expect(numbers[index] == number) }
            }
        }
        #expect(Set(numbers).count == 500)
        #expect(texts.count == 501)
        #expect(texts[numbers[77]] == "text 77")
        #expect(texts.number(of: UnsafeRawBufferPointer(start: nil, count: 0)) == 0)
    }
}
