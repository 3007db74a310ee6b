import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import Testing

@testable import CarillonConsole

/// The form of the step Delivery.
struct DeliveryFormTests {
    private let now = Timestamp(rawValue: 1_795_250_640_000)

    private func draft(_ change: (inout CampaignRequest) -> Void = { _ in }) -> Campaign {
        let message = Message(content: ["default": LocalizedContent(title: "Sale", body: "Now")])
        var request = CampaignRequest(audience: .all, message: message)
        request.draft = true
        change(&request)
        return Campaign(
            id: CampaignID(rawValue: 7),
            app: AppID(rawValue: 1),
            request: request,
            state: .draft,
            createdAt: now
        )
    }

    private func form(_ fields: KeyValuePairs<String, String>, maySend: Bool = true) throws -> DeliveryForm {
        DeliveryForm(
            FormFields(fields.map { (name: $0.key, value: $0.value) }),
            try Look.test().texts,
            now: now,
            maySend: maySend
        )
    }

    @Test("What a draft has comes back from its own fields unchanged")
    func comesBack() throws {
        let walls = ["2026-12-24T09:30", "2026-12-31T20:00"].compactMap { WallTime($0) }
        var weekly = Schedule(
            .weekly([.monday, .friday]),
            times: [TimeOfDay("09:00")].compactMap(\.self),
            zone: "Asia/Tokyo"
        )
        (weekly.from, weekly.until, weekly.isLocal) = (CalendarDay("2026-12-01"), CalendarDay("2026-12-24"), true)
        var local = Schedule(.at([walls[0]]), zone: "Asia/Seoul", isLocal: true)
        local.passed = .nextDay
        let drafts = [
            draft(), draft { $0.sendAt = Timestamp(rawValue: 1_795_290_600_000) },
            draft { $0.schedule = Schedule(.at(walls), zone: "Europe/Berlin") }, draft { $0.schedule = local },
            draft { $0.schedule = weekly },
            draft {
                $0.schedule = Schedule(.monthly([1, 31]), times: weekly.times, zone: "UTC")
                $0.pace = .perMinute(6_000)
            },
            draft {
                ($0.isAd, $0.nightPolicy) = (true, .defer)
                $0.adWording = AdWording(contact: "02-123", removeGuide: "Settings", position: .body)
                $0.pace = .over(5_400)
            },
            draft {
                ($0.pace, $0.validFor, $0.isTransactional) = (.groups(4, every: 601), 90, true)
                $0.holdout = 10
                $0.variants = [
                    Variant(name: "A", weight: 45),
                    Variant(name: "B", weight: 45, content: ["default": LocalizedContent(title: "Hi", body: "Now")]),
                ]
            },
        ]
        for draft in drafts {
            let fields = DeliveryFields.fields(of: draft, zone: "Asia/Taipei", isNew: false)
            var form = DeliveryForm(fields, try Look.test().texts, now: now, maySend: true)
            var changed = draft
            form.update(of: draft).apply(to: &changed)
            #expect(form.problems.isEmpty, "\(form.problems)")
            #expect(changed == draft)
        }
    }

    @Test("A new draft has no kind, and the usual expiry of 24 hours")
    func proposals() throws {
        let fields = DeliveryFields.fields(of: draft(), zone: "UTC", isNew: true)
        #expect(fields["kind"] == nil)
        #expect(fields["validFor"] == "1" && fields["validForUnit"] == "days")
        var going = try form(["do": "next"])
        #expect(going.update(of: draft()).isAd == nil)
        #expect(going.problems.map(\.field) == ["kind-information"])
        var leaving = try form(["do": "save"])
        _ = leaving.update(of: draft())
        #expect(leaving.problems.isEmpty)
    }

    @Test(
        "K-42 an advertisement without contact or the way to refuse is an error at the field",
        arguments: [("", "Settings", "contact"), ("02-123", " ", "removeGuide"), ("call us", "x", "contact")]
    )
    func adWording(_ contact: String, _ guide: String, _ field: String) throws {
        var form = try form(["kind": "ad", "contact": contact, "removeGuide": guide])
        _ = form.update(of: draft())
        #expect(form.problems.map(\.field) == [field])
    }

    @Test("K-42 with both, the Korean text begins with the mark")
    func adPreview() throws {
        var form = try form(["kind": "ad", "contact": "02-123", "removeGuide": "설정 > 알림", "position": "title"])
        var typed = draft()
        form.update(of: typed).apply(to: &typed)
        let preview = try #require(AdPreviewView(typed, standard: .body))
        #expect(preview.adTitle == "(광고) Sale 02-123")
        #expect(preview.adBody == "Now\n설정 > 알림")
    }

    @Test("K-59 shares and holdout that are not 100 % together are an error that says the sum")
    func shares() throws {
        var wrong = try form([
            "holdout": "10", "variantName1": "A", "variantShare1": "50", "variantName2": "B", "variantShare2": "50",
        ])
        _ = wrong.update(of: draft())
        #expect(wrong.problems.map(\.field) == ["variantShare1"])
        #expect(wrong.problems.first?.text.contains("110") == true)
        var right = try form([
            "holdout": "10", "variantName1": "A", "variantShare1": "45", "variantName2": "B", "variantShare2": "45",
        ])
        let update = right.update(of: draft())
        #expect(right.problems.isEmpty)
        #expect(update.holdout == .some(.some(10)))
        #expect((update.variants ?? nil)?.map(\.weight) == [45, 45])
        var alone = try form(["variantName1": "A", "variantShare1": "100"])
        _ = alone.update(of: draft())
        #expect(alone.problems.map(\.field) == ["variantName2"])
    }

    @Test("Times that are over, of no zone or of no clock are errors at their fields")
    func times() throws {
        var past = try form(["when": "at", "date": "2026-11-20", "time": "09:00", "zone": "Asia/Taipei"])
        _ = past.update(of: draft())
        #expect(past.problems.map(\.field) == ["date"])
        var lost = try form(["when": "local", "date": "2026-13-01", "time": "9", "zone": "Mars/Phobos"])
        _ = lost.update(of: draft())
        #expect(lost.problems.map(\.field) == ["zone"])
        var unread = try form(["when": "local", "date": "2026-13-01", "time": "9", "zone": "UTC"])
        _ = unread.update(of: draft())
        #expect(unread.problems.map(\.field) == ["date", "time"])
        var twice = try form([
            "when": "local", "date": "2026-12-01", "time": "09:00", "zone": "UTC", "moreTimes": "2026-12-02 09:00",
            "passed": "nextDay",
        ])
        _ = twice.update(of: draft())
        #expect(twice.problems.map(\.field) == ["passed"])
    }

    @Test("Only a sender makes an exception from quiet hours and caps, and an editor keeps it")
    func exceptions() throws {
        var editor = try form(["isTransactional": "yes"], maySend: false)
        _ = editor.update(of: draft())
        #expect(editor.problems.map(\.field) == ["isTransactional"])
        var keeping = try form(["isTransactional": "yes"], maySend: false)
        let update = keeping.update(of: draft { $0.isTransactional = true })
        #expect(keeping.problems.isEmpty && update.isTransactional == true)
    }

    @Test("Back to now, a draft loses its time and its schedule")
    func backToNow() throws {
        var form = try form(["when": "now"])
        var changed = draft { $0.sendAt = Timestamp(rawValue: 1_795_290_600_000) }
        form.update(of: changed).apply(to: &changed)
        #expect(changed.sendAt == nil && changed.schedule == nil)
    }
}
