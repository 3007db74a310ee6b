import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import CarillonSQL
import CarillonStore
import Foundation
import Testing

/// Labels that operators define and Devices report.
@Suite struct CategoryTests {
    private func world() async throws -> (Registry, AppID) {
        let registry = try await Registry()
        return (registry, try await registry.app().app.id)
    }

    private func list(_ registry: Registry, _ app: AppID, defined: Bool? = nil) async throws -> [CategoryLabel] {
        try await registry.engine.categories.list(app: app, isDefined: defined, limit: 200).items
    }

    /// The error of an App's count of reported labels.
    private func uncounted(_ registry: Registry, _ app: AppID) async throws -> [Int] {
        try await registry.database.read { connection in
            try connection.all(
                """
                SELECT told_label_count, (SELECT count(*) FROM category_labels l
                    WHERE l.app_id = $1 AND l.is_defined = 0) FROM apps WHERE id = $1
                """,
                app
            ) { $0.int(0) - $0.int(1) }
        }
    }

    @Test("C-09 C-11 a Device is in each label that it reported, and leaves those it no longer reports")
    func follows() async throws {
        let (registry, app) = try await world()
        let phone = Person(registry: registry, app: app)
        try await phone.register(nil) { $0.categories = .list(["1", "4", "9"]) }
        #expect(try await list(registry, app).map(\.label) == ["1", "4", "9"])
        #expect(try await list(registry, app).map(\.devices) == [1, 1, 1])

        try await phone.register(nil) { $0.categories = .list(["4", "5"]) }
        #expect(try await list(registry, app).map(\.devices) == [0, 1, 1, 0])
        #expect(try await list(registry, app).map(\.label) == ["1", "4", "5", "9"])

        // Another User gives the Device another number; its labels move along.
        try await phone.register("u1") { $0.categories = .list(["4"]) }
        try await phone.register("u2") { $0.categories = .list(["4"]) }
        #expect(try await list(registry, app).map(\.devices) == [0, 1, 0, 0])
        try await registry.devices.delete(app: app, device: phone.device, secret: phone.secret)
        #expect(try await list(registry, app).map(\.devices) == [0, 0, 0, 0])
    }

    @Test("C-08 a Device without a category needs no row, and is in category 1")
    func standard() async throws {
        let (registry, app) = try await world()
        let phone = Person(registry: registry, app: app)

        try await phone.register("u1")

        #expect(try await phone.record().categories == .standard)
        #expect(try await list(registry, app).isEmpty)
    }

    @Test("C-10 labels of dimensions have titles, and undefined ones are listed as such")
    func defines() async throws {
        let (registry, app) = try await world()
        let categories = registry.engine.categories
        let request = CategoryRequest(dimension: "地域", label: "神奈川", title: "Kanagawa")
        let defined = try await categories.define(request, app: app)
        #expect(defined.isDefined)
        #expect(defined.title == "Kanagawa")
        let phone = Person(registry: registry, app: app)

        try await phone.register(nil) { $0.categories = .dimensions(["地域": ["神奈川", "千葉"], "sex": ["f"]]) }

        #expect(try await list(registry, app, defined: true).map(\.label) == ["神奈川"])
        #expect(try await list(registry, app, defined: true).map(\.devices) == [1])
        let undefined = try await list(registry, app, defined: false)
        #expect(undefined.map { "\($0.dimension ?? "") \($0.label) \($0.devices)" } == ["sex f 1", "地域 千葉 1"])

        _ = try await categories.define(CategoryRequest(dimension: "sex", label: "f"), app: app)
        #expect(try await list(registry, app, defined: false).map(\.label) == ["千葉"])
    }

