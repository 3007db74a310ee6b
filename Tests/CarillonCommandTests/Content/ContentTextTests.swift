import ArgumentParser
import CarillonModel
import Foundation
import Testing

@testable import CarillonCommand

/// What the commands of content sets send and show.
struct ContentTextTests {
    private static let app = "app_000000000001"
    private static let key = ["CARILLON_API_KEY": "k"]

    private func json(_ text: String) throws -> JSONValue { try JSONValue(json: Data(text.utf8)) }

    /// Runs a command against a server with prepared answers, by the ends of their paths.
    private func run(
        _ arguments: [String],
        _ answers: [String: StubAPI.Response],
        input: FileHandle = .nullDevice
    ) async throws -> (result: Program.Result, sent: [StubAPI.Request]) {
        let respond: @Sendable (StubAPI.Request) -> StubAPI.Response = { request in
            answers.first { request.path.hasSuffix($0.key) }?.value ?? StubAPI.Response(body: "{}")
        }
        return try await StubAPI.run(respond) { stub, address in
            let all = arguments + ["--server", address, "--app", Self.app]
            let result = try await Program.run(all, environment: Self.key, input: input)
            return (result, stub.recorded.filter { $0.path != "/health" })
        }
    }

    private func withFile<Result>(_ text: String, _ body: (URL) async throws -> Result) async throws -> Result {
        let file = FileManager.default.temporaryDirectory.appending(path: "carillon-\(UUID().uuidString)")
        try Data(text.utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        return try await body(file)
    }

    @Test("Rows are shown in the order of the definition, with times in its time zone")
    func showsRows() async throws {
        let set = """
            {"definition":{"timeZone":"Asia/Taipei","tables":[{"name":"events","fields":[
             {"name":"title","type":"text"},{"name":"startsAt","type":"time"},{"name":"place","type":"position"},
             {"name":"city","type":"text"}]}]}}
            """
        let rows = """
            {"items":[{"row":{"city":"高雄市","more":1,"place":{"latitude":22.5,"longitude":120.25},
             "startsAt":"2026-11-26T16:30:00.000Z","title":"2026-11-26T16:30:00.000Z"}}]}
            """
        let (result, _) = try await run(
            ["content", "rows", "events"],
            ["/rows": .init(body: rows), "/events": .init(body: set)]
        )
        let row =
            "title=2026-11-26T16:30:00.000Z startsAt=2026-11-27T00:30:00+08:00 place=22.5,120.25 city=高雄市 more=1"
        #expect(result.output == "ROW\n\(row)\n")
    }

    @Test("Times west of Greenwich, with fractions, and in UTC are instants of RFC 3339")
    func showsTimes() {
        let time = JSONValue.string("2026-11-26T02:15:30.250Z")
        #expect(ContentText(zone: "America/St_Johns").time(time) == "2026-11-25T22:45:30.250-03:30")
        #expect(ContentText(zone: nil).time(.string("2026-11-26T02:15:30.000Z")) == "2026-11-26T02:15:30Z")
        #expect(ContentText(zone: "UTC").time(.string("soon")) == "soon")
        #expect(ContentText(zone: "UTC").time(nil) == nil)
    }

    @Test("Arrivals are shown in the time zone that stands above them")
    func showsArrivals() async throws {
        let answer = """
            {"timeZone":"Asia/Taipei","items":[{"stop":"S1","isInbound":false,"isPredicted":true,
             "time":"2026-11-26T16:30:00.000Z"}]}
            """
        let (result, _) = try await run(["content", "arrivals", "buses", "R1"], ["/arrivals": .init(body: answer)])
        #expect(result.output.contains("2026-11-27T00:30:00+08:00"))
        #expect(!result.output.contains("16:30:00"))
    }

    @Test("The list of follows shows what a follow is of")
    func listsFollows() async throws {
        let answer = """
            {"items":[{"set":"events","name":"jazz","user":"ann","table":"events","where":{"category":["1","2"]},
             "near":{"latitude":22.5,"longitude":120.25},"radius":500,"isBundled":false,"createdAt":"x"}]}
            """
        let (result, _) = try await run(["content", "follows", "list", "events"], ["/follows": .init(body: answer)])
        #expect(result.output.contains("category=1|2"))
        #expect(result.output.contains("22.5,120.25"))
    }

    @Test("A follow takes conditions and a place by options, as a search does")
    func setsFollows() async throws {
        let line =
            "content follows set events jazz --user ann --where city=A --where city=B --near 22.5,120.25 --radius 500"
        let (result, sent) = try await run(line.split(separator: " ").map(String.init), [:])
        #expect(result.status == 0)
        let body = try json(try #require(sent.first).body)
        #expect(body["where"] == .object(["city": .array([.string("A"), .string("B")])]))
        #expect(body.at("near.latitude")?.number == 22.5 && body.at("near.longitude")?.number == 120.25)
        #expect(body["radius"]?.number == 500)

        let wrong = try await run(["content", "follows", "set", "events", "jazz", "--near", "22.5"], [:])
        #expect(wrong.result.status == 64 && wrong.result.errors.contains("--near must be LATITUDE,LONGITUDE"))
        #expect(wrong.sent == [])
    }

    @Test("An import reads the standard input, and shows tables and problems one in each line")
    func imports() async throws {
        let answer = """
            {"id":"imp_1","tables":[{"name":"places","imported":2,"changed":0,"gone":1,"rows":9}],
             "problems":["line 2 title is missing","line 5 title is missing"]}
            """
        try await withFile("id\n1\n") { file in
            let (result, sent) = try await run(
                ["content", "import", "places", "-", "--format", "csv"],
                ["/imports": .init(body: answer)],
                input: try FileHandle(forReadingFrom: file)
            )
            #expect(sent.map(\.body) == ["id\n1\n"])
            #expect(
                result.output == """
                    FIELD  VALUE
                    id     imp_1

                    TABLE   NEW  CHANGED  GONE  ROWS
                    places  2    0        1     9

                    PROBLEM
                    line 2 title is missing
                    line 5 title is missing

                    """
            )
        }
    }

    @Test("An import whose answer is lost says that it may still be running, and how to look")
    func losesTheAnswer() async throws {
        let lost = StubAPI.Response(body: "{", length: 100)
        let proxy = StubAPI.Response(status: 504, type: "text/html", body: "<p>Timeout</p>")
        try await withFile("id\n1\n") { file in
            for answer in [lost, proxy] {
                let arguments = ["content", "import", "places", file.path, "--format", "csv"]
                let (result, _) = try await run(arguments, ["/imports": answer])
                #expect(result.status == 69)
                #expect(
                    result.errors.hasSuffix(
                        "The import may still be running: `carillon content imports places` shows it.\n"
                    )
                )
            }
        }
    }
}
