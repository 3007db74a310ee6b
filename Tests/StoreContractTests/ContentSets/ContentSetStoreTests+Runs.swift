import CarillonContentSets
import CarillonEngine
import CarillonModel
import CarillonSQL
import NIOConcurrencyHelpers
import Testing

@testable import CarillonStore

/// Imports that are cut off, and several at once, on both databases.
extension ContentSetStoreTests {
    /// Sets on a world's store with a clock that a test moves.
    private func sets(_ world: World, at time: NIOLockedValueBox<Timestamp>) -> ContentSets {
        let ids = NIOLockedValueBox<Int64>(100)
        let next: @Sendable () -> Int64 = {
            ids.withLockedValue {
                $0 += 1
                return $0
            }
        }
        return ContentSets(store: world.stores.contentSets, nextID: next, now: { time.withLockedValue { $0 } })
    }

    @Test(
        "M-78 An import whose server died is shown as cut off when its heartbeat is old",
        arguments: StoreKind.allCases
    )
    func lostRun(_ kind: StoreKind) async throws {
        try await withSets(kind) { world in
            let time = NIOLockedValueBox(now)
            let sets = sets(world, at: time)
            let lost = ContentImportRun(id: .init(rawValue: 7), format: .csv, table: "places", startedAt: now)
            #expect(try await world.stores.contentSets.begin(lost, of: "places", app: app, at: now) == nil)
            func shown() async throws -> ContentImportRun? {
                try await sets.runs(of: "places", app: app, before: nil, limit: 10).items.last
            }
            time.withLockedValue { $0 = now.advanced(by: .seconds(29)) }
            #expect(try await shown()?.state == .running)
            time.withLockedValue { $0 = now.advanced(by: .seconds(30)) }
            let run = try #require(try await shown())
            #expect(run.state == .failed)
            #expect(run.endedAt == now)
            #expect(run.problems == ["The import was cut off: its server ended before it. Nothing of it is there."])
        }
    }

    @Test(
        "A table is filled by one import at a time, and a second one names the first",
        arguments: StoreKind.allCases
    )
    func twoImports(_ kind: StoreKind) async throws {
        try await withSets(kind) { world in
            let (time, store) = (NIOLockedValueBox(now), world.stores.contentSets)
            let sets = sets(world, at: time)
            let first = ContentImportRun(id: .init(rawValue: 7), format: .csv, table: "places", startedAt: now)
            #expect(try await store.begin(first, of: "places", app: app, at: now) == nil)
            let file = Array("id,name\n1,A\n".utf8)
            func load() async throws(ContentSetError) -> ContentImportRun {
                try await sets.importFile(file, .csv, table: nil, into: "places", app: app)
            }
            do throws(ContentSetError) {
                _ = try await load()
                Issue.record("The second import began.")
            } catch {
                guard case .conflict(let text) = error else { throw error }
                #expect(text.hasPrefix("The import \(first.id) has filled the same table since"))
            }
            #expect(try await sets.runs(of: "places", app: app, before: nil, limit: 10).items.map(\.id) == [first.id])
            // Another table of the set is free, and so is a source's that was claimed anew.
            let other = ContentImportRun(id: .init(rawValue: 8), format: .csv, table: "others", startedAt: now)
            #expect(try await store.begin(other, of: "places", app: app, at: now) == nil)
            let sourced = { (id: Int64) in
                ContentImportRun(id: .init(rawValue: id), format: .csv, table: "third", source: "feed", startedAt: now)
            }
            #expect(try await store.begin(sourced(9), of: "places", app: app, at: now) == nil)
            #expect(try await store.begin(sourced(10), of: "places", app: app, at: now) == nil)
            // A heartbeat keeps it alive; without one it counts as cut off.
            time.withLockedValue { $0 = now.advanced(by: .seconds(29)) }
            var alive = first
            alive.heartbeatAt = now.advanced(by: .seconds(29))
            #expect(try await store.save(alive, of: "places", app: app))
            time.withLockedValue { $0 = now.advanced(by: .seconds(58)) }
            await #expect(throws: ContentSetError.self) { try await load() }
            time.withLockedValue { $0 = now.advanced(by: .seconds(59)) }
            let run = try await load()
            #expect(run.state == .completed)
            #expect(run.heartbeatAt == nil)
        }
    }

    @Test(
        "An import of a set that is deleted is gone with it, and a new set of the name is free",
        arguments: StoreKind.allCases
    )
    func deletedSet(_ kind: StoreKind) async throws {
        try await withSets(kind) { world in
            let store = world.stores.contentSets
            let run = ContentImportRun(id: .init(rawValue: 7), format: .csv, table: "places", startedAt: now)
            #expect(try await store.begin(run, of: "places", app: app, at: now) == nil)
            try await world.sets.delete("places", app: app)
            #expect(try await !store.save(run, of: "places", app: app))
            // One that has found the set before it was deleted.
            let late = ContentImportRun(id: .init(rawValue: 8), format: .csv, table: "places", startedAt: now)
            #expect(try await store.begin(late, of: "places", app: app, at: now) == nil)
            #expect(try await world.count("SELECT count(*) FROM content_runs") == 0)
            _ = try await world.sets.put("places", definition, app: app)
            #expect(try await world.load(Self.rows).state == .completed)
        }
    }

