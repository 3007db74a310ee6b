import ArgumentParser
import CarillonContentSets
import CarillonModel
import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

extension ContentCommand {
    struct Import: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Import a file into a content set, as a whole or not at all."
        )

        @OptionGroup var options: OperatorOptions
        @Argument(help: "The content set's name.") var set: String
        @Argument(
            help: "The file, at most 64 MiB; it may be compressed with gzip. - for the standard input.",
            completion: .file()
        )
        var file: String
        @Option(help: "What it is: \(ContentFormat.allCases.map(\.rawValue).joined(separator: ", ")).")
        var format: String
        @Option(help: "The table that it fills, for csv, json and geojson; not needed when there is one.")
        var table: String?

        func validate() throws {
            guard ContentFormat(rawValue: format) != nil else {
                throw ValidationError("--format must be one of the listed ones.")
            }
        }

        func run() async throws {
            let answer = try await options.run { api in
                let body = try uploadBody()
                let app = try await options.appID(api)
                let query: [String: String?] = [
                    APIName.app: "\(app)", "format": format, "table": table,
                ]
                return try await explained(api) { try await upload(api, query, body) }
            }
            try options.show(
                answer,
                listing: [
                    (
                        "tables",
                        [
                            Column("TABLE", "name"), Column("NEW", "imported"), Column("CHANGED", "changed"),
                            Column("GONE", "gone"), Column("ROWS", "rows"),
                        ]
                    ),
                    ("problems", [Column("PROBLEM") { $0.cell }]),
                ]
            )
        }

        private func uploadBody() throws -> UploadBody {
            if file == "-" { return .data(try InputFile.contents(of: file)) }
            guard FileManager.default.isReadableFile(atPath: file) else {
                throw CommandFailure(.missing, "Cannot read \(file).")
            }
            return .file(URL(fileURLWithPath: file))
        }

        private func upload(
            _ api: OperatorAPI,
            _ query: [String: String?],
            _ body: UploadBody
        ) async throws -> JSONValue {
            let path: APIPath = "/v1/content-sets/\(set)/imports"
            return try await api.upload(path.resolved(app: nil), query, body, contentType: "application/octet-stream")
        }

        /// Adds to a failure without the server's answer what may have come of the import.
        private func explained(_ api: OperatorAPI, _ body: () async throws -> JSONValue) async throws -> JSONValue {
            do {
                return try await body()
            } catch let error as URLError where !Self.unsent.contains(error.code) {
                throw Self.perhaps(OperatorOptions.failure(error, api), set)
            } catch let refusal as OperatorAPI.Refusal where refusal.problem == nil && refusal.status >= 500 {
                // A proxy gave up; the server may go on.
                throw Self.perhaps(CommandFailure(refusal.kind, refusal.words), set)
            }
        }

        /// The errors before the file is sent.
        private static let unsent: Set<URLError.Code> = [
            .cannotConnectToHost, .cannotFindHost, .dnsLookupFailed, .secureConnectionFailed,
        ]

        private static func perhaps(_ failure: CommandFailure, _ set: String) -> CommandFailure {
            CommandFailure(
                failure.kind,
                failure.description + "\nThe import may still be running: `carillon content imports \(set)` shows it."
            )
        }
    }

    struct Rows: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Search the rows of a content set.",
            discussion: """
                carillon content rows events --where city=高雄市 --words 音樂 --time startsAt --from 2026-11-26T00:00:00+08:00
                carillon content rows buses --table stops --near 22.6264,120.3173 --radius 500
                """
        )

        @OptionGroup var options: OperatorOptions
        @OptionGroup var pages: PageOptions
        @Argument(help: "The content set's name.") var set: String
        @Option(help: "The table; not needed when there is one.") var table: String?
        @Option(
            name: .customLong("where"),
            help: "FIELD=VALUE of an indexed field; several values of a field are alternatives."
        )
        var conditions: [String] = []
        @Option(help: "LATITUDE,LONGITUDE: rows near it, the nearest first.") var near: String?
        @Option(help: "Metres around it, at most 200000. (default: 2000)") var radius: Double?
        @Option(help: "The field that --from and --until are about.") var time: String?
        @Option(help: "The field at which rows end, so that those going on in the range are found.") var ending: String?
        @Option(help: "The first time, as 2026-11-26T00:00:00+08:00.") var from: String?
        @Option(help: "The first time behind the range.") var until: String?
        @Option(help: "Words that a row has, all of them.") var words: String?

        func run() async throws {
            let query: [String: String?] = [
                "table": table, "where": try ContentConditions(conditions).text(), "near": near,
                "radius": radius.map { "\($0)" },
                "time": time, "ending": ending, "from": from, "until": until, "words": words,
            ]
            let text = try await rowText()
            let row = Column("ROW") { item in item["row"].map(text.row) }
            try await options.list(
                OperatorRequest("GET", "/v1/content-sets/\(set)/rows", query: query, app: .query),
                pages,
                near == nil ? [row] : [Column("METRES", "distance"), row]
            )
        }

        /// How the table shows rows: the definition has the order of the fields and the time zone.
        private func rowText() async throws -> ContentText {
            guard !options.json, options.field == nil else { return ContentText(zone: nil) }
            return try await options.run { api in
                let request = OperatorRequest("GET", "/v1/content-sets/\(set)", app: .query)
                return ContentText(set: try JSONValue(response: try await options.send(request, api)), table: table)
            }
        }
    }
}
