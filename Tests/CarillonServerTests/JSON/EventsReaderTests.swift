import CarillonModel
import CarillonServer
import Testing

struct EventsReaderTests {
    private static func event(_ random: inout RandomJSON) -> String {
        random.object(
            [
                ("occurrence", ["\"occ_0fk2m9q3tw7x\"", "\"occ_0fk2m9q3tw7x\"", "\"occ_1\"", "7"]),
                ("receipt", ["\"AAAAAAAAAAAAAAAAAAAAAA-_\"", "\"AAAAAAAAAAAAAAAAAAAAAA-_\"", "\"short\"", "null"]),
                ("kind", ["\"received\"", "\"opened\"", "\"dismissed\"", "\"action\"", "\"shown\""]),
                (
                    "at",
                    [
                        "\"2026-11-21T08:44:00.120Z\"", "\"2026-11-21T08:44:00Z\"", "\"2024-02-29T23:59:59.999Z\"",
                        "\"2026-11-21T08:44:00+09:00\"", "\"2026-02-29T00:00:00Z\"", "\"1969-12-31T23:59:59Z\"",
                        "\"now\"", "1",
                    ]
                ),
                ("action", ["\"yes\"", "null", "1"]),
            ] + (random.chance(10) ? [("reply", ["\"hm\"", "\"\\n\"", "null"])] : []),
            leaving: 3
        )
    }

    @Test("The fast path accepts only what the strict decoder accepts, with the same value", arguments: 0..<8)
    func agreesWithCarefulReading(_ seed: UInt64) throws {
        var random = RandomJSON(seed: seed)
        var quick = 0
        for _ in 0..<2_000 {
            let count = random.pick([0, 1, 1, 1, 2, 3])
            let events = (0..<count).map { _ in Self.event(&random) }
            let bytes = random.damaged("{\"events\":[" + events.joined(separator: ",") + "]}")
            guard let read = EventsReader.plain(bytes) else { continue }
            quick += 1
            #expect(try EventsReader.strict(bytes) == read)
        }
        #expect(quick > 20, "the generator must make bodies that are read quickly")
    }

    @Test("Each unreadable event is rejected by its position, the others are accepted")
    func rejectsSingleEvents() throws {
        let good = """
            {"occurrence":"occ_0fk2m9q3tw7x","receipt":"AAAAAAAAAAAAAAAAAAAAAA-_","kind":"opened","at":"2026-11-21T08:44:00Z",\
            "colour":"red"}
            """
        let body = """
            {"events":[\(good),{"kind":"opened"},3,\(good.replacing("opened", with: "shown")),\(good.replacing("occ_0", with: "occ_i"))],
             "later":{"a":1}}
            """

        let read = try EventsReader.read(Array(body.utf8))

        #expect(read.indexes == [0])
        #expect(read.rejected.map(\.index) == [1, 2, 3, 4])
        #expect(read.rejected[0].problem == "occurrence is required")
        #expect(read.rejected[2].problem == "kind must be one of the documented values")
    }

    @Test("Positions of events that the engine rejects are those of the batch")
    func mergesPositions() {
        var read = ReadEvents()
        read.indexes = [1, 3]
        read.rejected = [.init(index: 0, problem: "a"), .init(index: 2, problem: "b")]
        var answer = EventBatchAnswer(counted: 1, repeated: 0, rejected: [.init(index: 1, problem: "c")])

        read.merge(into: &answer)

        #expect(
            answer.rejected == [
                .init(index: 0, problem: "a"), .init(index: 2, problem: "b"), .init(index: 3, problem: "c"),
            ]
        )
    }

    @Test("An empty batch and one of more than 500 are refused", arguments: [0, 501])
    func boundsBatch(_ count: Int) {
        let body = "{\"events\":[" + [String](repeating: "1", count: count).joined(separator: ",") + "]}"

        #expect(throws: Problem.invalidField(FieldError(field: "events", problem: "must list 1 through 500 events"))) {
            try EventsReader.read(Array(body.utf8))
        }
    }
}
