import CarillonContentSets
import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import CarillonSQL
import Foundation
import NIOConcurrencyHelpers
import StoreErrors
import Testing

@testable import CarillonStore

/// Files that people attach to rows of content sets, on both databases.
struct ContentAttachmentStoreTests {
    fileprivate struct World {
        let stores: Stores
        let sets: ContentSets
        let attachments: ContentAttachments
        let app: AppID
        let now: Timestamp
        let user: UserID

        func place(_ row: String, _ user: UserID? = nil) -> ContentAttachments.Place {
            ContentAttachments.Place(app: app, set: "places", table: "places", row: row, user: user ?? self.user)
        }

        @discardableResult
        func attach(_ row: String, _ files: [[UInt8]], by user: UserID? = nil) async throws -> [ContentAttachment] {
            let files = files.enumerated().map { ContentAttachments.File(name: "f\($0).png", bytes: $1) }
            return try await attachments.attach(files, kind: 3, title: nil, to: place(row, user))
        }

        func load(_ rows: String) async throws {
            let file = Array(("id,name\n" + rows).utf8)
            _ = try await sets.importFile(file, .csv, table: nil, into: "places", app: app)
        }

        func list(_ filter: ContentAttachmentFilter = .init()) async throws -> [ContentAttachment] {
            try await attachments.list(of: "places", app: app, filter).items
        }

        func bytes(_ attachment: ContentAttachment) async throws -> [UInt8] {
            var (bytes, number): ([UInt8], Int) = ([], 0)
            while let part = try await attachments.part(number, of: attachment) {
                bytes += part
                number += 1
            }
            return bytes
        }

        func count(_ statement: SQL) async throws -> Int {
            try await stores.database.read { connection in try connection.first(statement, as: Int.self) } ?? 0
        }

        func partCount() async throws -> Int { try await count("SELECT count(*) FROM content_attachment_parts") }

        func error(_ body: () async throws -> Void) async -> ContentSetError? {
            do {
                try await body()
                return nil
            } catch { return error as? ContentSetError }
        }

        func addAccount(_ user: String) async throws -> UserID {
            let user = try #require(UserID(rawValue: user))
            let account = StoredAccount(
                user: user,
                name: nil,
                displayName: "A",
                password: nil,
                createdAt: now
            )
            let done = try await stores.accounts.insert(
                account,
                app: app,
                token: nil,
                activation: nil,
                staleBefore: now
            )
            #expect(done == .done)
            return user
        }
    }

    private static let definition = {
        var table = ContentTable("places", key: "id", [ContentField("id", .text), ContentField("name", .text)])
        table.takesAttachments = true
        return ContentSetDefinition(title: "Places", tables: [table])
    }()

    private func run(_ kind: StoreKind, _ body: (World) async throws -> Void) async throws {
        let (app, now) = (AppID(rawValue: 77), Timestamp(rawValue: 1_800_000_000_000))
        try await kind.withDatabase { database in
            let stores = try await Stores(migrating: database, now: now)
            let request = AppRequest(name: "A", bundleID: "com.example.a")
            let secrets = SealedAppSecrets(keyHash: SecretHash(of: "k"), identitySecret: [1], receiptKey: [2])
            try await stores.apps.insert(
                StoredApp(app: App(id: app, request: request, createdAt: now), secrets: secrets)
            )
            let ids = NIOLockedValueBox<Int64>(0)
            let next: @Sendable () -> Int64 = {
                ids.withLockedValue {
                    $0 += 1
                    return $0
                }
            }
            let sets = ContentSets(store: stores.contentSets, nextID: next, now: { now })
            let attachments = ContentAttachments(
                store: stores.contentAttachments,
                sets: sets,
                nextID: next,
                now: { now }
            )
            _ = try await sets.put("places", Self.definition, app: app)
            let user = try #require(UserID(rawValue: "ann"))
            let world = World(
                stores: stores,
                sets: sets,
                attachments: attachments,
                app: app,
                now: now,
                user: user
            )
            _ = try await world.addAccount("ann")
            try await world.load("1,A\n2,B\n")
            try await body(world)
        }
    }

