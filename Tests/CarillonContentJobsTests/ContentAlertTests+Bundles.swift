import CarillonContentJobs
import CarillonContentSets
import CarillonEngine
import CarillonModel
import CarillonSQL
import CarillonStore
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
            try await follows.updateState(of: read) { ($0.problem, $0.problemAt) = ("x", now) }
            try await follows.updateState(of: read) { $0.campaignAt = later }
            let stored = try #require(try await follows.alert("places", of: "places", app: world.jobs.app))
            #expect(stored.state.problem == "x" && stored.state.campaignAt == later)
        }
    }

    @Test("A refused Campaign is shown as a sentence, and one of another row does not hide it") func problem()
        async throws
    {
        try await withAlert("{{recipient.city}}") { world in
            try await world.follow("ann", #"{"user":"ann"}"#)
            try await world.load("0,Old,x,,,\n1,A,,,,\n2,B,y,,,\n")
            await world.tell()
            let alert = try await world.jobs.services.follows.alert("places", of: "places", app: world.jobs.app)
            let problem = try #require(alert.state.problem)
            #expect(problem.hasPrefix("The Campaign is refused: ") && problem.hasSuffix("."))
            #expect(alert.state.campaignAt == world.jobs.time.wall)
        }
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
