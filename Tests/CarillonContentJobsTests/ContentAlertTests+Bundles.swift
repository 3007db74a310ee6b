import CarillonContentJobs
import CarillonContentSets
import CarillonEngine
import CarillonModel
import CarillonSQL
import CarillonStore
import Foundation
import Testing

/// Bundles that do not fit, and what they do not stop.
extension ContentAlertTests {
    /// Bundles rows of a User for a time that is over, whether the table has them or not.
    private func bundle(_ rows: [String], for user: String, _ world: AlertWorld, table: String = "places") async throws
    {
        let (app, due) = (world.jobs.app, world.jobs.time.wall)
        try await world.jobs.database.write { connection in
            for row in rows {
                try connection.run(
                    """
                    INSERT INTO content_bundles (app_id, set_name, table_name, due_at, user_id, name)
                    VALUES ($1, 'places', $2, $3, $4, $5)
                    """,
                    app,
                    table,
                    due,
                    user,
                    row
                )
            }
        }
    }

    private func bundledCount(_ world: AlertWorld) async throws -> Int? {
        try await world.jobs.database.read { connection in
            try connection.first("SELECT count(*) FROM content_bundles", as: Int.self)
        }
    }

    @Test("A paused alert sends no bundles, and none of them later") func pausedBundles() async throws {
        try await withAlert { world in
            try await world.load("0,Old,x,,,\n1,A,x,,,\n")
            await world.tell()
            try await bundle(["1"], for: "ann", world)
            var settings = ContentAlertSettings(template: "\(world.template)")
            settings.isActive = false
            _ = try await world.jobs.services.follows.putAlert("places", of: "places", app: world.jobs.app, settings)
            await world.tell()
            #expect(try await world.told() == [])
            #expect(try await bundledCount(world) == 0)
        }
    }

    @Test("A User with more rows than are read at once stops nobody, and gets them in parts") func manyRows()
        async throws
    {
        try await withAlert("{{recipient.name}}") { world in
            try await world.load("0,Old,x,,,\n1,A,x,,,\nz,Z,x,,,\n")
            await world.tell()
            // Between the two rows that are there are more than are read together.
            try await bundle(["1", "z"] + (0..<20_000).map { "r\($0)" }, for: "ann", world)
            try await bundle(["1"], for: "bob", world)
            // Bundles of a table without an alert go, and delay no others.
            try await bundle(["1"], for: "ann", world, table: "other")
            try await world.follow("cat", #"{"user":"cat"}"#)
            try await world.load("0,Old,x,,,\n1,A,x,,,\nz,Z,x,,,\n9,New,x,,,\n")
            await world.tell()
            #expect(try await world.told().sorted() == ["ann A", "ann Z", "bob A", "cat New"])
            #expect(try await bundledCount(world) == 0)
        }
    }

    @Test("What came of an alert is changed as it is stored, not as it was read") func states() async throws {
        try await withAlert { world in
            let follows = world.jobs.stores.contentFollows
            let read = try #require(try await follows.alert("places", of: "places", app: world.jobs.app))
            let (now, later) = (world.jobs.time.wall, world.jobs.time.wall.advanced(by: .seconds(1)))
            try await follows.updateState(of: read) { $0.fail("x", .rows(slot: 1), at: now) }
            try await follows.updateState(of: read) { $0.succeed(.rows(slot: 1), at: later) }
            let stored = try #require(try await follows.alert("places", of: "places", app: world.jobs.app))
            #expect(stored.state.problem == "x" && stored.state.campaignAt == later)
        }
    }

    private func state(_ world: AlertWorld) async throws -> ContentAlert.State {
        try await world.jobs.services.follows.alert("places", of: "places", app: world.jobs.app).state
    }

    @Test("A refused Campaign is shown as a sentence until all of a later import goes out") func problem()
        async throws
    {
        try await withAlert("{{recipient.city}}") { world in
            try await world.follow("ann", #"{"user":"ann"}"#)
            let failedAt = world.jobs.time.wall
            try await world.load("0,Old,x,,,\n1,A,,,,\n2,B,y,,,\n3,C,y,,,\n")
            let alerts = world.alerts { $0.rowsAtOnce = 1 }
            // The row after it goes out, later.
            while await alerts.sendSome() { world.jobs.time.advance(by: .seconds(1)) }
            let problem = try #require(try await state(world).problem)
            #expect(problem.hasPrefix("The Campaign is refused: ") && problem.hasSuffix("."))
            #expect(try await state(world).problemAt == failedAt)
            let sentAt = try #require(try await state(world).campaignAt)
            #expect(sentAt > failedAt)

            // An import without anything to send says nothing of it.
            world.jobs.time.advance(by: .seconds(1))
            try await world.jobs.services.follows.delete("ann", of: "places", app: world.jobs.app)
            try await world.load("4,D,y,,,\n")
            await world.tell()
            #expect(try await state(world).problem == problem)

            try await world.follow("bob", #"{"user":"bob"}"#)
            try await world.load("4,D,y,,,\n5,E,y,,,\n")
            await world.tell()
            #expect(try await world.told().count == 3)
            let after = try await state(world)
            #expect(after.problem == nil && after.problemAt == nil)
        }
    }

    @Test("What bundles fail of stays while alerts about single rows go out, and the other way round")
    func problemsOfBundles() async throws {
        try await withAlert("{{recipient.name}}", bundle: "{{recipient.city}}") { world in
            try await world.follow("ann", #"{"user":"ann","isBundled":true}"#)
            try await world.follow("bob", #"{"user":"bob"}"#)
            try await world.load("0,Old,x,,,\n1,A,,,,\n")
            world.jobs.time.advance(by: .seconds(86_400 / 2))
            await world.tell()
            world.jobs.time.advance(by: .seconds(86_400))
            await world.tell()
            let problem = try #require(try await state(world).problem)
            world.jobs.time.advance(by: .seconds(1))
            try await world.load("0,Old,x,,,\n1,A,,,,\n2,B,y,,,\n")
            await world.tell()
            #expect(try await world.told() == ["bob A", "bob B"])
            #expect(try await state(world).problem == problem)
            // The bundle with the second row goes out whole.
            world.jobs.time.advance(by: .seconds(86_400))
            await world.tell()
            #expect(try await world.told().count == 3)
            #expect(try await state(world).problem == nil)
        }
    }

    @Test("A state that was stored before problems were told apart is read") func storedState() throws {
        let text = #"{"campaignAt":"2026-11-26T00:00:00.000Z","problem":"x","problemAt":"2026-11-25T00:00:00.000Z"}"#
        let state = try JSONDecoder().decode(ContentAlert.State.self, from: Data(text.utf8))
        #expect(state.problem == "x" && state.problemAt == Timestamp("2026-11-25T00:00:00.000Z"))
        #expect(state.campaignAt == Timestamp("2026-11-26T00:00:00.000Z"))
        var ended = try JSONDecoder().decode(ContentAlert.State.self, from: JSONEncoder().encode(state))
        #expect(ended == state)
        ended.succeed(.rows(slot: 7), at: Timestamp(rawValue: 1))
        ended.end(.rows(slot: 7))
        #expect(ended.problem == nil)
    }

    @Test("A follow of a value that is named twice is saved") func sameValueTwice() async throws {
        try await withAlert { world in
            try await world.follow("ann", #"{"user":"ann","where":{"id":["1","1"]}}"#)
            try await world.load("0,Old,x,,,\n1,A,x,,,\n")
            await world.tell()
            #expect(try await world.told() == ["ann A"])
        }
    }
}
