import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import CarillonServer
import HTTPTypes
import HummingbirdTesting
import Testing

struct ScheduleTests {
    private static func body(_ fields: String) -> String {
        "{\"audience\":{\"all\":true},\(CampaignTests.message),\(fields)}"
    }

    /// A day that is still to come by the clock of the tests.
    private static func day(_ server: TestServer) -> CalendarDay {
        CalendarDay(number: Int(server.clock.now().rawValue / 86_400_000) + 3)
    }

    @Test("A schedule is accepted, listed with its Occurrences, changed, paused, resumed and cancelled one by one")
    func schedules() async throws {
        try await TestServer.run { server in
            let key = try await server.makeKey(try await server.makeApp().app.id, .send, .read)
            let day = Self.day(server)
            let fields = """
                "schedule":{"repeat":"daily","times":["09:00"],"from":"\(day)","until":"\(day.advanced(by: 2))",
                "zone":"Asia/Seoul"},"pace":{"perMinute":600},"validFor":3600,"nightPolicy":"defer","isTransactional":true
                """
            let made = try await server.send(.post, "/v1/campaigns", Self.body(fields), key: key)
            let campaign = try made.decoded(Campaign.self)
            #expect(made.status == .created && campaign.state == .scheduled && campaign.nextAt != nil)
            #expect(campaign.pace == .perMinute(600) && campaign.validFor == 3_600)
            #expect(campaign.nightPolicy == .defer && campaign.isTransactional)
            let path = "/v1/campaigns/\(campaign.id)"

            let listed = try await server.send(.get, path + "/occurrences?limit=2", key: key)
                .decoded(Page<Occurrence>.self)
            #expect(listed.items.map { $0.at?.description } == ["\(day)T09:00", "\(day.advanced(by: 1))T09:00"])
            let cursor = try #require(listed.nextCursor)
            let rest = try await server.send(.get, path + "/occurrences?cursor=\(cursor)", key: key)
            #expect(try rest.decoded(Page<Occurrence>.self).items.count == 1)

            let cancel = path + "/occurrences/\(day)T09%3A00/cancel"
            #expect(try await server.send(.post, cancel, key: key).decoded(Occurrence.self).state == .cancelled)
            #expect(try await server.send(.post, cancel, key: key).problem == "conflict")
            let unknown = path + "/occurrences/nothing/cancel"
            #expect(try await server.send(.post, unknown, key: key).problem == "unknown-occurrence")

            let change = #"{"name":"Mornings","pace":null,"validFor":null}"#
            let changed = try await server.send(.patch, path, change, key: key).decoded(Campaign.self)
            #expect((changed.name, changed.pace, changed.validFor) == ("Mornings", nil, nil))
            #expect(changed.createdAt == campaign.createdAt && changed.updatedAt != nil)

            #expect(try await server.send(.post, path + "/pause", key: key).decoded(Campaign.self).state == .paused)
            #expect(try await server.send(.post, path + "/resume", key: key).decoded(Campaign.self).state == .scheduled)
            #expect(try await server.send(.post, path + "/resume", key: key).problem == "conflict")
        }
    }

