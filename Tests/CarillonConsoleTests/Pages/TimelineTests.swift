import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import HummingbirdTesting
import Testing

@testable import CarillonConsole

/// What happened to a Device or a User, by day.
@Suite(.timeLimit(.minutes(2)))
struct TimelineTests {
    @Test("K-73 the pages of a timeline have everything once, the latest first, under its day")
    func pages() async throws {
        try await PageWorld.run { world in
            let app = try await world.makeApp()
            let device = try await world.addDevice(1, user: "ann", of: app)
            var campaigns: [CampaignID] = []
            for number in 0..<60 {
                world.clock.advance(bySeconds: 3_600)
                if number.isMultiple(of: 20) { try await self.consent(device, ads: number == 20, world, app) }
                let campaign = try await world.makeCampaign("News \(number)", of: app)
                try await world.deliver(campaign)
                campaigns.append(campaign.id)
            }
            // The admin's session has ended in these hours.
            let viewer = try await world.session(.viewer, of: app)
            for path in ["/apps/\(app)/devices/\(device)", "/apps/\(app)/users/ann"] {
                let texts = try await self.all(path, viewer, world)
                let (first, last) = (try #require(texts.first), try #require(texts.last))
                let shown = texts.flatMap { text in
                    text.matches(of: #/<code>(cmp_[0-9a-z]+)<\/code>/#).map { String($0.1) }
                }

                #expect(shown == campaigns.reversed().map(\.description), "\(path)")
                #expect(first.contains("<h3>Mon 23 Nov 2026</h3>") && first.contains("<h3>Sun 22 Nov 2026</h3>"))
                #expect(!first.contains("Registered for the first time"))
                #expect(last.contains("Registered for the first time"))
                let both = texts.joined()
                #expect(both.matches(of: #/Registered for the first time/#).count == 1)
                // Two changes by the app, and the first registration.
                #expect(both.matches(of: #/Consents: [^<]*In the app/#).count == 2, "\(path)")
                #expect(both.matches(of: #/Consents: [^<]*First registration/#).count == 1, "\(path)")
                #expect(texts.count > 1 && !last.contains("rel=\"next\""))
            }
        }
    }

    @Test("A timeline of one kind has nothing else", arguments: Timeline.Kind.allCases)
    func kinds(_ kind: Timeline.Kind) async throws {
        try await PageWorld.run { world in
            let app = try await world.makeApp()
            let device = try await world.addDevice(1, user: "ann", of: app)
            let campaign = try await world.makeCampaign("News", of: app)
            try await world.deliver(campaign, .failed, reason: "BadDeviceToken")
            let page = try await world.get("/apps/\(app)/devices/\(device)?kind=\(kind.rawValue)").text
            let texts: [Timeline.Kind: String] = [
                .registrations: "Registered for the first time",
                .tokens: "The token 010101…0101ab (apns) was registered",
                .consents: "Consents: ", .deliveries: "> <span>Delivery ",
            ]

            for (other, text) in texts { #expect(page.contains(text) == (other == kind), "\(other)") }
            #expect(page.contains("Apple refused the token") == (kind == .tokens))
            #expect(page.contains("aria-current=\"page\">Events") == (kind == .events))
            #expect(page.contains("Nothing of this kind happened") == (kind == .events))
        }
    }

    @Test("K-73 what happened at one time is not torn apart between pages")
    func ties() async throws {
        try await PageWorld.run { world in
            let app = try await world.makeApp()
            var devices: [DeviceRecord] = []
            for number in 1...5 {
                let id = try await world.addDevice(UInt8(number), user: "ann", of: app)
                for change in 0..<14 {
                    world.clock.advance(bySeconds: 1)
                    try await self.consent(id, ads: change.isMultiple(of: 2), world, app)
                }
                devices.append(try await world.engine.devices.device(app: app, device: id, secret: nil))
            }
            let user = try #require(UserID(rawValue: "ann"))
            var (items, query): ([Timeline.Item], Timeline.Query) = ([], Timeline.Query(kind: .consents))
            repeat {
                let page = try await Timeline.read(query, .user(user), devices: devices, of: app, world.engine)
                items += page.items
                query.position = page.next.flatMap { Timeline.Position($0.text) }
            } while query.position != nil

            #expect(items.count == 75)
            #expect(Set(items).count == 75)
            #expect(items.map(\.at) == items.map(\.at).sorted(by: >))
        }
    }

    @Test(
        "A position is read back as it was written, and nothing else is one",
        arguments: ["1~", "1~end", "-9223372036854775808~o.5k", "17~o.5k-1.apns_sandbox"]
    )
    func positions(_ text: String) {
        #expect(Timeline.Position(text)?.text == text)
        for wrong in ["", "~", "x~end", text + "~", "1", "1~~", "1~wrong", "99999999999999999999~end"] {
            #expect(Timeline.Position(wrong) == nil, "\(wrong)")
        }
    }

    @Test("K-71 one sentence says why a User did not get a Campaign", arguments: SkipReason.allCases)
    func whyNot(_ reason: SkipReason) async throws {
        try await PageWorld.run { world in
            let app = try await world.makeApp()
            try await world.addDevice(1, user: "ann", of: app)
            let campaign = try await world.makeCampaign("News", of: app)
            func sentence(_ id: String) async throws -> String {
                let page = try await world.get("/apps/\(app)/users/ann?campaign=\(FormFields.escaped(id))").text
                return page.firstMatch(of: #/<p class="lead" role="status">([^<]*)/#).map {
                    String($0.1).trimmed.replacing("&#39;", with: "'")
                } ?? ""
            }
            #expect(try await sentence("\(campaign.id)") == "Nothing of it was sent to this User yet.")
            #expect(try await sentence("news") == "The App has no Campaign with this id.")

            try await world.deliver(campaign, .skipped, reason: reason.rawValue)

            let meaning = try #require(DeliveryReason.skip(reason.rawValue).texts)
            let texts = try Catalogue(of: .english).texts
            let words = try #require(texts["reason.meaning." + meaning])
            #expect(try await sentence(" \(campaign.id) ") == "It was not sent: \(words) (\(reason.rawValue)).")
        }
    }

    @Test("K-71 a User who got a Campaign, and one whom Apple refused, are told apart")
    func whyOther() async throws {
        try await PageWorld.run { world in
            let app = try await world.makeApp()
            try await world.addDevice(1, user: "ann", of: app)
            for (outcome, words) in [
                (Delivery.Outcome.accepted, "The User got it: Apple accepted it."),
                (.failed, "It did not arrive: Apple does not know the token in this environment (BadDeviceToken)."),
            ] {
                let campaign = try await world.makeCampaign("News", of: app)
                try await world.deliver(campaign, outcome)
                #expect(try await world.get("/apps/\(app)/users/ann?campaign=\(campaign.id)").text.contains(words))
            }
        }
    }

    /// The texts of all pages of a timeline.
    private func all(_ path: String, _ session: String, _ world: PageWorld) async throws -> [String] {
        var texts = [try await world.get(path, as: session).text]
        while let link = texts.last?.firstMatch(of: #/href="/console([^"]*after=[^"]*)" rel="next"/#)?.1 {
            try #require(texts.count < 10)
            let path = link.prefix { $0 != "#" }
            texts.append(try await world.get(String(path).replacing("&amp;", with: "&"), as: session).text)
        }
        return texts
    }

    private func consent(_ device: DeviceID, ads: Bool, _ world: PageWorld, _ app: AppID) async throws {
        var update = RegistrationUpdate()
        update.consent = Consent(notifications: true, ads: ads)
        let secret = String(repeating: "s", count: 43)
        _ = try await world.engine.devices.update(app: app, device: device, secret: secret, update)
    }
}
