import CarillonImporters
import CarillonModel
import CarillonReaders
import Testing

/// JSON: lines, one array, envelopes, broken objects.
@Suite struct ObjectReaderTests {
    private func read(_ text: String, partSize: Int = 3, wanted: Set<String>? = ["a"]) -> [String] {
        var reader = ObjectReader(wanted: wanted, envelopes: ["items"])
        var items: [String] = []
        let note = { (item: ObjectReader.Item) in
            switch item {
            case .names: break
            case .object(let line, let members, let envelope):
                let values = members.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value.plainText)" }
                items.append("\(line) \(values.joined(separator: " "))\(envelope.map { " in \($0)" } ?? "")")
            case .problem(let line, let problem): items.append("\(line) ! \(problem)")
            }
        }
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            Array(rest.prefix(partSize)).withUnsafeBufferPointer { reader.read($0, note) }
            rest = rest.dropFirst(partSize)
        }
        reader.finish(note)
        return items
    }

    @Test("X-17 Objects come a line each, or in one array", arguments: [1, 2, 5, 1_000])
    func readsLinesAndArrays(_ partSize: Int) {
        let lines = "{\"a\":1}\n\r\n {\"b\":{\"a\":9},\"a\":\"}\\\"{\"}\n{}\n"
        let array = "[{\"a\":1},\n  {\"a\":[2]} , {\"a\":3}\n]\n"
        let pretty = "{\n  \"a\" : 1,\n  \"b\": [ { \"a\": 2 } ]\n}\n{\n  \"a\": 3\n}"

        #expect(read(lines, partSize: partSize) == ["1 a=1", "3 a=}\"{", "4 "])
        #expect(read(array, partSize: partSize) == ["1 a=1", "2 a=", "2 a=3"])
        #expect(read(pretty, partSize: partSize) == ["1 a=1", "5 a=3"])
    }

    @Test("Objects in an envelope are read, whatever is around them") func readsEnvelopes() {
        let page = "{\"header\":{\"a\":0},\"items\":[{\"a\":1},{\"a\":2}],\"a\":7,\"count\":2}\n"

        #expect(read(page) == ["1 a=1 in items", "1 a=2 in items"])
        #expect(read(page + page).count == 4)
        #expect(read("{\"items\":[]}") == [])
    }

    @Test("X-17 A broken object costs one row") func boundsBrokenObjects() {
        #expect(read("{\"a\":1\n{\"a\":2}\n") == ["1 ! is not a whole JSON object", "2 a=2"])
        #expect(read("{\"a\":x}\n{\"a\":2}\n") == ["1 ! is not valid JSON", "2 a=2"])
        #expect(read("{\"a\":\"1}\n{\"a\":2}\n") == ["1 ! is not a whole JSON object", "2 a=2"])
        #expect(read("[{\"a\":1},{\"a\":},{\"a\":2}]") == ["1 a=1", "1 ! is not valid JSON", "1 a=2"])
        #expect(read("{\"a\":[1}\n{\"a\":2}\n") == ["1 ! has brackets that do not match", "2 a=2"])
        #expect(read("nonsense\n{\"a\":2}\n") == ["1 ! is not a JSON object", "2 a=2"])
        #expect(read("{\"a\":2}\n{\"a\":") == ["1 a=2", "2 ! is not a whole JSON object"])
        #expect(read("[{\"a\":2},") == ["1 a=2", "1 ! ends before its array does"])
    }

    @Test("X-17 Objects within an object may begin lines", arguments: [1, 3, 1_000])
    func readsNestedLines(_ partSize: Int) {
        let pretty =
            "[\n{\n\"a\":1,\n\"b\":[\n{\n\"a\":9\n},\n{\n\"a\":8\n}\n]\n},\n{\"b\":\n{\"a\":7},\"a\":2},\n{\"a\":3}\n]"
        #expect(read(pretty, partSize: partSize) == ["2 a=1", "13 a=2", "15 a=3"])
        #expect(read(pretty, partSize: partSize, wanted: ["b"]) == ["2 b=", "13 b=", "15 "])
        #expect(read("{\"items\":[\n{\"b\":[\n{\"a\":9}],\"a\":1}\n]}", partSize: partSize) == ["2 a=1 in items"])
        #expect(read("{\"b\":[\n{\"a\":9}\n],\"a\":1}\n{\"a\":2}", partSize: partSize) == ["1 a=1", "4 a=2"])
        // A broken one still costs no other, in an array too.
        let broken = "[\n{\"a\":1\n{\"a\":2},\n{\"a\" 3,\"b\":[\n{\"a\":9}]},\n{\"a\":4}\n]"
        #expect(
            read(broken, partSize: partSize) == [
                "2 ! is not a whole JSON object", "3 a=2", "4 ! is not a JSON object", "6 a=4",
            ]
        )
    }

    @Test("X-18 Of an object of 5 MB only wanted members are held") func holdsWantedMembers() {
        let other = String(repeating: "\\\"x{[", count: 1_000_000)
        let line = "{\"b\":\"\(other)\",\"c\":[{\"a\":5}],\"a\":1}\n{\"a\":2}\n"

        #expect(read(line, partSize: 65_536) == ["1 a=1", "2 a=2"])
        let problem = "1 ! has more than 1048576 bytes that are needed"
        #expect(read(line, partSize: 65_536, wanted: nil) == [problem, "2 a=2"])
    }

    @Test("Values are parsed as JSON defines them") func parsesValues() throws {
        let text = #"{"t":"a\u00e9\ud83d\ude00\n\/","n":-12,"d":1.5e2,"b":[true,false,null],"o":{}}"#

        let value = try JSONParser.value(Array(text.utf8)[...])

        #expect(value["t"] == .string("aé😀\n/"))
        #expect(value["n"] == .integer(-12))
        #expect(value["d"] == .number(150))
        #expect(value["b"] == .array([.bool(true), .bool(false), .null]))
        #expect(value["o"] == .object([:]))
    }

    @Test(
        "What is no JSON is refused",
        arguments: [
            "", "{", "[1,]", "{\"a\"}", "01", "1.", "-", "+1", "tru", "\"\\x\"", "\"\\ud800\"", "\"a\nb\"", "1 2",
            "nan",
            String(repeating: "[", count: 40) + String(repeating: "]", count: 40), "1e999",
        ]
    )
    func refusesOthers(_ text: String) {
        #expect(throws: JSONParser.Problem.self) { try JSONParser.value(Array(text.utf8)[...]) }
    }
}
