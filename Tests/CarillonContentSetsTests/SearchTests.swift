import CarillonModel
import Foundation
import Testing

@testable import CarillonContentSets

/// Positions, words and definitions.
struct SearchTests {
    private func place(_ latitude: Double, _ longitude: Double) throws -> ContentPosition {
        try #require(ContentPosition(latitude: latitude, longitude: longitude))
    }

    @Test("Distances in metres") func distances() throws {
        let taipei = try place(25.0330, 121.5654)
        let kaohsiung = try place(22.6273, 120.3014)
        #expect(abs(taipei.distance(to: kaohsiung) - 296_800) < 1_000)
        #expect(taipei.distance(to: taipei) == 0)
        #expect(abs(try place(0, 179.999).distance(to: try place(0, -179.999)) - 222.4) < 1)
    }

    @Test("Boxes contain every place within the radius, at the poles and the date line too") func boxes() throws {
        var generator = SystemRandomNumberGenerator()
        for _ in 0..<5_000 {
            let center = try place(.random(in: -90...90, using: &generator), .random(in: -180...180, using: &generator))
            let radius = Double.random(in: 1...200_000, using: &generator)
            let other = try place(
                min(90, max(-90, center.latitude + .random(in: -2...2, using: &generator))),
                .random(in: -180...180, using: &generator)
            )
            guard center.distance(to: other) <= radius else { continue }
            #expect(center.boxes(within: radius).contains { $0.contains(other) })
        }
        for (latitude, longitude) in [(90.0, 0.0), (-90, 10), (89.99, 179.99), (0, 180), (0, -180), (60, 179.999)] {
            let center = try place(latitude, longitude)
            for bearing in stride(from: 0.0, to: 360, by: 5) {
                let other = moved(center, bearing: bearing, metres: 4_999)
                #expect(center.boxes(within: 5_000).contains { $0.contains(other) }, "\(center) \(bearing)")
            }
        }
    }

    /// The place at a distance in a direction.
    private func moved(_ place: ContentPosition, bearing: Double, metres: Double) -> ContentPosition {
        let (angle, direction) = (metres / 6_371_008.8, bearing * .pi / 180)
        let (north, east) = (place.latitude * .pi / 180, place.longitude * .pi / 180)
        let latitude = asin(sin(north) * cos(angle) + cos(north) * sin(angle) * cos(direction))
        let turn = atan2(sin(direction) * sin(angle) * cos(north), cos(angle) - sin(north) * sin(latitude))
        var longitude = (east + turn) * 180 / .pi
        if longitude > 180 { longitude -= 360 }
        if longitude < -180 { longitude += 360 }
        return ContentPosition(latitude: latitude * 180 / .pi, longitude: longitude) ?? place
    }

    @Test(
        "Words are found in Chinese by pairs, in other scripts as wholes",
        arguments: [
            ("高雄音樂節 Music Festival", "音樂", true), ("高雄音樂節", "樂音", false), ("臺北", "台北", true), ("Café ＡＢＣ", "abc", true),
            ("Music", "mus", false), ("音", "音", true), ("音樂", "樂", true), ("Festival 2026", "FESTIVAL", true),
            ("Привет", "привет", true), ("Cafe\u{301}", "café", true), ("ｶﾞｷﾞ", "ガギ", true), ("ﬁne", "FINE", true),
        ]
    )
    func words(_ text: String, _ query: String, _ isFound: Bool) {
        let terms = SearchTerms.terms(ofQuery: query)
        #expect(!terms.isEmpty)
        #expect(terms.isSubset(of: SearchTerms.terms(ofRow: [text])) == isFound)
    }

    @Test("Terms are bounded") func bounds() {
        let long = (0..<10_000).map { "w\($0)" }.joined(separator: " ")
        #expect(SearchTerms.terms(ofRow: [long]).count == SearchTerms.maximumRowCount)
        #expect(SearchTerms.terms(ofQuery: long).count == SearchTerms.maximumQueryCount)
        #expect(SearchTerms.terms(ofQuery: " -!? ").isEmpty)
        // Within a run of characters too.
        let dense = String(String.UnicodeScalarView((UInt32(0x4E00)..<0x5A00).compactMap { Unicode.Scalar($0) }))
        #expect(SearchTerms.terms(ofRow: [dense]).count == SearchTerms.maximumRowCount)
        #expect(SearchTerms.terms(ofQuery: dense).count == SearchTerms.maximumQueryCount)
        #expect(SearchTerms.terms(ofQuery: "a b " + dense).isSubset(of: SearchTerms.terms(ofRow: ["a b", dense])))
    }

