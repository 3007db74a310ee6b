import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import CarillonSQL
import CarillonStore
import Testing

@Suite struct InboxStoreTests {
    @Test(
        "Accepted messages are listed, newest first, lists and broadcasts in one order",
        arguments: StoreKind.allCases
    )
    func listsMessages(_ kind: StoreKind) async throws {
        try await kind.withInboxes { fixture in
            let number = try await fixture.register(1)
            try await fixture.register(2)
            let broadcast = try await fixture.send(at: 1)
            let list = try await fixture.send(to: .devices([InboxFixture.device(1)]), at: 2)
            try await fixture.send(at: 3, outcome: { $0 == number ? .failed : .accepted })
            try await fixture.send(to: .devices([InboxFixture.device(1)]), at: 4, outcome: { _ in .skipped })
            let last = try await fixture.send(at: 5)

            #expect(try await fixture.occurrences(1) == [last, list, broadcast])
            #expect(try await fixture.occurrences(2).count == 3)
            #expect(try await fixture.rowCount("SELECT count(*) FROM inbox_rows") == 1)
            #expect(try await fixture.rowCount("SELECT count(*) FROM inbox_broadcasts") == 3)
        }
    }

    @Test("Tests, silent messages and calls are in no inbox", arguments: StoreKind.allCases)
    func excludesOtherMessages(_ kind: StoreKind) async throws {
        try await kind.withInboxes { fixture in
            try await fixture.register(1)
            try await fixture.send(to: .devices([InboxFixture.device(1)]), at: 1, isTest: true)
            try await fixture.send(at: 2) { request in
                request.message = Message(content: [:])
                request.message.silent = true
            } outcome: { _ in
                .accepted
            }
            try await fixture.send(at: 3) {
                $0.channel = .voip
            } outcome: { _ in
                .accepted
            }

            #expect(try await fixture.occurrences(1).isEmpty)
        }
    }

    @Test("An inbox has a maximum age and number", arguments: StoreKind.allCases)
    func limitsInboxes(_ kind: StoreKind) async throws {
        try await kind.withInboxes { fixture in
            try await fixture.register(1)
            var sent: [OccurrenceID] = []
            for minute in 1...12 {
                let audience: Audience = minute % 3 == 0 ? .devices([InboxFixture.device(1)]) : .all
                sent.insert(try await fixture.send(to: audience, at: minute), at: 0)
            }

            let latest = try await fixture.listing(1, limit: 5)
            let recent = try await fixture.listing(1, since: sent[3])

            #expect(latest.entries.map(\.occurrence) == Array(sent[..<5]))
            #expect(recent.entries.map(\.occurrence) == Array(sent[...3]))
        }
    }

    @Test("A change of User separates the inboxes, and the User's returns", arguments: StoreKind.allCases)
    func separatesUsers(_ kind: StoreKind) async throws {
        try await kind.withInboxes { fixture in
            try await fixture.register(1, user: "ann")
            let anns = try await fixture.send(at: 1)
            try await fixture.register(1, user: "bob", at: 2)
            #expect(try await fixture.occurrences(1).isEmpty)
            let bobs = try await fixture.send(at: 3)
            #expect(try await fixture.occurrences(1) == [bobs])
            try await fixture.register(1, at: 4)
            #expect(try await fixture.occurrences(1).isEmpty)

            try await fixture.register(1, user: "ann", at: 5)

            #expect(try await fixture.occurrences(1) == [anns])
        }
    }

    @Test("A User's Devices share an inbox and read marks", arguments: StoreKind.allCases)
    func sharesInboxes(_ kind: StoreKind) async throws {
        try await kind.withInboxes { fixture in
            try await fixture.register(1, user: "ann")
            try await fixture.register(2, user: "ann")
            try await fixture.register(3, user: "bob")
            let shared = try await fixture.send(at: 1)
            let own = try await fixture.send(to: .devices([InboxFixture.device(2)]), at: 2)
            #expect(try await fixture.occurrences(1) == [own, shared])
            #expect(try await fixture.listing(1).owner == .user(UserID(rawValue: "ann")!))

            try await fixture.read(1)

            #expect(try await fixture.listing(2).entries.allSatisfy(\.isRead))
            #expect(try await fixture.listing(3).entries.map(\.isRead) == [false])
        }
    }

