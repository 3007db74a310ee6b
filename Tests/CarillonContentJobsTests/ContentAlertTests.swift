import CarillonContentJobs
import CarillonContentSets
import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import CarillonSQL
import CarillonStore
import Foundation
import Testing

/// Alerts about new rows.
@Suite(.timeLimit(.minutes(5)))
struct ContentAlertTests {
    static let header = "id,name,city,tags,latitude,longitude\n"

    struct AlertWorld {
        let jobs: JobWorld
        let template: TemplateID

        func load(_ rows: String) async throws {
            let text = Array((ContentAlertTests.header + rows).utf8)
            _ = try await jobs.services.sets.importFile(text, .csv, table: nil, into: "places", app: jobs.app)
        }

        func follow(_ name: String, _ json: String) async throws {
            let request = try JSONDecoder().decode(ContentFollowRequest.self, from: Data(json.utf8))
            _ = try await jobs.services.follows.put(name, of: "places", app: jobs.app, request)
        }

        func alerts(_ change: (inout ContentAlerts.Options) -> Void = { _ in }) -> ContentAlerts {
            var options = ContentAlerts.Options()
            change(&options)
            return ContentAlerts(
                options: options,
                store: jobs.stores.contentFollows,
                sets: jobs.services.sets,
                campaigns: jobs.engine.campaigns,
                clock: jobs.time,
                timer: jobs.time,
                figures: jobs.services.figures,
                logger: JobWorld.logger
            )
        }

        /// Tells all that is to be told.
        func tell(_ change: (inout ContentAlerts.Options) -> Void = { _ in }) async {
            let alerts = alerts(change)
            while await alerts.sendSome() {}
        }

        /// Whom Campaigns are for, with the values of each, as `user name`.
        func told() async throws -> [String] {
            // A read that holds the world may be the last to do so, and would close the database that it reads.
            let app = jobs.app
            return try await jobs.database.read { connection in
                try connection.all(
                    "SELECT user_id, texts FROM campaign_recipients WHERE app_id = $1 ORDER BY campaign_id, user_id LIMIT 1000",
                    app
                ) { row in
                    let values = try? JSONDecoder().decode([String: String].self, from: Data(row.string(1).utf8))
                    return "\(row.string(0)) \(values?["name"] ?? "")" + (values?["count"].map { " \($0)" } ?? "")
                }
            }
        }
    }

    func withAlert(
        _ texts: String = "{{recipient.name}}",
        bundle: String? = nil,
        _ test: (AlertWorld) async throws -> Void
    ) async throws {
        let jobs = try await JobWorld()
        try await jobs.definePlaces()
        _ = try await jobs.stores.apps.setPushKey(
            jobs.app,
            keyID: "k",
            teamID: "t",
            sealedPrivateKey: [1],
            at: jobs.time.wall
        )
        let body = { (text: String) in Message(content: [Message.defaultLanguage: LocalizedContent(body: text)]) }
        let template = try await jobs.engine.templates.create(
            app: jobs.app,
            TemplateRequest(name: "new", message: body(texts)),
            for: nil
        ).id
        var settings = ContentAlertSettings(template: "\(template)")
        if let bundle {
            let other = TemplateRequest(name: "bundle", message: body(bundle))
            settings.bundleTemplate = "\(try await jobs.engine.templates.create(app: jobs.app, other, for: nil).id)"
        }
        _ = try await jobs.services.follows.putAlert("places", of: "places", app: jobs.app, settings)
        let world = AlertWorld(jobs: jobs, template: template)
        try await world.load("0,Old,x,,,\n")
        await world.tell()
        #expect(try await world.told() == [])
        try await test(world)
    }

