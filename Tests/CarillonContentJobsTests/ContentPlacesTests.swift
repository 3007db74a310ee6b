import CarillonContentSets
import CarillonEngine
import CarillonModel
import CarillonStore
import NIOConcurrencyHelpers
import Testing

@testable import CarillonContentJobs

/// Sources that are fetched beside each other.
@Suite(.timeLimit(.minutes(1)))
struct ContentPlacesTests {
    /// Answers what ends with `hang` only when its task is cancelled.
    private final class HangingFetcher: ContentFetcher {
        let begun = NIOLockedValueBox<[String]>([])
        let (fetches, continuation) = AsyncStream.makeStream(of: String.self)

        func objection(to url: String) -> String? { nil }

        func fetch(_ fetch: ContentFetch) async -> ContentFetchAnswer {
            begun.withLockedValue { $0.append(fetch.url) }
            continuation.yield(fetch.url)
            guard fetch.url.hasSuffix("hang") else { return .failed("It is down.") }
            let (never, waiting) = AsyncStream.makeStream(of: Void.self)
            for await _ in never {}
            withExtendedLifetime(waiting) {}
            return .failed("It hangs.")
        }
    }

    @Test("M-78 Sources that hang hold up no other ones, of their App or of others") func hanging() async throws {
        let (world, fetcher) = (try await JobWorld(), HangingFetcher())
        try await world.definePlaces()
        let tables = ["a", "b", "c", "d"].map { ContentTable($0, key: "id", [ContentField("id", .text)]) }
        let definition = ContentSetDefinition(title: "S", tables: tables)
        _ = try await world.services.sets.put("slow", definition, app: world.app)
        func put(_ name: String, _ format: ContentSourceFormat, _ set: String, table: String? = nil) async throws {
            var request = ContentSourceRequest(format, url: "https://example.com/\(name)")
            request.table = table
            _ = try await world.services.sources.put(name, of: set, app: world.app, request)
        }
        try await put("a-hang", .csv, "slow", table: "a")
        world.time.advance(by: .seconds(1))
        try await put("d", .csv, "slow", table: "d")
        try await put("live", .gtfsRealtime, "places")
        let node = ContentImports(
            store: world.stores.contentSources,
            reader: ContentSourceReader(
                sets: world.services.sets,
                fetcher: fetcher,
                vault: world.engine.context.vault,
                clock: world.time,
                timer: world.time
            ),
            clock: world.time,
            timer: world.time,
            figures: world.services.figures,
            logger: JobWorld.logger
        )
        await withTaskGroup(of: Void.self) { group in
            group.addTask { try? await node.run() }
            var seen: Set<String> = []
            for await url in fetcher.fetches {
                seen.insert(url.split(separator: "/").last.map(String.init) ?? "")
                if seen.count == 3 { break }
            }
            #expect(seen == ["a-hang", "d", "live"])
            group.cancelAll()
        }
        // None was fetched twice at once.
        #expect(fetcher.begun.withLockedValue { Set($0).count == $0.count })
    }

    private func waiting(
        _ app: Int,
        _ name: String,
        live: Bool = false,
        failing: Bool = false
    ) -> WaitingContentSource {
        WaitingContentSource(
            DueContentSource(app: AppID(rawValue: Int64(app)), set: "s", name: name),
            isRealtime: live,
            isFailing: failing
        )
    }

    @Test("A node has places for files and for real-time data, an App a part of them") func places() {
        var places = ContentFetchPlaces()
        (places.files, places.realtime) = (.init(node: 3, app: 2), .init(node: 1, app: 1))
        let files = [(1, "a"), (1, "a"), (1, "b"), (1, "c"), (2, "a"), (3, "a")]
        let acquired = files.map { places.acquire(waiting($0.0, $0.1)) }
        #expect(acquired == [true, false, true, false, true, false])
        #expect(!places.isFull)
        let live = [1, 2].map { places.acquire(waiting($0, "live", live: true)) }
        #expect(live == [true, false])
        #expect(places.isFull)
        places.release(waiting(1, "b").source)
        let later = places.acquire(waiting(3, "a"))
        #expect(later)
    }

    @Test("What failed the last time takes at most half of the places") func failing() {
        var places = ContentFetchPlaces()
        places.files = .init(node: 4, app: 4)
        let failing = [(1, "a"), (1, "b"), (1, "c"), (2, "a")].map { app, name in
            places.acquire(waiting(app, name, failing: true))
        }
        #expect(failing == [true, true, false, false])
        let others = [places.acquire(waiting(1, "d")), places.acquire(waiting(2, "b"))]
        #expect(others == [true, true])
    }

    @Test("Files are imported in turn, one of an App, and who is cancelled goes without") func turns() async {
        let turns = ImportTurns(limit: 1)
        let order = NIOLockedValueBox<[String]>([])
        let (gate, opener) = AsyncStream.makeStream(of: Void.self)
        let (entries, entered) = AsyncStream.makeStream(of: Void.self)
        await withTaskGroup(of: Void.self) { group in
            group.addTask {
                _ = await turns.run(AppID(rawValue: 1)) {
                    entered.yield()
                    for await _ in gate { break }
                    order.withLockedValue { $0.append("first") }
                }
            }
            for await _ in entries { break }
            let cancelled = Task { await turns.run(AppID(rawValue: 2)) { "never" } }
            cancelled.cancel()
            let never = await cancelled.value
            #expect(never == nil)
            group.addTask {
                _ = await turns.run(AppID(rawValue: 1)) { order.withLockedValue { $0.append("second") } }
            }
            opener.yield()
        }
        #expect(order.withLockedValue { $0 } == ["first", "second"])
    }
}
