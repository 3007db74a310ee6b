import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import CarillonSQL
import CarillonStore
import TestStores
import Testing

/// How the databases find the Devices of a rule: without unnecessary reads, and without sorting.
struct AudiencePlanTests {
    private func plan(_ text: String, _ channel: Campaign.Channel = .notification) async throws -> [String] {
        let rule = try AudienceRule(text: text)
        let database = try SQLiteDatabase(inMemory: .forTests)
        defer { database.close() }
        _ = try await Stores(migrating: database, now: Timestamp(rawValue: 0))
        var random = SeededGenerator(seed: 1)
        try await AudiencePopulation(count: 20, using: &random).write(into: database)
        return try await database.read { connection in
            try connection.deliveries.plan(ofReading: rule, app: AudiencePopulation.app, channel)
        }
    }

    private func isSearch(_ line: String, _ table: String, _ key: String) -> Bool {
        line.hasPrefix("SEARCH \(table) USING PRIMARY KEY (\(key)")
    }

    @Test(
        "A rule without labels scans a window of Devices, and looks up the rest by key",
        arguments: [
            "language = ja", "country = jp", #"model != "a""#, "timeZone in [Asia/Tokyo]", "consent.ads", "hasUser",
            "appVersion >= 2.10", "osVersion = 17", "lastSeen > now-30d", "registered < now", "language exists",
            "within(35.68, 139.76, 5km)", "pushType = apns", "not tag:tag00001", "not category = 2", "category = 1",
            #"user != "u-1""#, "tag:tag00001 or consent.ads",
        ]
    )
    func scansWindows(_ text: String) async throws {
        let plan = try await plan(text)
        #expect(isSearch(plan[0], "d", "app_id=? AND number>? AND number<?)"), "\(plan)")
        #expect(plan.count == 1 || plan.dropFirst().allSatisfy(isLookUp), "\(plan)")
    }

    @Test(
        "Attributes and events are looked up by key",
        arguments: [
            ("attribute.age >= 20", "x", "app_id=? AND user_id=? AND name=?)"),
            ("not attribute.plan exists", "x", "app_id=? AND user_id=? AND name=?)"),
            ("opened(campaign:cmp_00000000000z)", "x", "app_id=? AND occurrence_id=? AND device_number=? AND kind=?)"),
            ("sent(campaign:cmp_00000000000z)", "x", "app_id=? AND occurrence_id=? AND device_number=?)"),
            (
                #"clicked(campaign:cmp_00000000000z, action:"a")"#, "x",
                "app_id=? AND occurrence_id=? AND device_number=? AND kind=? AND action=?)"
            ),
        ]
    )
    func looksUp(_ text: String, _ table: String, _ key: String) async throws {
        let plan = try await plan(text)
        #expect(isSearch(plan[0], "d", "app_id=? AND number>? AND number<?)"), "\(plan)")
        #expect(plan.dropFirst().contains { isSearch($0, table, key) }, "\(plan)")
        #expect(plan.dropFirst().allSatisfy(isLookUp), "\(plan)")
    }