    @Test(
        "An invalid time is reported",
        arguments: [
            (#""schedule":{"at":["2020-01-01T09:00"],"zone":"UTC"}"#, "schedule"),
            (#""schedule":{"repeat":"daily","times":["09:00"],"zone":"Mars/Phobos"}"#, "schedule.zone"),
            (
                #""schedule":{"repeat":"daily","times":["09:00"],"zone":"UTC"},"sendAt":"2030-01-01T00:00:00Z""#,
                "sendAt"
            ),
            (#""schedule":{"repeat":"daily","times":["25:00"],"zone":"UTC"}"#, "schedule.times.0"),
            (#""pace":{"perMinute":0}"#, "pace.perMinute"), (#""pace":{}"#, "pace.perMinute"),
            (#""pace":{"groups":1,"every":60}"#, "pace.groups"), (#""validFor":59"#, "validFor"),
            (
                #""schedule":{"repeat":"daily","times":["09:00"],"zone":"UTC"},"pace":{"groups":2,"every":60}"#,
                "pace.groups"
            ),
            (
                #""schedule":{"repeat":"daily","times":["09:00"],"zone":"UTC","local":true},"pace":{"over":60}"#,
                "pace.over"
            ),
        ]
    )
    func namesTheField(_ fields: String, _ field: String) async throws {
        try await TestServer.run { server in
            let key = try await server.makeKey(try await server.makeApp().app.id, .send)
            let answer = try await server.send(.post, "/v1/campaigns", Self.body(fields), key: key)
            #expect(answer.field == field)
        }
    }

    @Test("Each path requires its scope, and another App's Campaign is not found")
    func asksForScope() async throws {
        try await TestServer.run { server in
            let app = try await server.makeApp().app.id
            let other = try await server.makeKey(try await server.makeApp().app.id, .send, .read)
            let key = try await server.makeKey(app, .send)
            let reader = try await server.makeKey(app, .read)
            let made = try await server.send(.post, "/v1/campaigns", CampaignTests.draft, key: key)
            let path = "/v1/campaigns/\(try made.decoded(Campaign.self).id)"
            let calls: [(HTTPRequest.Method, String, String?)] = [
                (.patch, "", "{}"), (.post, "/pause", nil), (.post, "/resume", nil),
                (.post, "/occurrences/2030-01-01T09:00/cancel", nil),
            ]
            for (method, end, body) in calls {
                #expect(try await server.send(method, path + end, body, key: reader).problem == "missing-scope")
                #expect(try await server.send(method, path + end, body, key: other).problem == "unknown-campaign")
            }
            #expect(try await server.send(.get, path + "/occurrences", key: key).problem == "missing-scope")
            #expect(try await server.send(.get, path + "/occurrences", key: other).problem == "unknown-campaign")
        }
    }

    @Test("An App's sending rules are set, returned, changed and removed")
    func keepsRules() async throws {
        try await TestServer.run { server in
            let rules = """
                {"sendingRules":{"quietHours":{"from":"22:00","until":"08:00","policy":"defer"},
                "frequencyCaps":[{"limit":3,"period":86400,"per":"user","adsOnly":true}],"duplicateGuard":10}}
                """
            let app = try await server.makeApp().app.id
            let path = "/v1/apps/\(app)"
            let changed = try await server.send(.patch, path, rules, key: server.serverKey).decoded(App.self)
            #expect(changed.sendingRules.quietHours?.policy == .defer)
            #expect(
                changed.sendingRules.frequencyCaps == [
                    FrequencyCap(limit: 3, period: 86_400, per: .user, adsOnly: true)
                ]
            )
            #expect(changed.sendingRules.duplicateGuard == 10)
            #expect(try await server.send(.get, path, key: server.serverKey).decoded(App.self) == changed)
            let none = #"{"sendingRules":{}}"#
            let cleared = try await server.send(.patch, path, none, key: server.serverKey).decoded(App.self)
            #expect(cleared.sendingRules == SendingRules())

            let wrong = [
                (#"{"duplicateGuard":0}"#, "sendingRules.duplicateGuard"),
                (#"{"duplicateGuard":61}"#, "sendingRules.duplicateGuard"),
                (#"{"quietHours":{"from":"22:00","until":"22:00"}}"#, "sendingRules.quietHours.until"),
                (#"{"quietHours":{"from":"22:00","until":"08:00","zone":"Mars"}}"#, "sendingRules.quietHours.zone"),
                (#"{"frequencyCaps":[{"limit":0,"period":60}]}"#, "sendingRules.frequencyCaps.0.limit"),
            ]
            for (rules, field) in wrong {
                let body = "{\"sendingRules\":\(rules)}"
                #expect(try await server.send(.patch, path, body, key: server.serverKey).field == field)
            }
        }
    }
}
