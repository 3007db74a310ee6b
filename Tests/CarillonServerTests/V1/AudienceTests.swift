import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import CarillonServer
import HTTPTypes
import HummingbirdTesting
import Testing

/// Saved audiences and questions about rules over HTTP.
struct AudienceTests {
    private static let path = "/v1/audiences"
    private static let message = #""message":{"content":{"default":{"body":"b"}}}"#

    private func register(_ server: TestServer, _ app: AppSecrets, _ place: Int, _ fields: String) async throws {
        let path = "/v1/devices/3f2504e0-4f89-41d3-9a0c-0305e82c330\(place)"
        let answer = try await server.send(.put, path, "{\(fields)}", headers: server.device(app))
        #expect(answer.status.code < 300)
    }

    @Test("An operator saves, lists, changes and deletes audiences")
    func operatesAudiences() async throws {
        try await TestServer.run { server in
            let app = try await server.makeApp().app.id
            let (admin, reader) = (try await server.makeKey(app, .admin), try await server.makeKey(app, .read))
            let body = #"{"name":"Japan","rule":{"field":"language","op":"in","value":["ja"]}}"#

            let created = try await server.send(.post, Self.path, body, key: admin)
            let made: SavedAudience = try created.decoded()
            let path = Self.path + "/\(made.id)"
            #expect(created.status == .created && created.headers[.location] == path)
            #expect(made.rule == "language in [ja]" && made.name == "Japan" && made.app == app)
            #expect(try await server.send(.get, path, key: reader).decoded(SavedAudience.self) == made)
            #expect(try await server.send(.post, Self.path, body, key: reader).problem == "missing-scope")
            #expect(try await server.send(.post, Self.path, body, key: admin).problem == "conflict")
            let second = try await server.send(.post, Self.path, #"{"name":"B","rule":"hasUser"}"#, key: admin)
            let listed = try await server.send(.get, Self.path + "?limit=1", key: reader)
            let page = try listed.decoded(Page<SavedAudience>.self)
            #expect(page.items == [made] && page.nextCursor == "\(made.id)")
            let rest = try await server.send(.get, Self.path + "?cursor=\(made.id)", key: reader)
            #expect(try rest.decoded(Page<SavedAudience>.self).items == [try second.decoded(SavedAudience.self)])

            server.clock.advance(byMilliseconds: 5)
            let changed = try await server.send(.patch, path, #"{"rule":"not hasUser"}"#, key: admin)
            let after: SavedAudience = try changed.decoded()
            #expect(after.name == "Japan" && after.rule == "not hasUser" && after.changedAt > made.changedAt)
            #expect(try await server.send(.patch, path, #"{"name":"B"}"#, key: admin).problem == "conflict")
            #expect(try await server.send(.patch, path, #"{"name":"Japan"}"#, key: admin).status == .ok)
            #expect(try await server.send(.delete, path, key: reader).problem == "missing-scope")
            #expect(try await server.send(.delete, path, key: admin).status == .noContent)
            #expect(try await server.send(.get, path, key: admin).problem == "unknown-audience")
            #expect(try await server.send(.delete, Self.path + "/x", key: admin).problem == "unknown-audience")
        }
    }

    @Test("An audience of another App does not exist")
    func keepsAppsApart() async throws {
        try await TestServer.run { server in
            let (mine, other) = (try await server.makeApp().app.id, try await server.makeApp().app.id)
            let rule = try AudienceRule(text: "hasUser")
            let theirs = try await server.engine.audiences.create(app: other, AudienceRequest(name: "a", rule: rule))
            let key = try await server.makeKey(mine, .admin, .send)
            let path = Self.path + "/\(theirs.id)"

            #expect(try await server.send(.get, path, key: key).status == .notFound)
            #expect(try await server.send(.patch, path, "{}", key: key).status == .notFound)
            #expect(try await server.send(.delete, path, key: key).status == .notFound)
            #expect(try await server.send(.get, Self.path + "?app=\(other)", key: key).status == .notFound)
            let estimate = "/v1/audience-estimate?app=\(other)"
            let all = #"{"audience":{"all":true}}"#
            #expect(try await server.send(.post, estimate, all, key: key).status == .notFound)
            let campaign = "{\"audience\":{\"saved\":\"\(theirs.id)\"},\(Self.message)}"
            #expect(try await server.send(.post, "/v1/campaigns", campaign, key: key).field == "audience.saved")
        }
    }

    @Test("A rule is parsed to both forms, or to the position of its error")
    func parses() async throws {
        try await TestServer.run { server in
            let app = try await server.makeApp().app.id
            let key = try await server.makeKey(app, .read)
            func parse(_ rule: String) async throws -> TestResponse {
                try await server.send(.post, "/v1/audience-parse", "{\"rule\":\(rule)}", key: key)
            }

            let right = try await parse(#""language=ja AND tag:ZZPP00b6""#).decoded(AudienceParseAnswer.self)
            #expect(right.text == "language = ja and tag:ZZPP00b6" && right.error == nil)
            #expect(right.tree == (try AudienceRule(text: "language = ja and tag:ZZPP00b6")))
            #expect(right.unknown == ["tag:ZZPP00b6"])
            let wrong = try await parse(#""language = ja\nand nothing""#).decoded(AudienceParseAnswer.self)
            let problem = "expected a condition, as tag:, language or attribute.age"
            #expect(wrong.error == AudienceTextError(line: 2, column: 5, problem: problem) && wrong.tree == nil)
            #expect(try await parse(#"{"not":{"flag":"x"}}"#).field == "rule.not.flag")
            #expect(try await parse(#"{"flag":"hasUser"}"#).decoded(AudienceParseAnswer.self).text == "hasUser")
        }
    }

    @Test("A campaign keeps the rule of a saved audience, and refuses a rule with unknown names")
    func campaignsKeepRules() async throws {
        try await TestServer.run { server in
            let app = try await server.makeApp().app.id
            let key = try await server.makeKey(app, .admin, .send, .read)
            let saved = try await server.send(.post, Self.path, #"{"name":"a","rule":"consent.ads"}"#, key: key)
                .decoded(SavedAudience.self)
            func create(_ audience: String) async throws -> TestResponse {
                try await server.send(
                    .post,
                    "/v1/campaigns",
                    "{\"audience\":\(audience),\"draft\":true,\(Self.message)}",
                    key: key
                )
            }

            let campaign = try await create("{\"saved\":\"\(saved.id)\"}").decoded(Campaign.self)
            #expect(campaign.audience == .rule(.term(.flag(.ads))))
            _ = try await server.send(.patch, Self.path + "/\(saved.id)", #"{"rule":"hasUser"}"#, key: key)
            let kept = try await server.send(.get, "/v1/campaigns/\(campaign.id)", key: key).decoded(Campaign.self)
            #expect(kept.audience == campaign.audience)
            #expect(try await create(#"{"rule":"not tag:ZZPP00b6"}"#).field == "audience.rule")
            #expect(try await create(#"{"rule":"opened(campaign:cmp_0fk2m9q3tw7x)"}"#).field == "audience.rule")
            #expect(try await create("{\"rule\":\"sent(campaign:\(campaign.id))\"}").status == .created)
            #expect(try await create(#"{"rule":"lastSeen"}"#).field == "audience.rule")
        }
    }

    @Test("An estimate counts Devices, and those that a message would reach")
    func estimates() async throws {
        try await TestServer.run { server in
            let app = try await server.makeApp()
            let key = try await server.makeKey(app.app.id, .read)
            let token = #""token":"\#(String(repeating: "ab", count: 31))0"#
            let consents = ["true,\"ads\":true,\"nightAds\":true", "true,\"ads\":true", "true", "false"]
            for (place, consent) in consents.enumerated() {
                let fields = "\(token)\(place)\",\"language\":\"ja-JP\",\"consent\":{\"notifications\":\(consent)}"
                try await register(server, app, place, fields)
            }
            try await register(server, app, 9, #""language":"ko","consent":{"notifications":true}"#)
            func estimate(_ audience: String) async throws -> AudienceEstimate {
                try await server.send(.post, "/v1/audience-estimate", "{\"audience\":\(audience)}", key: key).decoded()
            }

            let all = try await estimate(#"{"all":true}"#)
            #expect(all.isExact && all.devices == 5 && all.margin == 0 && all.languages == ["ja": 4, "ko": 1])
            #expect(all.reach == AudienceEstimate.Reach(notifications: 3, ads: 2, nightAds: 1, voip: 0))
            let some = try await estimate(#"{"rule":"language = ja and not consent.nightAds"}"#)
            #expect(some.devices == 3 && some.reach.notifications == 2 && some.reach.nightAds == 0)
            let listed = try await estimate(#"{"devices":["3f2504e0-4f89-41d3-9a0c-0305e82c3301"]}"#)
            #expect(listed.devices == 1 && listed.reach.ads == 1)
        }
    }
}