    @Test("In an App with open identity each Device has its own inbox", arguments: StoreKind.allCases)
    func separatesDevices(_ kind: StoreKind) async throws {
        try await kind.withInboxes(identity: .open) { fixture in
            try await fixture.register(1, user: "ann")
            try await fixture.register(2, user: "ann")
            let shared = try await fixture.send(at: 1)
            let own = try await fixture.send(to: .devices([InboxFixture.device(2)]), at: 2)
            try await fixture.read(2)

            #expect(try await fixture.listing(1).entries.map(\.isRead) == [false])
            #expect(try await fixture.occurrences(1) == [shared])
            #expect(try await fixture.listing(1).owner == .device)

            try await fixture.register(2, at: 3)
            #expect(try await fixture.occurrences(2).isEmpty)
            try await fixture.register(2, user: "ann", at: 4)
            #expect(try await fixture.occurrences(2) == [own, shared])
            #expect(try await fixture.listing(2).entries.allSatisfy(\.isRead))
        }
    }

    @Test("Messages read before a login stay read", arguments: StoreKind.allCases)
    func keepsReadMarks(_ kind: StoreKind) async throws {
        try await kind.withInboxes { fixture in
            try await fixture.register(1)
            let sent = try await fixture.send(at: 1)
            try await fixture.read(1)

            try await fixture.register(1, user: "ann", at: 2)

            #expect(try await fixture.listing(1).entries.map(\.isRead) == [true])
            #expect(try await fixture.occurrences(1) == [sent])
        }
    }

    @Test("Only the Device itself can read", arguments: StoreKind.allCases)
    func requiresTheSecret(_ kind: StoreKind) async throws {
        try await kind.withInboxes { fixture in
            try await fixture.register(1)
            func ask(_ device: UInt8, _ secret: String) async throws -> InboxAnswer {
                try await fixture.stores.inboxes.listing(
                    app: fixture.app,
                    device: InboxFixture.device(device),
                    secretHash: SecretHash(of: secret),
                    since: OccurrenceID(rawValue: 0),
                    limit: 100
                )
            }

            #expect(try await ask(1, "guess") == .refused)
            #expect(try await ask(2, "secret") == .unknown)
        }
    }

    @Test(
        "Erasing deletes events, rows and read marks of one Device, or of all the User's",
        arguments: StoreKind.allCases
    )
    func erases(_ kind: StoreKind) async throws {
        try await kind.withInboxes { fixture in
            let numbers = [
                try await fixture.register(1, user: "ann"), try await fixture.register(2, user: "ann"),
                try await fixture.register(3),
            ]
            let sent = try await fixture.send(at: 1)
            let all = (1...3).map { InboxFixture.device($0) }
            try await fixture.send(to: .devices(all), at: 2)
            try await fixture.read(1)
            try await fixture.read(3)
            let events = numbers.map { number in
                EventRow(occurrence: sent, device: number, kind: .opened, action: "", reply: nil, at: fixture.start)
            }
            _ = try await fixture.stores.events.record(
                app: fixture.app,
                events,
                at: Timestamp(rawValue: 1_700_000_000_000)
            )
            func erase(_ device: UInt8, user: String?) async throws {
                var position: OccurrenceID?
                repeat {
                    position = try await fixture.stores.inboxes.erase(
                        app: fixture.app,
                        device: InboxFixture.device(device),
                        user: user.flatMap(UserID.init(rawValue:)),
                        after: position
                    )
                } while position != nil
            }

            try await erase(3, user: nil)
            #expect(try await fixture.rowCount("SELECT count(*) FROM events") == 2)
            #expect(try await fixture.rowCount("SELECT count(*) FROM inbox_rows") == 2)
            #expect(try await fixture.rowCount("SELECT count(*) FROM device_reads") == 0)
            #expect(try await fixture.rowCount("SELECT count(*) FROM user_reads") == 2)
            try await erase(1, user: "ann")
            #expect(try await fixture.rowCount("SELECT count(*) FROM events") == 0)
            #expect(try await fixture.rowCount("SELECT count(*) FROM inbox_rows") == 0)
            #expect(try await fixture.rowCount("SELECT count(*) FROM user_reads") == 0)
            #expect(try await fixture.rowCount("SELECT count FROM event_counts") == 3)
        }
    }

    @Test("The newest thousand of many broadcasts are read") func limitsBroadcasts() async throws {
        try await StoreKind.sqliteInMemory.withInboxes { fixture in
            try await fixture.register(1)
            let sent = try await fixture.send(at: 1)
            func addOthers(_ numbers: ClosedRange<Int64>) async throws {
                _ = try await fixture.database.write { [app = fixture.app] connection in
                    for number in numbers {
                        try connection.run(
                            "INSERT INTO inbox_broadcasts (app_id, occurrence_id, last_device) VALUES ($1, $2, 1000)",
                            app,
                            sent.rawValue + number
                        )
                    }
                }
            }

            try await addOthers(1...999)
            #expect(try await fixture.occurrences(1) == [sent])
            try await addOthers(1_000...1_000)
            #expect(try await fixture.occurrences(1).isEmpty)
        }
    }

