import CarillonModel
import Foundation
import Testing

@testable import CarillonContentSets

/// Follows and the keys under which they are found.
struct FollowTests {
    private static let table = ContentTable(
        "t",
        key: "id",
        [
            ContentField("id", .text), ContentField("name", .text, isSearchable: true),
            ContentField("city", .text, isIndexed: true), ContentField("kind", .integer, isIndexed: true),
            ContentField("tags", .list, isIndexed: true), ContentField("at", .position),
        ]
    )

    private func row(_ json: String) throws -> FollowedRow { try #require(FollowedRow(json, of: Self.table)) }

    private func query(_ change: (inout ContentFollowQuery) -> Void) -> ContentFollowQuery {
        var query = ContentFollowQuery()
        change(&query)
        return query
    }

    @Test("A row that fits a follow has one of its keys, whatever the follow asks for") func findsAll() throws {
        var random = SystemRandomNumberGenerator()
        let (cities, tags) = (["a", "b", "高雄市"], ["x", "y", "z"])
        var fits = 0
        for _ in 0..<3_000 {
            let latitude: Double = [-90, -89.9999, 0, 22.6, 89.9999, 90].randomElement(using: &random) ?? 0
            let longitude: Double = [-180, -179.999, 0, 120.3, 179.999, 180].randomElement(using: &random) ?? 0
            let row = try row(
                """
                {"id":"\(Int.random(in: 1...3))","name":"音樂 night \(Int.random(in: 1...3))",
                 "city":"\(cities.randomElement() ?? "")","kind":\(Int.random(in: 1...2)),
                 "tags":["\(tags.randomElement() ?? "")","q"],"at":{"latitude":\(latitude),"longitude":\(longitude)}}
                """
            )
            let asked = query { query in
                if Bool.random() { query.equalities.append(.init(field: "city", values: ["a", "高雄市"])) }
                if Bool.random() { query.equalities.append(.init(field: "kind", values: ["1"])) }
                if Bool.random() { query.equalities.append(.init(field: "tags", values: ["x", "y"])) }
                if Int.random(in: 0..<8) == 0 { query.equalities.append(.init(field: "id", values: ["1", "2"])) }
                if Bool.random() { query.words = ["音樂", "night", "night 2"].randomElement() }
                guard Bool.random() else { return }
                let near = ContentPosition(
                    latitude: max(-90, min(90, latitude + Double.random(in: -0.5...0.5))),
                    longitude: [longitude, -longitude, 180].randomElement() ?? 0
                )
                query.near = near.map { .init(place: $0, radius: Double.random(in: 100...200_000)) }
            }
            guard asked.fits(row) else { continue }
            fits += 1
            let keys = FollowKeys.keys(of: asked, in: Self.table)
            #expect(!keys.isDisjoint(with: FollowKeys.keys(of: row)), "\(asked)")
            #expect(keys.count <= FollowKeys.maximumCount)
        }
        #expect(fits > 100)
    }

    @Test("Each condition has to hold") func conditions() throws {
        let row = try row(
            #"{"id":"1","name":"Jazz 音樂","city":"a","kind":2,"tags":["x"],"at":{"latitude":10,"longitude":20}}"#
        )
        #expect(query { _ in }.fits(row))
        #expect(query { $0.equalities = [.init(field: "kind", values: ["2"])] }.fits(row))
        #expect(!query { $0.equalities = [.init(field: "kind", values: ["1"])] }.fits(row))
        #expect(!query { $0.equalities = [.init(field: "name", values: ["Jazz"])] }.fits(row))
        #expect(query { $0.words = "jazz" }.fits(row))
        #expect(!query { $0.words = "jazz rock" }.fits(row))
        let near = ContentPosition(latitude: 10, longitude: 20.01)
        #expect(query { $0.near = near.map { .init(place: $0, radius: 1_200) } }.fits(row))
        #expect(!query { $0.near = near.map { .init(place: $0, radius: 1_000) } }.fits(row))
        let nowhere = try self.row(#"{"id":"1"}"#)
        #expect(!query { $0.near = near.map { .init(place: $0, radius: 200_000) } }.fits(nowhere))
    }

    @Test("Two fields of one value are one key, so that a city's music leads to no other city's")
    func pairs() throws {
        let asked = query {
            $0.equalities = [.init(field: "kind", values: ["1", "2"]), .init(field: "city", values: ["a"])]
        }
        #expect(FollowKeys.keys(of: asked, in: Self.table) == ["p:city=a&kind=1", "p:city=a&kind=2"])
    }

    @Test("A bundle goes out at the next such time of day in the set's time zone") func bundleTime() throws {
        let zone = try #require(TimeZone(identifier: "Asia/Taipei"))
        let settings = ContentAlertSettings(template: "t")
        let before = try instant("2026-11-26T00:59:59Z")
        #expect(settings.bundleTime(after: before, in: zone) == (try instant("2026-11-26T01:00:00Z")))
        let at = try instant("2026-11-26T01:00:00Z")
        #expect(settings.bundleTime(after: at, in: zone) == (try instant("2026-11-27T01:00:00Z")))
    }

    @Test("A value that is asked for twice is one key") func sameValues() {
        let asked = query { $0.equalities = [.init(field: "id", values: ["1", "1", "2"])] }
        #expect(FollowKeys.keys(of: asked, in: Self.table) == ["f:id=1", "f:id=2"])
    }

    @Test("The time of bundles has digits alone", arguments: ["+9:00", "09:-1", "9:000", "24:00", "٠٩:٠٠"])
    func wrongBundleTime(_ text: String) {
        #expect(throws: (any Error).self) {
            try JSONDecoder().decode(
                ContentAlertSettings.self,
                from: Data(#"{"template":"t","bundleAt":"\#(text)"}"#.utf8)
            )
        }
    }
}