    @Test("New rows are told to those whose conditions all fit, with the row's fields, once") func fits() async throws {
        try await withAlert { world in
            try await world.follow("ann", #"{"user":"ann","where":{"city":"台北市"}}"#)
            try await world.follow("bob", #"{"user":"bob","where":{"city":["高雄市"],"tags":["jazz"]}}"#)
            try await world.follow("cat", #"{"user":"cat","words":"音樂"}"#)
            try await world.follow("dan", #"{"user":"dan","near":{"latitude":22.63,"longitude":120.3},"radius":3000}"#)
            try await world.follow("eve", #"{"user":"eve"}"#)
            try await world.follow("eve-too", #"{"user":"eve","words":"音樂","where":{"city":"高雄市"}}"#)
            try await world.follow("fay", #"{"user":"fay","where":{"id":"2"}}"#)
            let rows = "0,Old,x,,,\n1,音樂會,高雄市,jazz;rock,22.6264,120.3173\n2,Museum,台北市,art,25.03,121.56\n"
            try await world.load(rows)
            await world.tell()
            #expect(
                try await world.told() == [
                    "bob 音樂會", "cat 音樂會", "dan 音樂會", "eve 音樂會", "ann Museum", "eve Museum", "fay Museum",
                ]
            )
            // A changed row is no new one, and one that was gone for a while is none either.
            try await world.load("0,Old,x,,,\n1,音樂會!,高雄市,jazz,,\n")
            try await world.load(rows)
            await world.tell()
            #expect(try await world.told().count == 7)
            try await world.load("1,音樂會,高雄市,jazz,,\n2,Museum,台北市,art,,\n")
            try await world.load(rows)
            await world.tell()
            #expect(try await world.told().count == 7)
            #expect(world.jobs.services.figures.values.alertCampaigns == 2)
        }
    }

    @Test("A node that dies between two Campaigns leaves nobody out and tells nobody twice") func resumed() async throws
    {
        try await withAlert { world in
            for number in 10..<35 { try await world.follow("f\(number)", #"{"user":"u\#(number)"}"#) }
            try await world.load("0,Old,x,,,\n1,A,x,,,\n2,B,x,,,\n")
            let store = world.jobs.stores.contentFollows
            // The first node makes one Campaign of ten recipients, as a dying one that has a claim.
            let now = world.jobs.time.wall
            let run = try #require(try await store.claimRun(as: 7, at: now, until: now.advanced(by: .seconds(120))))
            #expect(await !world.alerts().sendSome())
            let users = (10..<20).compactMap { UserID(rawValue: "u\($0)") }
            let all = (10..<35).map { "u\($0)" }
            world.jobs.time.advance(by: .seconds(121))
            // A second node takes over in steps of ten, and the first one's late Campaign is refused.
            let second = world.alerts { ($0.recipients, $0.rowsAtOnce) = (10, 1) }
            #expect(await second.sendSome())
            let request = try await world.request(to: users)
            let step = ContentAlertStep(
                set: "places",
                table: "places",
                progress: .run(slot: run.slot, claim: 7, number: 1, userHash: 0, follow: 0)
            )
            await #expect(throws: EngineError.self) {
                try await world.jobs.engine.campaigns.create(app: world.jobs.app, request, advancing: step)
            }
            while await second.sendSome() {}
            let told = try await world.told()
            #expect(told.filter { $0.hasSuffix(" A") }.map { String($0.dropLast(2)) }.sorted() == all)
            #expect(told.filter { $0.hasSuffix(" B") }.map { String($0.dropLast(2)) }.sorted() == all)
            #expect(world.jobs.services.figures.values.alertCampaigns == 6)
        }
    }

    @Test("Bundled rows go out together at their time of day, without those that are gone") func bundles() async throws
    {
        try await withAlert("{{recipient.name}}", bundle: "{{recipient.name}}: {{recipient.count}}") { world in
            try await world.follow("ann", #"{"user":"ann","isBundled":true}"#)
            try await world.follow("bob", #"{"user":"bob","isBundled":true,"where":{"city":"y"}}"#)
            // One who wants it at once as well gets it at once.
            try await world.follow("cat", #"{"user":"cat","isBundled":true}"#)
            try await world.follow("cat-now", #"{"user":"cat","where":{"city":"y"}}"#)
            try await world.load("0,Old,x,,,\n1,A,x,,,\n2,B,y,,,\n3,C,x,,,\n")
            await world.tell()
            #expect(try await world.told() == ["cat B"])
            try await world.load("0,Old,x,,,\n1,A,x,,,\n2,B,y,,,\n")
            // The clock began at midnight UTC; bundles go out at nine.
            world.jobs.time.advance(by: .seconds(9 * 3_600 - 1))
            await world.tell()
            #expect(try await world.told().count == 1)
            world.jobs.time.advance(by: .seconds(1))
            await world.tell()
            #expect(try await world.told() == ["cat B", "ann A 2", "bob B 1", "cat A 1"])
            await world.tell()
            #expect(try await world.told().count == 4)
        }
    }

    @Test("An audience gets a Campaign of its own") func audience() async throws {
        try await withAlert { world in
            try await world.follow("all", #"{"audience":{"all":true},"where":{"city":"y"}}"#)
            try await world.load("0,Old,x,,,\n1,A,x,,,\n2,B,y,,,\n")
            await world.tell()
            let page = try await world.jobs.engine.campaigns.list(app: world.jobs.app, after: nil, limit: 10)
            #expect(page.items.map(\.audience) == [.all])
            #expect(page.items.first?.message.content[Message.defaultLanguage]?.body == "B")
            #expect(try await world.told() == [])
        }
    }

    @Test("What a template cannot say is told loudly, and the rows after it go out") func refused() async throws {
        try await withAlert("{{recipient.city}}") { world in
            try await world.follow("ann", #"{"user":"ann"}"#)
            try await world.load("0,Old,x,,,\n1,A,,,,\n2,B,y,,,\n")
            await world.tell()
            #expect(try await world.told().count == 1)
            let figures = world.jobs.services.figures.values
            #expect(figures.alertCampaigns == 1 && figures.alertFailures == 1)
        }
    }

    @Test("More new rows than a thousand are no news") func flood() async throws {
        try await withAlert { world in
            try await world.follow("ann", #"{"user":"ann"}"#)
            let many = (1...1_001).map { "\($0),N,x,,,\n" }.joined()
            try await world.load("0,Old,x,,,\n" + many)
            await world.tell()
            #expect(try await world.told() == [])
        }
    }

    @Test("A deleted set or follow tells nobody") func deleted() async throws {
        try await withAlert { world in
            try await world.follow("ann", #"{"user":"ann"}"#)
            try await world.follow("bob", #"{"user":"bob"}"#)
            try await world.jobs.services.follows.delete("ann", of: "places", app: world.jobs.app)
            try await world.load("0,Old,x,,,\n1,A,x,,,\n")
            await world.tell()
            #expect(try await world.told() == ["bob A"])
            try await world.load("0,Old,x,,,\n1,A,x,,,\n2,B,x,,,\n")
            try await world.jobs.services.sets.delete("places", app: world.jobs.app)
            await world.tell()
            #expect(try await world.told() == ["bob A"])
            let left = try await world.jobs.database.read { connection in
                try connection.first("SELECT count(*) FROM content_follow_keys", as: Int.self)
            }
            #expect(left == 0)
        }
    }
}

extension ContentAlertTests.AlertWorld {
    fileprivate func request(to users: [UserID]) async throws -> CampaignRequest {
        var request = CampaignRequest(
            audience: .users(users),
            message: Message(content: [Message.defaultLanguage: LocalizedContent(body: "late")])
        )
        request.recipients = users.map { CampaignRecipient(user: $0) }
        return request
    }
}