    @Test("Erasing continues from part to part") func erasesInParts() async throws {
        try await StoreKind.sqliteInMemory.withInboxes { fixture in
            // Forty numbers of one User limit a part to fifty Occurrences.
            for device in 1...40 { try await fixture.register(UInt8(device), user: "ann") }
            let number = try await fixture.number(40)
            for minute in 1...120 {
                let sent = try await fixture.send(at: minute, isTest: true)
                let event = EventRow(
                    occurrence: sent,
                    device: number,
                    kind: .received,
                    action: "",
                    reply: nil,
                    at: fixture.start
                )
                _ = try await fixture.stores.events.record(
                    app: fixture.app,
                    [event],
                    at: Timestamp(rawValue: 1_700_000_000_000)
                )
            }
            var left: [Int] = []
            var position: OccurrenceID?

            repeat {
                position = try await fixture.stores.inboxes.erase(
                    app: fixture.app,
                    device: InboxFixture.device(1),
                    user: UserID(rawValue: "ann"),
                    after: position
                )
                left.append(try await fixture.rowCount("SELECT count(*) FROM events"))
            } while position != nil

            #expect(left == [70, 20, 0])
        }
    }

    @Test("No query of an inbox scans a table or sorts") func usesIndexes() async throws {
        try await StoreKind.sqliteInMemory.withInboxes { fixture in
            let plans = try await fixture.database.read { connection in
                var plans: [[String]] = []
                for sql in InboxSQL.reading { plans.append(try connection.plan(of: sql)) }
                return plans
            }

            // An index by the App alone would scan all rows of the App.
            #expect(
                plans == [
                    [
                        "SEARCH d USING INDEX devices_by_public_id (app_id=? AND public_id=?)",
                        "SEARCH a USING PRIMARY KEY (id=?)",
                    ],
                    ["SEARCH devices USING COVERING INDEX devices_by_user (app_id=? AND user_id=?)"],
                    [Self.former],
                    ["CO-ROUTINE latest", Self.former, "SCAN latest"],
                    [
                        "SCAN n VIRTUAL TABLE INDEX 1:",
                        "SEARCH i USING PRIMARY KEY (app_id=? AND device_number=? AND occurrence_id=?)",
                        "CORRELATED LIST SUBQUERY 1",
                        "SEARCH x USING PRIMARY KEY (app_id=? AND device_number=? AND occurrence_id>?)",
                    ],
                    [
                        "SEARCH b USING PRIMARY KEY (app_id=? AND occurrence_id>? AND occurrence_id<?)",
                        "CORRELATED SCALAR SUBQUERY 2",
                        "SEARCH d USING PRIMARY KEY (app_id=? AND occurrence_id=? AND device_number=?)",
                    ] + Self.list,
                    ["SEARCH user_reads USING PRIMARY KEY (app_id=? AND user_id=? AND occurrence_id=?)"] + Self.list,
                    [
                        "SCAN n VIRTUAL TABLE INDEX 1:",
                        "SEARCH r USING PRIMARY KEY (app_id=? AND device_number=? AND occurrence_id=?)",
                    ] + Self.list,
                    [
                        "SCAN n VIRTUAL TABLE INDEX 1:", "SEARCH o USING PRIMARY KEY (app_id=? AND id=?)",
                        "SEARCH c USING PRIMARY KEY (app_id=? AND id=?)",
                    ],
                    [
                        "COMPOUND QUERY", "LEFT-MOST SUBQUERY",
                        "SEARCH devices USING COVERING INDEX devices_by_public_id (app_id=? AND public_id=?)",
                        "UNION ALL",
                        "SEARCH former_device_numbers USING COVERING INDEX former_device_numbers_by_public_id"
                            + " (app_id=? AND public_id=?)",
                    ],
                    [
                        "COMPOUND QUERY", "LEFT-MOST SUBQUERY",
                        "SEARCH devices USING COVERING INDEX devices_by_user (app_id=? AND user_id=?)", "UNION ALL",
                        Self.former, "UNION ALL",
                        "SEARCH deleted_devices USING COVERING INDEX deleted_devices_by_user (app_id=? AND user_id=?)",
                    ],
                    ["SEARCH occurrences USING PRIMARY KEY (app_id=? AND id>?)"],
                    [
                        "SCAN o VIRTUAL TABLE INDEX 1:", "SCAN n VIRTUAL TABLE INDEX 1:",
                        "CORRELATED SCALAR SUBQUERY 1",
                        "SEARCH e USING PRIMARY KEY (app_id=? AND occurrence_id=? AND device_number=?)",
                    ],
                ]
            )
        }
    }

    private static let list = ["LIST SUBQUERY 1", "SCAN json_each VIRTUAL TABLE INDEX 1:"]
    private static let former =
        "SEARCH former_device_numbers USING COVERING INDEX former_device_numbers_by_user (app_id=? AND user_id=?)"
}
