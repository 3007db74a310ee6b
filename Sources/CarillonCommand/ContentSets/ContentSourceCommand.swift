import ArgumentParser
import CarillonContentSets
import CarillonModel
import Foundation

/// `carillon content sources`: what the server fetches by itself.
struct ContentSourceCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sources",
        abstract: "Manage what the server fetches into a content set by itself.",
        discussion: """
            carillon content sources set events ministry --format culture --url https://example.com/events.json --every 12h
            carillon content sources set buses kaohsiung --format tdx --city Kaohsiung --every 1d \\
                --client-id ID --client-secret-file FILE
            """,
        subcommands: [List.self, Show.self, SetSource.self, Delete.self, Fetch.self]
    )
}

/// A source of a content set.
struct NamedContentSource: ParsableArguments {
    @OptionGroup var options: OperatorOptions
    @Argument(help: "The content set's name.") var set: String
    @Argument(help: "The source's name: a letter and up to 63 letters, digits, hyphens and underscores.")
    var source: String

    func request(_ method: String, body: JSONValue? = nil) -> OperatorRequest {
        OperatorRequest(method, "/v1/content-sets/\(set)/sources/\(source)", body: body, app: .query)
    }
}

extension ContentSourceCommand {
    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "List a content set's sources and how they do.")

        @OptionGroup var options: OperatorOptions
        @Argument(help: "The content set's name.") var set: String

        func run() async throws {
            try await options.show(
                OperatorRequest("GET", "/v1/content-sets/\(set)/sources", app: .query),
                listing: "items",
                [
                    Column("NAME", "name"), Column("FORMAT", "format"), Column("STATUS", "status"),
                    Column("FETCHED", "fetchedAt"), Column("NEXT", "nextAt"), Column("FAILURES", "failures"),
                    Column("PROBLEM", "problem"),
                ]
            )
        }
    }

    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Show a source, without its secret.")

        @OptionGroup var named: NamedContentSource

        func run() async throws { try await named.options.show(named.request("GET")) }
    }

    struct SetSource: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "set",
            abstract: "Save a source, which is fetched soon."
        )

        @OptionGroup var named: NamedContentSource
        @Option(help: "What it is: \(ContentSourceFormat.allCases.map(\.rawValue).joined(separator: ", ")).")
        var format: String
        @Option(help: "Its address, https://…; for tdx and tdx-arrivals only another one than TDX's own.")
        var url: String?
        @Option(help: "The city of TDX, such as Kaohsiung.") var city: String?
        @Option(help: "The table that it fills, for csv, json and geojson; not needed when there is one.")
        var table: String?
        @Option(help: "How often it is fetched: a number with s, m, h or d. (default: 1d, 60s for real-time data)")
        var every: String?
        @Flag(help: "Save it without fetching it.") var paused = false
        @Option(help: "What TDX knows the server by.") var clientID: String?
        @Option(help: "A file with the client's secret; - for the standard input. The stored one stays without it.")
        var clientSecretFile: String?
        @Option(help: "Where access tokens are issued, another one than TDX's own.") var tokenURL: String?

        func run() async throws {
            var body: [String: JSONValue] = ["format": .string(format), "isActive": .bool(!paused)]
            let texts = [
                "url": url, "city": city, "table": table, "clientID": clientID, "tokenURL": tokenURL,
            ]
            for (name, text) in texts { if let text { body[name] = .string(text) } }
            if let every { body["interval"] = .integer(try Self.seconds(every)) }
            if let clientSecretFile {
                let text = String(decoding: try InputFile.contents(of: clientSecretFile), as: UTF8.self)
                body["clientSecret"] = .string(text.trimmingCharacters(in: .whitespacesAndNewlines))
            }
            try await named.options.show(named.request("PUT", body: .object(body)))
        }

        /// The seconds of a text such as `90s`, `10m`, `6h` or `1d`.
        ///
        /// - Throws: `ValidationError` for anything else.
        static func seconds(_ text: String) throws -> Int64 {
            let units: [Character: Int64] = ["s": 1, "m": 60, "h": 3_600, "d": 86_400]
            guard let unit = text.last.flatMap({ units[$0] }), let number = Int64(text.dropLast()), number > 0,
                number <= 86_400 * 30
            else { throw ValidationError("--every must be a number with s, m, h or d, such as 30m.") }
            return number * unit
        }
    }

    struct Delete: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Delete a source; its rows stay.")

        @OptionGroup var named: NamedContentSource

        func run() async throws {
            try await named.options.show(named.request("DELETE"), done: "The source is deleted.")
        }
    }

    struct Fetch: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Fetch an active source soon.")

        @OptionGroup var named: NamedContentSource

        func run() async throws {
            let path: APIPath = "/v1/content-sets/\(named.set)/sources/\(named.source)/fetch"
            try await named.options.show(OperatorRequest("POST", path, app: .query))
        }
    }
}

extension ContentCommand {
    struct Arrivals: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "List the next arrivals at the stops of a route."
        )

        @OptionGroup var options: OperatorOptions
        @Argument(help: "The content set's name.") var set: String
        @Argument(help: "The route's id.") var route: String

        func run() async throws {
            let request = OperatorRequest(
                "GET",
                "/v1/content-sets/\(set)/arrivals",
                query: ["route": route],
                app: .query
            )
            let answer = try await options.run { api in
                try JSONValue(response: try await options.send(request, api))
            }
            let text = ContentText(zone: answer["timeZone"]?.string)
            let columns = [
                Column("STOP", "stop"), Column("NAME", "name"),
                Column("WAY") { $0["isInbound"]?.bool == true ? "in" : "out" },
                Column("TIME") { text.time($0["time"]) },
                Column("FROM") { $0["isPredicted"]?.bool == true ? "vehicle" : "timetable" },
            ]
            try options.show(answer, listing: [("items", columns)])
        }
    }
}
