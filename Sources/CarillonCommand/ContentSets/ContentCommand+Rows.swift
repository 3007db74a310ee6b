import ArgumentParser
import CarillonContentSets
import CarillonModel
import Foundation

extension ContentCommand {
    struct Import: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Import a file into a content set, as a whole or not at all."
        )

        @OptionGroup var options: OperatorOptions
        @Argument(help: "The content set's name.") var set: String
        @Argument(help: "The file, at most 64 MiB; it may be compressed with gzip.", completion: .file())
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
            let url = URL(fileURLWithPath: file)
            let path: APIPath = "/v1/content-sets/\(set)/imports"
            let answer: JSONValue = try await options.run { api in
                guard FileManager.default.isReadableFile(atPath: file) else {
                    throw CommandFailure(.missing, "Cannot read \(file).")
                }
                return try await api.upload(
                    path.resolved(app: nil),
                    [APIName.app: "\(try await options.appID(api))", "format": format, "table": table],
                    .file(url),
                    contentType: "application/octet-stream"
                )
            }
            try options.show(answer)
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
        @Option(help: "The first time, as 2026-11-26T00:00:00+08:00.") var from: String?
        @Option(help: "The first time behind the range.") var until: String?
        @Option(help: "Words that a row has, all of them.") var words: String?

        /// The conditions as the API has them; `nil` without any.
        ///
        /// - Throws: `ValidationError` for a text without an equals sign.
        func conditionText() throws -> String? {
            guard !conditions.isEmpty else { return nil }
            var values: [String: [String]] = [:]
            for condition in conditions {
                guard let place = condition.firstIndex(of: "="), place > condition.startIndex else {
                    throw ValidationError("--where must be FIELD=VALUE.")
                }
                values[String(condition[..<place]), default: []].append(String(condition[place...].dropFirst()))
            }
            return String(decoding: try JSONEncoder.sorted().encode(values), as: UTF8.self)
        }

        func run() async throws {
            let query: [String: String?] = [
                "table": table, "where": try conditionText(), "near": near, "radius": radius.map { "\($0)" },
                "time": time, "from": from, "until": until, "words": words,
            ]
            let row = Column("ROW") { item in
                (item["row"]?.object ?? [:]).sorted { $0.key < $1.key }
                    .map { "\($0.key)=\($0.value.cell ?? "")" }.joined(separator: " ")
            }
            try await options.list(
                OperatorRequest("GET", "/v1/content-sets/\(set)/rows", query: query, app: .query),
                pages,
                near == nil ? [row] : [Column("METRES", "distance"), row]
            )
        }
    }
}