    @Test("A running import outlasts many short ones of another table", arguments: StoreKind.allCases)
    func longRun(_ kind: StoreKind) async throws {
        try await withSets(kind) { world in
            let store = world.stores.contentSets
            let long = ContentImportRun(id: .init(rawValue: 1), format: .csv, table: "places", startedAt: now)
            #expect(try await store.begin(long, of: "places", app: app, at: now) == nil)
            for id in Int64(2)...60 {
                var run = ContentImportRun(id: .init(rawValue: id), format: .csv, table: "others", startedAt: now)
                #expect(try await store.begin(run, of: "places", app: app, at: now) == nil)
                run.state = .completed
                #expect(try await store.save(run, of: "places", app: app))
            }
            #expect(try await world.count("SELECT count(*) FROM content_runs") == 51)
            #expect(try await store.save(long, of: "places", app: app))
            let second = ContentImportRun(id: .init(rawValue: 61), format: .csv, table: "places", startedAt: now)
            let other = try await store.begin(second, of: "places", app: app, at: now)
            #expect(other == long)
        }
    }

    @Test(
        "M-78 An import that is cancelled at any of its steps leaves nothing and says so",
        arguments: StoreKind.allCases
    )
    func cancelled(_ kind: StoreKind) async throws {
        try await withSets(kind) { world in
            try await world.load(Self.rows)
            let slot = try await world.sets.set("places", app: app).versions["places"]?.slot
            // Each step looks at the clock; the last look that may cancel is the one before the version is published.
            for step in 2...5 {
                let (looks, ids) = (NIOLockedValueBox(0), NIOLockedValueBox(Int64(100 * step)))
                let now = now
                let sets = ContentSets(
                    store: world.stores.contentSets,
                    nextID: { ids.withLockedValue { $0 } },
                    now: {
                        let look = looks.withLockedValue { looks in
                            looks += 1
                            return looks
                        }
                        if look == step { withUnsafeCurrentTask { $0?.cancel() } }
                        return now
                    }
                )
                let error = await Task { () async -> ContentSetError? in
                    do throws(ContentSetError) {
                        let file = Array("id,name\n9,Z\n".utf8)
                        _ = try await sets.importFile(file, .csv, table: nil, into: "places", app: app)
                        return nil
                    } catch {
                        return error
                    }
                }.value
                guard case .store(.unavailable) = error else {
                    Issue.record("Step \(step) ended with \(String(describing: error)).")
                    continue
                }
                let run = try #require(
                    try await world.sets.runs(of: "places", app: app, before: nil, limit: 1).items.first
                )
                #expect(run.state == .failed)
                #expect(run.problems.last == "The import was cut off: the server ended. Nothing of it is there.")
                #expect(try await world.sets.set("places", app: app).versions["places"]?.slot == slot)
                #expect(try await world.ids().count == 4)
            }
        }
    }

    @Test(
        "Many due sources of an App hide neither its real-time ones nor those of others",
        arguments: StoreKind.allCases
    )
    func dueSources(_ kind: StoreKind) async throws {
        try await withSets(kind) { world in
            let store = world.stores.contentSources
            for set in ["places", "second"] {
                _ = try await world.sets.put(set, definition, app: app)
                for number in 0..<6 {
                    let request = ContentSourceRequest(.csv, url: "https://example.com/\(number)")
                    let source = ContentSource(app: app, set: set, name: "s\(number)", request: request)
                    _ = try await store.put(source, secret: .remove, at: now)
                }
            }
            let later = now.advanced(by: .seconds(60))
            let live = ContentSource(
                app: app,
                set: "places",
                name: "live",
                request: ContentSourceRequest(.gtfsRealtime, url: "https://example.com/live")
            )
            _ = try await store.put(live, secret: .remove, at: later)
            var buses = ContentSourceRequest(.tdxArrivals)
            buses.city = "Kaohsiung"
            let arrivals = ContentSource(app: app, set: "second", name: "arrivals", request: buses)
            _ = try await store.put(arrivals, secret: .remove, at: later)
            _ = try await world.sets.put("places", definition, app: AppID(rawValue: 78))
            let request = ContentSourceRequest(.csv, url: "https://example.com/")
            let other = ContentSource(app: AppID(rawValue: 78), set: "places", name: "other", request: request)
            _ = try await store.put(other, secret: .remove, at: later)

            let due = try await store.dueSources(at: later, appLimit: 4, limit: 200)
            #expect(due.count == 7)
            #expect(due.prefix(4).allSatisfy { $0.source.app == app && !$0.isRealtime && !$0.isFailing })
            #expect(Set(due.filter(\.isRealtime).map(\.source.name)) == ["live", "arrivals"])
            #expect(due.contains { $0.source.name == "other" })
            #expect(try await store.dueSources(at: later, appLimit: 4, limit: 3).count == 3)
        }
    }
}
