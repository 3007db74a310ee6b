import CarillonContentSets
import CarillonModel
import NIOConcurrencyHelpers
import Testing

@testable import CarillonStore

/// How much a page near a point reads.
struct NearReadingTests {
    /// Places along a meridian, ten metres apart, that count what is asked of them.
    private final class Places: ContentPlaceSource {
        typealias Failure = Never

        private let count: Int
        let read = NIOLockedValueBox(0)
        let documented = NIOLockedValueBox(0)

        init(_ count: Int) { self.count = count }

        func firstRadius(of near: ContentQuery.Near, needed: Int) -> Double { min(near.radius, 250) }

        func places(
            in box: ContentBox,
            within radius: Double,
            of center: ContentPosition,
            needed: Int
        ) -> [FoundPlace] {
            let found = (0..<count).map { FoundPlace(number: Int64($0), distance: Double($0) * 10) }
                .filter { $0.distance <= radius }
            read.withLockedValue { $0 += found.count }
            return found
        }

        func documents(of places: ArraySlice<FoundPlace>) -> [String?] {
            documented.withLockedValue { $0 += places.count }
            return places.map { "\($0.number)" }
        }
    }

    private let table = ContentTable("places", key: "id", [ContentField("id", .text), ContentField("at", .position)])

    private func page(_ number: Int, of size: Int = 10, total: Int? = nil, _ source: Places) throws -> ContentPage {
        var query = ContentQuery()
        (query.part, query.limit) = (.page(number), size)
        let version = ContentSet.Version(slot: 1, table: table, rowCount: 1, importedAt: Timestamp(rawValue: 0))
        let place = try #require(ContentPosition(latitude: 10, longitude: 10))
        let reading = NearReading(query: query, version: version, source: source)
        return reading.page(near: .init(place, radius: 200_000), total: total)
    }

    @Test("M-58 A page near a point has the nearest rows and the total, of which it reads no more than pages may have")
    func firstPage() throws {
        let few = Places(25)
        let page = try self.page(3, few)
        #expect(page.items.map(\.document) == ["20", "21", "22", "23", "24"] && page.total == 25)

        let many = Places(30_000)
        let first = try self.page(1, many)
        #expect(first.items.map(\.document) == (0..<10).map(String.init))
        #expect(first.total == ContentQuery.maximumOffset)
        // The last circle may have twice as many as are needed, and those within it were read before.
        #expect(many.read.withLockedValue { $0 } <= 4 * ContentQuery.maximumOffset + 100)
        #expect(many.documented.withLockedValue { $0 } == 10)
    }

    @Test("M-58 Once the total is known a page reads what it needs; pages end after 10,000 rows")
    func furtherPages() throws {
        let source = Places(30_000)
        let second = try page(2, total: 10_000, source)
        #expect(second.items.map(\.document) == (10..<20).map(String.init) && second.total == 10_000)
        #expect(source.read.withLockedValue { $0 } <= 100)
        let last = try page(51, of: 200, total: 10_000, source)
        #expect(last.items.isEmpty && last.total == 10_000)
        #expect(try page(50, of: 200, total: 10_000, source).items.last?.document == "9999")
        #expect(try page(4, total: 25, Places(25)).items.isEmpty)
    }

    @Test("A total is remembered of one version and query, whatever the page")
    func totals() throws {
        let totals = NearTotals()
        let app = AppID(rawValue: 1)
        var query = ContentQuery()
        #expect(NearTotals.Key(query, app: app, slot: 1) == nil)
        query.part = .page(1)
        totals.save(7, of: try #require(NearTotals.Key(query, app: app, slot: 1)))
        (query.part, query.limit) = (.page(3), 20)
        #expect(totals.total(try #require(NearTotals.Key(query, app: app, slot: 1))) == 7)
        #expect(totals.total(try #require(NearTotals.Key(query, app: app, slot: 2))) == nil)
        #expect(totals.total(try #require(NearTotals.Key(query, app: AppID(rawValue: 2), slot: 1))) == nil)
        query.words = "x"
        #expect(totals.total(try #require(NearTotals.Key(query, app: app, slot: 1))) == nil)
    }
}
