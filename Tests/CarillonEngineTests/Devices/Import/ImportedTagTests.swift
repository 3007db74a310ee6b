import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import CarillonSQL
import CarillonStore
import Foundation
import Testing

/// Tags that are saved before their Devices.
@Suite struct ImportedTagTests {
    private func text(_ users: Range<Int>) -> String {
        let lines = users.map { "\(String(format: "%064x", $0)),u\($0),even\($0 % 2) third\($0 % 3) even\($0 % 2)" }
        return "token,user,tags\n" + lines.joined(separator: "\n")
    }

    private func importText(
        _ registry: Registry,
        _ app: AppID,
        _ text: String,
        isAlone: Bool = false
    ) async throws -> ImportCounts {
        var options = DeviceImport.Options()
        (options.windowSize, options.batchSize, options.isAlone) = (50, 7, isAlone)
        var devices = DeviceImport(
            app: app,
            store: registry.stores.deviceImports,
            tags: registry.stores.tags,
            attributes: registry.stores.attributes,
            clock: registry.clock,
            options: options
        ) { line, problem in Issue.record("\(line) \(problem)") }
        try await devices.read(Array(text.utf8))
        return try await devices.finish()
    }

    /// The number of tags, of tags without a Device, and of open windows.
    private func rest(_ registry: Registry) async throws -> [Int] {
        try await registry.database.read { connection in
            try connection.all(
                """
                SELECT count(*) FROM device_tags
                UNION ALL SELECT count(*) FROM device_tags t WHERE NOT EXISTS (
                    SELECT 1 FROM devices d WHERE d.app_id = t.app_id AND d.number = t.device_number)
                UNION ALL SELECT count(*) FROM import_windows
                """
            ) { row in row.int(0) }
        }
    }

    @Test("Each Device has its line's tags once, also an existing one") func importsTags() async throws {
        let registry = try await Registry()
        let app = try await registry.app().app.id
        #expect(try await importText(registry, app, text(0..<30)).added == 30)

        let counts = try await importText(registry, app, text(20..<120))

        #expect((counts.added, counts.replaced) == (90, 10))
        #expect(try await rest(registry) == [240, 0, 0])
    }

    @Test("Each tag has the facets of its Device", arguments: [false, true])
    func storesFacets(_ isAlone: Bool) async throws {
        let registry = try await Registry()
        let app = try await registry.app().app.id
        func line(_ number: Int, _ language: String) -> String {
            "\(String(format: "%064x", number)),u\(number),\(language),\(number % 2 == 0 ? "JP" : ""),\(number % 3 == 0),a b"
        }
        let languages = ["ja-JP", "KO_kr", "", "x-y"]
        // The last lines repeat some of the first.
        let lines = (0..<120).map { line($0, languages[$0 % 4]) } + (0..<9).map { line($0 * 11, "en") }
        let header = "token,user,language,country,consent_ads,tags\n"

        let counts = try await importText(registry, app, header + lines.joined(separator: "\n"), isAlone: isAlone)

        #expect((counts.added, counts.replaced) == (120, 9))
        let rows = try await registry.database.read { connection in
            try connection.all(
                """
                SELECT t.facets, d.consent, d.language, d.country FROM device_tags t
                JOIN devices d ON d.app_id = t.app_id AND d.number = t.device_number
                """
            ) { row in
                let consent = ConsentBits(rawValue: UInt8(row.int64(1)))
                let language = row.optionalString(2)
                return (
                    stored: row.int64(0), language: language,
                    facets: DeviceFacets(consent: consent, language: language, country: row.optionalString(3))
                )
            }
        }
        #expect(rows.count == 240)
        #expect(rows.count { $0.language == "en" } == 18)
        #expect(rows.allSatisfy { $0.stored == $0.facets.rawValue })
    }

    @Test("Tags of Devices that were never imported are removed when the store is opened")
    func removesLeftovers() async throws {
        let registry = try await Registry()
        let app = try await registry.app().app.id
        #expect(try await importText(registry, app, text(0..<10)).added == 10)
        let tag: Int64 = try #require(try await registry.stores.tags.number(named: "even0", app: app))
        _ = try await registry.database.write { connection in
            try connection.run(
                "INSERT INTO import_windows (app_id, first_number, last_number) VALUES ($1, 0, 1000002)",
                app
            )
            for number in [1_000_000, 1_000_002, 1_000_003] {
                try connection.run(
                    "INSERT INTO device_tags (app_id, tag, device_number, facets) VALUES ($1, $2, $3, 0)",
                    app,
                    tag,
                    Int64(number)
                )
            }
        }
        #expect(try await rest(registry) == [23, 3, 1])

        _ = try await Stores(migrating: registry.database, now: registry.clock.now())

        #expect(try await rest(registry) == [21, 1, 0], "What is not of the window is somebody else's.")
    }

    @Test("An aborted window leaves nothing") func abortsWindows() async throws {
        let registry = try await Registry()
        // On other stores they are saved with their Devices.
        guard registry.stores.deviceImports.takesTagsFirst else { return }
        let app = try await registry.app().app.id
        #expect(try await importText(registry, app, text(0..<10)).added == 10)
        let imports = registry.stores.deviceImports
        let first = try #require(try await imports.beginWindow(1, app: app))
        let tag: Int64 = try #require(try await registry.stores.tags.number(named: "third2", app: app))
        let facets = DeviceFacets(rawValue: 0)
        try await imports.importTags([ImportedTag(tag: tag, device: first, facets: facets)], app: app)

        try await imports.endWindow(first, app: app, isWhole: false)

        #expect(try await rest(registry) == [20, 0, 0])
    }
}
