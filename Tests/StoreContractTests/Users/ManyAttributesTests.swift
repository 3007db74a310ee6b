import CarillonEngine
import CarillonModel
import Testing

@testable import CarillonStore

/// Attributes of many Users at once, as imports write them.
@Suite struct ManyAttributesTests {
    private static let app = AppID(rawValue: 7)

    private static func user(_ name: String) throws -> UserID { try #require(UserID(rawValue: name)) }

    /// Attributes named `a` and a number, as many.
    private static func many(_ count: Int, from first: Int = 0) -> UserAttributes {
        UserAttributes(
            attributes: Dictionary(uniqueKeysWithValues: (first..<(first + count)).map { ("a\($0)", .integer(1)) })
        )
    }

    private func withAttributes(_ kind: StoreKind, _ body: (any AttributeStore) async throws -> Void) async throws {
        try await kind.withRecordedDatabase { database, _ in
            try await body(try await Stores(migrating: database, now: Timestamp(rawValue: 1)).attributes)
        }
    }

    @Test("Users without attributes get those of the change, without its nulls", arguments: StoreKind.allCases)
    func addsToNewUsers(_ kind: StoreKind) async throws {
        try await withAttributes(kind) { store in
            let (first, second) = (try Self.user("a"), try Self.user("Ω"))
            let given: [String: JSONValue] = ["n": .number(0.5), "t": .string(""), "w": .integer(3), "f": .bool(false)]
            let results = try await store.apply(
                [
                    first: UserAttributes(attributes: given.merging(["x": .null]) { $1 }),
                    second: UserAttributes(attributes: ["y": .null]),
                ],
                app: Self.app,
                isBulk: true
            )

            #expect(results[first] == .success(UserAttributes(attributes: given)))
            #expect(try await store.attributes(of: first, app: Self.app).attributes == given)
            #expect(try await store.attributes(of: second, app: Self.app).attributes.isEmpty)
        }
    }

    @Test("Users between others who have attributes keep what the change does not name", arguments: StoreKind.allCases)
    func mergesWithKnownUsers(_ kind: StoreKind) async throws {
        try await withAttributes(kind) { store in
            let (low, middle, high) = (try Self.user("a"), try Self.user("m"), try Self.user("z"))
            let known = UserAttributes(attributes: ["kept": .bool(true), "old": .integer(1), "gone": .integer(1)])
            _ = try await store.apply([middle: known], app: Self.app, isBulk: true)
            // What another App has does not count.
            _ = try await store.apply([low: known], app: AppID(rawValue: 8), isBulk: true)
            let change = UserAttributes(attributes: ["old": .integer(2), "gone": .null])

            let changes = [low: change, middle: change, high: change]
            let results = try await store.apply(changes, app: Self.app, isBulk: true)

            let merged = UserAttributes(attributes: ["kept": .bool(true), "old": .integer(2)])
            #expect(results[middle] == .success(merged))
            #expect(try await store.attributes(of: middle, app: Self.app) == merged)
            for user in [low, high] {
                #expect(try await store.attributes(of: user, app: Self.app).attributes == ["old": .integer(2)])
            }
        }
    }

    @Test("A User who would have too many keeps those that they had", arguments: StoreKind.allCases)
    func refusesTooMany(_ kind: StoreKind) async throws {
        try await withAttributes(kind) { store in
            let (new, known) = (try Self.user("a"), try Self.user("b"))
            func isRefused(_ changes: [UserID: UserAttributes], _ user: UserID) async throws -> Bool {
                let results = try await store.apply(changes, app: Self.app, isBulk: true)
                return if case .failure = results[user] { true } else { false }
            }
            #expect(try await isRefused([new: Self.many(65)], new))
            #expect(try await store.attributes(of: new, app: Self.app).attributes.isEmpty)
            #expect(try await !isRefused([known: Self.many(64)], known))
            #expect(try await isRefused([new: Self.many(1), known: Self.many(1, from: 64)], known))
            #expect(try await store.attributes(of: known, app: Self.app) == Self.many(64))
            #expect(try await store.attributes(of: new, app: Self.app) == Self.many(1))
        }
    }
}