    @Test("S1-M2 labels invented by Devices do not use up the operators' limit, and are counted without a scan")
    func boundsToldLabels() async throws {
        let (registry, app) = try await world()
        let categories = registry.engine.categories
        let phone = Person(registry: registry, app: app)
        try await phone.register(nil) { $0.categories = .list(["a", "b", "c"]) }
        _ = try await categories.define(CategoryRequest(label: "a"), app: app)
        _ = try await categories.define(CategoryRequest(label: "a", title: "A"), app: app)
        _ = try await categories.define(CategoryRequest(label: "x"), app: app)
        try await categories.undefine(CategoryName(dimension: "", label: "a"), app: app)
        try await categories.undefine(CategoryName(dimension: "", label: "x"), app: app)
        #expect(try await uncounted(registry, app) == [0])

        _ = try await registry.database.write { connection in
            try connection.run("UPDATE apps SET told_label_count = 10000 WHERE id = $1", app)
        }
        try await phone.register(nil) { $0.categories = .list(["a", "d", "e"]) }
        #expect(try await phone.record().categories == .list(["a", "d", "e"]))
        #expect(try await list(registry, app).map(\.label) == ["a", "b", "c"])
        #expect(try await categories.define(CategoryRequest(label: "d"), app: app).isDefined)
    }

    @Test("S2-4 an erasure deletes labels that no Device reports any more, and no others")
    func erasesEmptyLabels() async throws {
        let (registry, app) = try await world()
        let phone = Person(registry: registry, app: app)
        try await phone.register("u1") { $0.categories = .list(["before", "shared"]) }
        try await phone.register("u1") { $0.categories = .list(["mine", "shared"]) }
        try await Person(registry: registry, app: app).register("u2") { $0.categories = .list(["shared", "theirs"]) }
        let other = try await registry.app().app.id
        let elsewhere = Person(registry: registry, app: other)
        try await elsewhere.register("u1") { $0.categories = .list(["mine"]) }
        try await registry.devices.delete(app: other, device: elsewhere.device, secret: elsewhere.secret)
        _ = try await registry.engine.categories.define(CategoryRequest(label: "defined"), app: app)
        try await registry.devices.delete(app: app, device: phone.device, secret: phone.secret)
        #expect(try await list(registry, app).map(\.label) == ["before", "defined", "mine", "shared", "theirs"])

        let users = Users(store: registry.stores.users, apps: registry.apps, clock: registry.clock)
        try await users.erase(try #require(UserID(rawValue: "u1")), app: app)

        #expect(try await list(registry, app).map(\.label) == ["defined", "shared", "theirs"])
        #expect(try await list(registry, other).map(\.label) == ["mine"])
        #expect(try await uncounted(registry, app) == [0])
    }

    @Test("A label stays after its definition was removed while Devices are in it") func keepsUsedLabels() async throws
    {
        let (registry, app) = try await world()
        let categories = registry.engine.categories
        let (used, unused) = (CategoryName(dimension: "", label: "a"), CategoryName(dimension: "", label: "b"))
        for name in [used, unused] { _ = try await categories.define(CategoryRequest(label: name.label), app: app) }
        try await Person(registry: registry, app: app).register(nil) { $0.categories = .list(["a"]) }

        try await categories.undefine(used, app: app)
        try await categories.undefine(unused, app: app)

        #expect(try await list(registry, app).map(\.label) == ["a"])
        #expect(try await list(registry, app).map(\.isDefined) == [false])
        await #expect(throws: EngineError.notFound(.category)) { try await categories.undefine(used, app: app) }
    }

    @Test("Labels are paged in order") func pagesLabels() async throws {
        let (registry, app) = try await world()
        for dimension in [nil, "a", "b"] {
            for label in ["x", "y", "z"] {
                let request = CategoryRequest(dimension: dimension, label: label)
                _ = try await registry.engine.categories.define(request, app: app)
            }
        }

        var (seen, cursor): ([String], String?) = ([], nil)
        repeat {
            let page = try await registry.engine.categories.list(
                app: app,
                after: cursor.flatMap(CategoryName.init(cursor:)),
                limit: 2
            )
            seen += page.items.map { ($0.dimension ?? "-") + $0.label }
            cursor = page.nextCursor
        } while cursor != nil
        #expect(seen == ["-x", "-y", "-z", "ax", "ay", "az", "bx", "by", "bz"])
    }
}