    @Test("M-88 Files are stored in parts, listed by row and User, and deleted", arguments: StoreKind.allCases)
    func wholeWay(_ kind: StoreKind) async throws {
        try await run(kind) { world in
            let large = (0..<400_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
            let first = try await world.attach("1", [large, [1]])
            let bob = try await world.addAccount("bob")
            try await world.attach("2", [Array("%PDF-1".utf8)], by: bob)
            #expect(first.map(\.size) == [400_000, 1] && first.map(\.name) == ["f0.png", "f1.png"])
            #expect(try await world.partCount() == 6)
            #expect(try await world.bytes(first[0]) == large)
            #expect(try await world.bytes(first[1]) == [1])

            let all = try await world.list()
            #expect(all.map(\.row) == ["2", "1", "1"] && all.first?.mediaType == "application/pdf")
            #expect(Array(all.reversed().prefix(2)) == first)
            #expect(try await world.list(.init(row: "2")).map(\.user) == [bob])
            #expect(try await world.list(.init(user: world.user)).count == 2)
            #expect(try await world.list(.init(table: "others")).isEmpty)
            let page = try await world.attachments.list(of: "places", app: world.app, limit: 2)
            let cursor = try #require(page.nextCursor.flatMap { ContentAttachmentID($0) })
            let rest = try await world.attachments.list(of: "places", app: world.app, before: cursor)
            #expect(page.items + rest.items == all && rest.nextCursor == nil)

            try await world.attachments.delete(first[0].id, of: "places", app: world.app)
            #expect(try await world.partCount() == 2)
            let gone = await world.error {
                try await world.attachments.delete(first[0].id, of: "places", app: world.app)
            }
            #expect(gone == .noAttachment)
            let foreign = await world.error {
                _ = try await world.attachments.attachment(first[1].id, app: AppID(rawValue: 78))
            }
            #expect(foreign == .noAttachment)
        }
    }

    @Test("M-88 Nothing is attached to what is not there, nor where none is taken", arguments: StoreKind.allCases)
    func refused(_ kind: StoreKind) async throws {
        try await run(kind) { world in
            let nobody = try #require(UserID(rawValue: "nobody"))
            for (row, user, expected) in [
                ("3", world.user, ContentSetError.noRow), ("1\0", world.user, .noRow), ("", world.user, .noRow),
                ("1", nobody, .noAccount),
            ] {
                let error = await world.error { try await world.attach(row, [[1]], by: user) }
                #expect(error == expected)
            }
            for files in [[], [[]], [[1], [2], [3], [4]], [[UInt8](repeating: 0, count: 1_000_001)]] as [[[UInt8]]] {
                guard case .invalid? = await world.error({ try await world.attach("1", files) }) else {
                    Issue.record("\(files.count) files were taken.")
                    continue
                }
            }
            let kept = try await world.attach("1", [[1]])
            var definition = Self.definition
            definition.tables[0].takesAttachments = false
            _ = try await world.sets.put("places", definition, app: world.app)
            let on = await world.error { try await world.attach("1", [[1]]) }
            #expect(on == .noAttachments)
            let off = await world.error { _ = try await world.attachments.attachment(kept[0].id, app: world.app) }
            #expect(off == .noAttachments)
            // Operators see what is there all the same.
            #expect(try await world.list() == kept)
        }
    }

    @Test("An account and an App have a bounded number of files and bytes", arguments: StoreKind.allCases)
    func bounds(_ kind: StoreKind) async throws {
        try await run(kind) { world in
            let some = [UInt8](repeating: 7, count: 10)
            for _ in 0..<33 { try await world.attach("1", [some, some, some]) }
            let tooMany = await world.error { try await world.attach("1", [some, some]) }
            #expect(tooMany == .tooMany("attachments of the account", limit: 100))
            #expect(try await world.list(.init()).count == 50)
            try await world.attach("1", [some])
            // Sizes count as they are stored.
            let bob = try await world.addAccount("bob")
            try await world.attach("1", [some], by: bob)
            try await world.set(size: 19_999_995, of: bob)
            guard case .conflict(let account)? = await world.error({ try await world.attach("1", [some], by: bob) })
            else {
                Issue.record("There is no bound of an account's bytes.")
                return
            }
            #expect(account.contains("20000000"))
            try await world.set(size: 999_999_000, of: bob)
            let eve = try await world.addAccount("eve")
            guard case .conflict(let app)? = await world.error({ try await world.attach("1", [some], by: eve) }) else {
                Issue.record("There is no bound of an App's bytes.")
                return
            }
            #expect(app.contains("1000000000"))
        }
    }

    @Test("An attachment goes with its row, once no version that is read has it", arguments: StoreKind.allCases)
    func rows(_ kind: StoreKind) async throws {
        try await run(kind) { world in
            for row in ["1", "2"] { for _ in 0..<3 { try await world.attach(row, [[1], [2]]) } }
            // The last version is there for cursors, and a row may come back.
            try await world.load("2,B\n")
            #expect(try await world.list().count == 12)
            try await world.load("1,A\n2,C\n")
            #expect(try await world.list().count == 12)
            try await world.load("2,D\n")
            #expect(try await world.list().count == 12)
            try await world.load("2,E\n")
            #expect(Set(try await world.list().map(\.row)) == ["2"])
            #expect(try await world.partCount() == 6)
        }
    }

    @Test("Attachments go with their content set; one of the same name begins without", arguments: StoreKind.allCases)
    func sets(_ kind: StoreKind) async throws {
        try await run(kind) { world in
            for _ in 0..<5 { try await world.attach("1", [[1], [2]]) }
            try await world.sets.delete("places", app: world.app)
            #expect(try await world.partCount() == 0)
            _ = try await world.sets.put("places", Self.definition, app: world.app)
            try await world.load("1,A\n")
            #expect(try await world.list().isEmpty)
        }
    }

    @Test("Once an erasure has begun no file of the User is taken, and all of them go", arguments: StoreKind.allCases)
    func erasure(_ kind: StoreKind) async throws {
        try await run(kind) { world in
            let bob = try await world.addAccount("bob")
            try await world.attach("1", [[1]])
            try await world.attach("1", [[2]], by: bob)
            let users = world.stores.users
            let erasure = try await users.beginErasure(of: world.user, app: world.app, at: world.now)
            let late = await world.error { try await world.attach("1", [[3]]) }
            #expect(late == .noAccount)
            try await users.eraseProfile(of: world.user, app: world.app)
            #expect(try await users.eraseRest(of: erasure))
            #expect(try await world.list().map(\.user) == [bob])
            #expect(try await world.partCount() == 1)
        }
    }
}

extension ContentAttachmentStoreTests.World {
    /// Makes a stored file as large as a real one that nobody wants to write in a test.
    fileprivate func set(size: Int, of user: UserID) async throws {
        _ = try await stores.database.write { connection in
            try connection.run(
                "UPDATE content_attachments SET size = $1 WHERE app_id = $2 AND user_id = $3",
                size,
                app,
                user
            )
        }
    }
}
