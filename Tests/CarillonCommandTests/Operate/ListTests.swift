import ArgumentParser
import CarillonModel
import Foundation
import Testing

@testable import CarillonCommand

/// Lists of many pages, and what they print.
struct ListTests {
    private static let environment = ["CARILLON_API_KEY": "k"]

    /// A list of numbered Apps, in pages of at most what is asked for.
    @Sendable private static func page(_ request: StubAPI.Request, total: Int) -> StubAPI.Response {
        let query = Dictionary(
            uniqueKeysWithValues: request.query.split(separator: "&").map { part in
                let pair = part.split(separator: "=").map(String.init)
                return (pair[0], pair[1])
            }
        )
        let begin = query["cursor"].flatMap { Int($0) } ?? 0
        let end = min(total, begin + (query["limit"].flatMap { Int($0) } ?? 0))
        let items = (begin..<end).map { #"{"id":"app_\#($0)","name":"a\u001b[2J\#($0)\u202e","hasPushKey":true}"# }
        let next = end < total ? #","nextCursor":"\#(end)""# : ""
        return StubAPI.Response(body: #"{"items":[\#(items.joined(separator: ","))]\#(next)}"#)
    }

    private func run(_ arguments: [String], total: Int) async throws -> Program.Result {
        try await StubAPI.run({ Self.page($0, total: total) }) { _, address in
            try await Program.run(["apps", "list", "--server", address] + arguments, environment: Self.environment)
        }
    }

    @Test("A field that no item has is an error that names those that there are; one that some have is empty elsewhere")
    func unknownField() async throws {
        let result = try await run(["--field", "nosuch"], total: 3)
        #expect(result.status == 64)
        #expect(result.output == "")
        #expect(result.errors.contains("No item has a field nosuch. They have: hasPushKey, id, name."))
        #expect(try await run(["--field", "nosuch"], total: 0).status == 0)
    }

    @Test("A list ends at 100 rows and says how to go on; --all reads all pages, --limit and --cursor a part")
    func pages() async throws {
        let usual = try await run([], total: 10_000)
        #expect(usual.output.split(separator: "\n").count == 101)
        #expect(usual.errors == "There is more: --all, or --cursor '100'.\n")

        let all = try await run(["--all", "--field", "id"], total: 10_000)
        #expect(all.output == (0..<10_000).map { "app_\($0)\n" }.joined() && all.errors == "")

        let part = try await run(["--limit", "3", "--cursor", "9", "--field", "id"], total: 12)
        #expect(part.output == "app_9\napp_10\napp_11\n" && part.errors == "")
    }

    @Test("As JSON a list is one object with the items of all pages, and the cursor of the rest")
    func json() async throws {
        for (arguments, count, next) in [(["--json", "--all"], 450, nil), (["--json", "--limit", "250"], 250, "250")] {
            let result = try await run(arguments, total: 450)
            let value = try JSONValue(json: Data(result.output.utf8))
            #expect(value["items"]?.array?.count == count && value["nextCursor"]?.string == next)
            #expect(result.errors == "")
        }
        let empty = try await run(["--json"], total: 0)
        #expect(try JSONValue(json: Data(empty.output.utf8)) == .object(["items": .array([])]))
    }

    @Test("Control characters of names are escaped in tables and in JSON")
    func escapes() async throws {
        let table = try await run([], total: 1)
        #expect(table.output.contains(#"a\u001b[2J0\u202e"#))
        let json = try await run(["--json"], total: 1)
        #expect(!json.output.unicodeScalars.contains { $0 == "\u{1B}" || $0 == "\u{202E}" })
        let value = try JSONValue(json: Data(json.output.utf8))
        #expect(value["items"]?.array?.first?["name"]?.string == "a\u{1B}[2J0\u{202E}")
    }

    @Test("A page that is no list is reported")
    func noList() async throws {
        let result = try await StubAPI.run({ _ in StubAPI.Response(body: "[]") }) { _, address in
            try await Program.run(["apps", "list", "--server", address], environment: Self.environment)
        }
        #expect(result.status == 70 && result.errors.contains("is not a list"))
    }

    @Test(
        "A limit out of range, or with --all, is refused",
        arguments: [["--limit", "0"], ["--limit", "5", "--all"]]
    )
    func refusesLimits(arguments: [String]) {
        #expect(throws: (any Error).self) { try PageOptions.parse(arguments) }
    }
}

struct FieldOptionsTests {
    @Test("Fields are JSON or texts, and paths make objects")
    func buildsBodies() throws {
        let options = try FieldOptions.parse([
            "--set", "name=News", "--set", "sendingRules.controlGroup=5", "--set", "sendingRules.duplicateGuard=null",
            "--set", "personalMessages=true", "--set", "note=a=b",
        ])
        #expect(
            try options.body(["dialect": .string("toast"), "adRule": nil])
                == .object([
                    "name": .string("News"), "dialect": .string("toast"), "personalMessages": .bool(true),
                    "note": .string("a=b"),
                    "sendingRules": .object(["controlGroup": .integer(5), "duplicateGuard": .null]),
                ])
        )
    }

    @Test("A field without a value, and a change of nothing, are refused")
    func refuses() throws {
        #expect(throws: ValidationError.self) { try FieldOptions.parse(["--set", "name"]).body() }
        #expect(throws: ValidationError.self) { try FieldOptions.parse([]).change() }
    }
}

struct JSONValueTextTests {
    @Test("JSON keeps its kinds and its large integers")
    func parses() throws {
        let text = #"{"a":true,"b":1,"c":1.5,"d":"x","e":null,"f":[0,false],"g":9007199254740993}"#
        let value = try JSONValue(json: Data(text.utf8))
        #expect(value["a"] == .bool(true) && value["b"] == .integer(1) && value["c"] == .number(1.5))
        #expect(value["e"] == .null && value["f"] == .array([.integer(0), .bool(false)]))
        #expect(value["g"] == .integer(9_007_199_254_740_993))
    }

    @Test("Leaves have their paths, ids first")
    func leaves() throws {
        let value = try JSONValue(json: Data(#"{"b":{"c":1,"d":[1,2]},"a":"x","id":"i"}"#.utf8))
        #expect(value.leaves.map(\.path) == ["id", "a", "b.c", "b.d"])
        #expect(value.leaves.map(\.value.cell) == ["i", "x", "1", "1 2"])
        #expect(value.at("b.c") == .integer(1) && value.at("b.x") == nil)
    }
}

struct TerminalTests {
    @Test("Colours are for terminals, and NO_COLOR turns them off")
    func colours() {
        #expect(Terminal.hasColours(isTerminal: true, environment: ["TERM": "xterm", "NO_COLOR": ""]))
        #expect(!Terminal.hasColours(isTerminal: true, environment: ["NO_COLOR": "1"]))
        #expect(!Terminal.hasColours(isTerminal: true, environment: ["TERM": "dumb"]))
        #expect(!Terminal.hasColours(isTerminal: false, environment: [:]))
        #expect(Terminal.styled("a", .bold, hasColours: true) == "\u{1B}[1ma\u{1B}[0m")
        #expect(Terminal.styled("a", .bold, hasColours: false) == "a")
    }

    @Test("Line feeds are escaped unless they are kept")
    func escapesLines() {
        #expect(Terminal.escaped("a\nb\u{9B}") == "a\\u000ab\\u009b")
        #expect(Terminal.escaped("a\nb\u{7F}", keepsLines: true) == "a\nb\\u007f")
    }
}