    @Test(
        "A required tag or category leads to its Devices in order",
        arguments: [
            ("tag:tag00001", "device_tags", "tag"),
            ("tag:tag00001 and language = ja and consent.ads", "device_tags", "tag"),
            ("language in [ja, ko] and (tag:tag00002 and not hasUser)", "device_tags", "tag"),
            (#"category.1 = "神奈川""#, "device_categories", "label"),
            ("category = 40 and not tag:tag00001", "device_categories", "label"),
        ]
    )
    func isLed(_ text: String, _ table: String, _ label: String) async throws {
        let plan = try await plan(text)
        #expect(isSearch(plan[0], table, "app_id=? AND \(label)=? AND device_number>? AND device_number<?)"), "\(plan)")
        #expect(isSearch(plan[1], "d", "app_id=? AND number=?)"), "\(plan)")
        #expect(plan.dropFirst(2).allSatisfy(isLookUp), "\(plan)")
    }

    @Test("Tags of which one must match are joined within the window")
    func joinsRuns() async throws {
        let plan = try await plan("(tag:tag00001 or tag:tag00002) and consent.ads")
        #expect(plan.filter { $0.contains("SEARCH device_tags") }.count == 2, "\(plan)")
        #expect(plan.contains { isSearch($0, "d", "app_id=? AND number=?)") }, "\(plan)")
        #expect(!plan.contains { $0.hasPrefix("SCAN d") }, "\(plan)")
    }

    @Test("Calls start from the few VoIP tokens")
    func leadsCalls() async throws {
        let plan = try await plan("consent.ads", .voip)
        #expect(isSearch(plan[0], "t", "app_id=? AND device_number>? AND device_number<?)"), "\(plan)")
        #expect(isSearch(plan[1], "d", "app_id=? AND number=?)"), "\(plan)")
        #expect(plan.count == 2)
    }

    @Test("A campaign to everybody reads one table in order")
    func readsEverybody() async throws {
        let database = try SQLiteDatabase(inMemory: .forTests)
        defer { database.close() }
        _ = try await Stores(migrating: database, now: Timestamp(rawValue: 0))
        let plans = try await database.read { connection in
            [try connection.plan(of: DeviceReader.devices), try connection.plan(of: DeviceReader.calls)]
        }
        #expect(plans[0] == ["SEARCH devices USING PRIMARY KEY (app_id=? AND number>? AND number<?)"])
        #expect(isSearch(plans[1][0], "t", "app_id=? AND device_number>? AND device_number<?)"), "\(plans)")
    }

    /// The statistics that PostgreSQL has of the tables.
    enum Knowledge: CaseIterable {
        /// None: the rows are new.
        case none
        /// Those of a few rows.
        case old
        case current
    }

    @Test(
        "PostgreSQL reads at most a window of Devices, and those of a label, with any statistics",
        .enabled(if: StoreKind.allCases.contains(.postgreSQL)),
        arguments: Knowledge.allCases
    )
    func plansOnPostgreSQL(_ knowledge: Knowledge) async throws {
        try await StoreKind.postgreSQL.withDatabase { database in
            _ = try await Stores(migrating: database, now: Timestamp(rawValue: 0))
            var random = SeededGenerator(seed: 1)
            try await AudiencePopulation(count: 20, using: &random).write(into: database)
            if knowledge == .old { try await Self.analyze(database) }
            try await Self.addMany(to: database)
            if knowledge == .current { try await Self.analyze(database) }
            for (text, index) in [
                ("language = ja and consent.ads", nil),
                ("tag:tag00001 and language = ja and consent.ads", "device_tags_pkey"),
                (#"category.1 = "神奈川" and consent.ads"#, "device_categories_pkey"),
                ("tag:tag00001 and not opened(campaign:cmp_00000000000z)", "device_tags_pkey"),
            ] {
                let rule = try AudienceRule(text: text)
                let lines = try await database.read { connection in
                    try connection.deliveries.plan(ofReading: rule, app: AudiencePopulation.app, .notification)
                }
                let plan = lines.joined(separator: "\n")
                #expect(!plan.contains("Seq Scan on device"), "\(text)\n\(plan)")
                if let index {
                    let window = "(device_number > '0'::bigint) AND (device_number <= '10000'::bigint)"
                    #expect(plan.contains(index) && plan.contains(window), "\(text)\n\(plan)")
                    let key = #/Index Cond: \(\(app_id = '7'::bigint\) AND \(number = device_\w+.device_number\)\)/#
                    #expect(plan.contains(key), "\(text)\n\(plan)")
                } else {
                    let window = "(number > '0'::bigint) AND (number <= '10000'::bigint)"
                    #expect(plan.contains("devices_pkey") && plan.contains(window), "\(text)\n\(plan)")
                }
            }
        }
    }

    private static func analyze(_ database: any Database) async throws {
        try await database.write { connection in
            try connection.execute(
                script: "ANALYZE devices; ANALYZE device_tags; ANALYZE device_categories; ANALYZE events"
            )
        }
    }

    /// Enough Devices that reading all would not be cheapest, every thousandth with the second tag.
    private static func addMany(to database: any Database) async throws {
        try await database.write { connection in
            try connection.execute(
                script: """
                    INSERT INTO devices (app_id, number, public_id, consent, push_type, token_state, registered_at,
                        created_at, token, language)
                    SELECT 7, n, decode(md5(CAST(n AS text)), 'hex'), 1, 1, 1, 0, 0, decode(md5(CAST(n AS text)), 'hex'), 'ja'
                    FROM generate_series(1000, 60000) AS n;
                    INSERT INTO device_tags (app_id, tag, device_number, facets)
                    SELECT 7, 2, n, 2569 FROM generate_series(1000, 60000, 1000) AS n;
                    INSERT INTO device_tags (app_id, tag, device_number, facets)
                    SELECT 7, 3, n, 2569 FROM generate_series(1000, 60000, 2) AS n;
                    INSERT INTO device_categories (app_id, label, device_number)
                    SELECT 7, 5, n FROM generate_series(1000, 60000, 2) AS n;
                    INSERT INTO device_categories (app_id, label, device_number)
                    SELECT 7, 4, n FROM generate_series(1000, 60000, 1000) AS n;
                    """
            )
        }
    }

    /// A row found by a whole key, or the outer plan of a subquery.
    private func isLookUp(_ line: String) -> Bool {
        line.hasPrefix("CORRELATED SCALAR SUBQUERY") || line.hasPrefix("SEARCH x USING PRIMARY KEY")
    }
}
