import ArgumentParser
import CarillonEngine
import CarillonImporters
import CarillonModel
import CarillonOperatorModel
import Foundation

/// The options that all imports from other services share.
struct SourceImportOptions: ParsableArguments {
    /// Apple's environments, as `--environment` names them.
    enum Environment: String, ExpressibleByArgument, CaseIterable {
        case production, sandbox

        var pushType: PushType { self == .production ? .apns : .apnsSandbox }
    }

    /// An answer of `--consent`.
    enum Answer: String, ExpressibleByArgument, CaseIterable { case yes, no }

    @OptionGroup var destination: ImportDestination

    @Argument(
        help: "Files and folders, also compressed with gzip; - for the standard input. All of them are one import.",
        completion: .file()
    )
    var files: [String] = []

    @Option(help: "Apple's environment of tokens whose file does not say it.")
    var environment: Environment?

    @Option(help: "Leave out devices that were not seen since this day or time; those without a date stay.")
    var activeSince: String?

    @Option(help: "What times without a zone are in, such as +09:00.")
    var timeZone: String?

    @Option(
        name: .customLong("category"),
        help: "An attribute whose values become categories of devices without a user; may be repeated."
    )
    var categories: [String] = []

    @Flag(help: "Take tags and attributes of users whose rows have no token, too.")
    var usersWithoutToken = false

    @Flag(help: "Only count: the same report, and nothing is written.")
    var dryRun = false

    @Option(help: "A file for the refused rows, CSV: line and reason. Otherwise they go to the standard error.")
    var rejects: String?

    @Option(help: "A file for devices of other platforms, JSON Lines with their tokens.")
    var others: String?

    @Option(help: "A file for the fields of columns that are not read, JSON Lines: file, line and fields.")
    var unread: String?

    func validate() throws {
        _ = try sourceOptions()
    }

    /// What these options say of the source.
    ///
    /// - Throws: `ValidationError` for a time or zone that is none.
    func sourceOptions() throws -> SourceOptions {
        var options = SourceOptions()
        options.environment = environment?.pushType
        options.keepsUsersWithoutToken = usersWithoutToken
        options.categoryNames = Set(categories)
        if let timeZone {
            guard SourceTime.read("2026-01-01T00:00:00", zone: timeZone) != nil else {
                throw ValidationError("--time-zone must be an offset such as +09:00, or Z.")
            }
            options.zone = timeZone
        }
        if let activeSince {
            guard let time = SourceTime.read(activeSince, zone: timeZone ?? "Z") else {
                throw ValidationError("--active-since must be a day or time such as 2026-01-31.")
            }
            options.activeSince = time
        }
        return options
    }

    /// The files of the import, and those that it writes besides.
    ///
    /// - Parameter spool: Where the standard input is copied.
    /// - Returns: Both.
    /// - Throws: `ValidationError` without a file, `CommandFailure` for one that is not there.
    func foundFiles(_ spool: InputSpool) throws -> (files: [SourceFile], side: SourceSideFiles) {
        guard !files.isEmpty else { throw ValidationError("Name a file, or - for the standard input.") }
        let found = try SourceFile.all(files, spool: spool)
        let paths = SourceSideFiles.Paths(rejects: rejects, others: others, unread: unread)
        return (found, try SourceSideFiles(paths, inputs: found))
    }

    /// Runs the import and prints its report.
    ///
    /// - Parameters:
    ///   - format: The service's format.
    ///   - job: What the files' own job says of them, if it has one.
    ///   - adapt: Adds what only this service's command knows.
    /// - Throws: `CommandFailure`; with status 1 when no row had an effect, 65 when a file is damaged.
    func run<Format: SourceFormat>(
        _ format: Format.Type,
        checking job: PinpointJob? = nil,
        _ adapt: (inout SourceOptions) -> Void = { _ in }
    ) async throws {
        var source = try sourceOptions()
        adapt(&source)
        let spool = InputSpool()
        defer { withExtendedLifetime(spool) {} }
        let (found, side) = try foundFiles(spool)
        if let objection = job?.objection(files: found.count) { throw CommandFailure(.data, objection) }
        var run = SourceImport<Format>(files: found, options: source, isDryRun: dryRun, side: side)
        try run.survey()
        let report = try await write(run)
        if destination.options.json { try OperatorOutput.print(report) } else { print(report.text) }
        let wrong = report.damaged + [job?.objection(rows: report.rows)].compactMap { $0 }
        if !wrong.isEmpty { throw CommandFailure(.data, wrong.joined(separator: "\n")) }
        guard report.isGood else { throw CommandFailure(.negative, "No row was good: nothing is imported.") }
    }

    /// Prints the rule of a segment.
    ///
    /// - Throws: `CommandFailure` naming what has no counterpart.
    func printRule(of path: String, _ rule: ([UInt8]) throws(SourceProblem) -> AudienceRule) throws {
        let bytes = [UInt8](try InputFile.contents(of: path))
        do throws(SourceProblem) {
            print(try rule(bytes).text)
        } catch {
            throw CommandFailure(.data, "The segment \(error).")
        }
    }

    private func write<Format: SourceFormat>(_ run: SourceImport<Format>) async throws -> SourceReport {
        let isDryRun = dryRun
        guard destination.isIntoServer else {
            return try await destination.withStore { stores, app in
                var options = DeviceImport.Options()
                options.isAlone = true
                options.isDryRun = isDryRun
                options.hasDistinctTokens = true
                options.mayNameTags = Format.mayNameTags
                if !isDryRun { await stores.record("carillon import \(Format.name)", app: app) }
                return try await run.write(to: StoreTarget(stores, app: app, options: options, reject: run.reject))
            }
        }
        return try await destination.options.run { api in
            let app = "\(try await destination.options.appID(api))"
            return try await run.write(to: api.importTarget(app: app, isDryRun: isDryRun, reject: run.reject))
        }
    }
}

extension OperatorAPI {
    /// An import into the server.
    func importTarget(
        app: String,
        isDryRun: Bool,
        reject: @escaping (SourceLine, String) -> Void
    ) -> ServerTarget {
        let query: [String: String?] = [APIName.app: app, "dryRun": isDryRun ? "true" : nil]
        return ServerTarget(
            isDryRun: isDryRun,
            { try await upload("/v1/device-import", query, .data($0), contentType: "application/x-ndjson") },
            reject: reject
        )
    }
}
