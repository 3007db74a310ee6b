import ArgumentParser
import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import CarillonStore
import Foundation

/// `carillon import`: imports data.
struct ImportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract: "Bring data from another service.",
        subcommands: [
            ImportDevicesCommand.self, ImportOneSignalCommand.self, ImportPinpointCommand.self,
            ImportToastCommand.self, ImportCorePushCommand.self, ImportAirshipCommand.self, ImportBrazeCommand.self,
            ImportParseCommand.self, ImportCountlyCommand.self, ImportTokensCommand.self,
        ]
    )
}

/// `carillon import devices`: tokens with their attributes, into a store or into a running server.
struct ImportDevicesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "devices",
        abstract: "Bring device tokens from another service.",
        discussion: """
            The file is CSV (RFC 4180, UTF-8) with a header. The column token must be there; push_type (apns or \
            apns_sandbox), tenant, user, language, country, time_zone, app_version, os_version, model, sdk_version, \
            consent_notifications (true when empty), consent_ads, consent_night_ads (false when empty), device (a UUID), \
            tags (names, separated by spaces; new ones are created) and categories (an id, or a JSON array or object) \
            are optional. With --format jsonl it has one object per line: registration as in the API, device and tags. \
            Invalid lines are reported with their numbers and skipped. Of several lines with one token the last one \
            counts.

            A store without any device is filled without its indexes, which are built at the end; that takes about \
            30 bytes of memory a device, and 50 where temporary files lie.

            A device that its app has registered is not changed. An imported one becomes the app's when the app \
            registers with the same token.

            With --server or CARILLON_SERVER the file is imported into that running server; a key with scope admin is \
            required. With --data or --database, or without any of them, it is imported into the store itself, the fastest \
            way for millions; the server must be stopped meanwhile.

            It ends with 1 when no line was good.
            """
    )

    @OptionGroup var destination: ImportDestination

    @Argument(help: "The file; - for the standard input.", completion: .file(extensions: ["csv", "jsonl"]))
    var file: String

    @Option(help: "A file for the bad lines, CSV: number and reason. Otherwise they go to the standard error.")
    var rejects: String?

    @Option(help: "csv or jsonl (an object a line).")
    var format = DeviceFileFormat.csv

    @Flag(help: "Pass over columns of the header that are not known.")
    var ignoreUnknownColumns = false

    @Flag(help: "Only count: the same report, and nothing is written.")
    var dryRun = false

    func validate() throws {
        guard !destination.isIntoServer || file != "-" else {
            throw ValidationError("With a server, a file is required: its length is sent first.")
        }
    }

    func run() async throws {
        guard !destination.isIntoServer else { return try await upload() }
        let input = try input()
        let report = try RejectReport(path: rejects)
        let result = try await destination.withStore { stores, app in
            var options = DeviceImport.Options()
            options.format = format
            options.ignoresUnknownColumns = ignoreUnknownColumns
            options.isAlone = true
            options.isDryRun = dryRun
            if !dryRun { await stores.record("carillon import devices", app: app) }
            var devices = DeviceImport(
                app: app,
                store: stores.deviceImports,
                tags: stores.tags,
                attributes: stores.attributes,
                clock: SystemWallClock(),
                options: options,
                reject: report.add
            )
            do {
                while let part = try input.read(upToCount: 1 << 20), !part.isEmpty {
                    try await devices.read(Array(part))
                }
                let counts = try await devices.finish()
                try report.close()
                return counts.report(isDryRun: dryRun)
            } catch {
                try await devices.abandon()
                throw error
            }
        }
        try printReport(result)
    }

    /// Uploads the file to a running server.
    private func upload() async throws {
        let report = try RejectReport(path: rejects)
        let url = URL(fileURLWithPath: file)
        let options = destination.options
        let answer: ImportReport = try await options.run { api in
            guard FileManager.default.isReadableFile(atPath: file) else {
                throw CommandFailure(.missing, "Cannot read \(file).")
            }
            return try await api.upload(
                "/v1/device-import",
                [
                    APIName.app: "\(try await options.appID(api))",
                    "dryRun": dryRun ? "true" : nil,
                    "ignoreUnknownColumns": ignoreUnknownColumns ? "true" : nil,
                ],
                .file(url),
                contentType: format == .csv ? "text/csv; charset=utf-8" : "application/x-ndjson"
            )
        }
        for problem in answer.problems { report.add(line: problem.line, problem: problem.problem) }
        try report.close()
        if answer.problems.count < answer.rejected, !destination.options.json {
            print("The first \(answer.problems.count) invalid lines are listed; correct and import them again.")
        }
        try printReport(answer)
    }

    // MARK: - Private

    private func printReport(_ report: ImportReport) throws {
        if destination.options.json { try OperatorOutput.print(report) } else { print(Self.text(report)) }
        guard report.added + report.replaced + report.registered + report.users == 0, report.rejected > 0 else {
            return
        }
        throw CommandFailure(.negative, "No line was good: nothing is imported.")
    }

    private func input() throws -> FileHandle {
        guard file != "-" else { return .standardInput }
        guard let handle = FileHandle(forReadingAtPath: file) else {
            throw CommandFailure(.missing, "Cannot read \(file).")
        }
        return handle
    }

    private static func text(_ counts: ImportReport) -> String {
        """
        \(counts.added) devices added, \(counts.replaced) described again, \(counts.registered) left alone because their \
        app has registered them, \(counts.rejected) bad lines.
        """
    }
}

extension DeviceFileFormat: ExpressibleByArgument {}