    @Test("A definition is read as it was written", arguments: ContentSetDefinition.presetNames)
    func presets(_ name: String) throws {
        let definition = try #require(ContentSetDefinition.preset(name))
        let data = try JSONEncoder().encode(definition)
        #expect(try JSONDecoder().decode(ContentSetDefinition.self, from: data) == definition)
    }

    @Test(
        "A definition's errors name their field",
        arguments: [
            (#"{"title":"x","tables":[]}"#, "version"), (#"{"version":2,"title":"x","tables":[]}"#, "version"),
            (#"{"version":1,"tables":[]}"#, "title"), (#"{"version":1,"title":"x","tables":[]}"#, "tables"),
            (#"{"version":1,"title":"x","timeZone":"Mars","tables":[]}"#, "timeZone"),
            (#"{"version":1,"title":"x","tables":[{"name":"1","key":"id","fields":[]}]}"#, "tables.0.name"),
            (
                #"{"version":1,"title":"x","tables":[{"name":"a","key":"b","fields":[{"name":"id","type":"text"}]}]}"#,
                "tables.0.key"
            ),
            (
                #"{"version":1,"title":"x","tables":[{"name":"a","key":"id","fields":[{"name":"id","type":"word"}]}]}"#,
                "tables.0.fields.0.type"
            ),
            (
                #"{"version":1,"title":"x","tables":[{"name":"a","key":"id","fields":[{"name":"id","type":"time","isIndexed":true}]}]}"#,
                "tables.0.fields.0.isIndexed"
            ),
            (#"{"version":1,"title":"x","extra":1,"tables":[]}"#, "extra"),
            (#"{"version":1,"title":"x","timeZone":"GMT+8","tables":[]}"#, "timeZone"),
            (#"{"version":1,"title":"x","language":"zh\r\nX: y","tables":[]}"#, "language"),
        ]
    )
    func definitionErrors(_ text: String, _ field: String) throws {
        do {
            _ = try JSONDecoder().decode(ContentSetDefinition.self, from: Data(text.utf8))
            Issue.record("It was read.")
        } catch let error as FieldError {
            #expect(error.field == field)
        } catch let error as DecodingError {
            #expect(FieldError(error).field == field)
        }
    }

    @Test("A query's errors are all found") func queryErrors() throws {
        var query = ContentQuery()
        query.equalities = [.init(field: "title", values: ["x"])]
        query.near = .init(try place(0, 0), radius: 0)
        query.times = .init(
            field: "city",
            end: "title",
            from: Timestamp(rawValue: 2),
            until: Timestamp(rawValue: 1)
        )
        query.words = "!"
        query.limit = 0
        query.part = .page(0)
        let table = try #require(ContentSetDefinition.preset("culture")?.tables.first)
        #expect(
            query.errors(for: table).map(\.field) == [
                "where", "radius", "time", "ending", "until", "words", "limit", "page",
            ]
        )
        #expect(ContentQuery().errors(for: table) == [])
    }

    @Test("A value with a NUL character is refused: no database compares it") func nulCharacters() throws {
        let table = try #require(ContentSetDefinition.preset("culture")?.tables.first)
        var query = ContentQuery()
        query.equalities = [.init(field: "city", values: ["a\0"])]
        #expect(query.errors(for: table).map(\.field) == ["where"])
    }

    @Test("Conditions are read in order of their fields, with one value or several") func conditions() {
        let all = ContentQuery.Equality.all(["b": .array([.bool(true), .integer(7)]), "a": .string("x")])
        #expect(all == [.init(field: "a", values: ["x"]), .init(field: "b", values: ["true", "7"])])
        #expect(ContentQuery.Equality.all(["a": .number(1.5)]) == nil)
        #expect(ContentQuery.Equality.all(["a": .array([.null])]) == nil)
    }

    @Test("A definition's languages are its own and those of its fields, each once") func languages() throws {
        var definition = try #require(ContentSetDefinition.preset("culture"))
        definition.tables[0].fields[0].language = "en"
        definition.tables[0].fields[1].language = "ZH-hant"
        #expect(definition.languages == ["zh-Hant", "en"])
    }

    @Test("A cursor's text is read again, other texts are none") func cursors() {
        #expect(ContentCursor("12.34") == ContentCursor(slot: 12, place: 34))
        #expect(ContentCursor(slot: 12, place: 34).description == "12.34")
        for text in [
            "", "12", "12.", "-1.2", "0.1", "1.2.3", "a.b", "+1.2", "99999999999999999999.1", "1.9223372036854775807",
            "1.1048576",
        ] {
            #expect(ContentCursor(text) == nil)
        }
    }
}
