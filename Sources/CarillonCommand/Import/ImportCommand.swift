import ArgumentParser
import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import CarillonSQL
import CarillonStore
import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// `carillon import`: imports data.
struct ImportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract: "Bring data from another service.",
        subcommands: [ImportDevicesCommand.self]
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

    @OptionGroup var options: OperatorOptions

    @Argument(help: "The file; - for the standard input.", completion: .file(extensions: ["csv", "jsonl"]))
    var file: String

    @Option(help: "The folder with the server's database.")
    var data: String?

    @Option(help: "A PostgreSQL database, postgres://…, in place of the folder.")
    var database: String?

    @Option(help: "A file for the bad lines, CSV: number and reason. Otherwise they go to the standard error.")
    var rejects: String?

    @Option(help: "csv or jsonl (an object a line).")
    var format = DeviceFileFormat.csv

    @Flag(help: "Pass over columns of the header that are not known.")
    var ignoreUnknownColumns = false

    func validate() throws {
        _ = try options.namedApp()
        guard options.server == nil || !isIntoStore else {
            throw ValidationError("Give --server, or the store by --data or --database, not both.")
        }
        guard !isIntoServer || file != "-" else {
            throw ValidationError("With a server, a file is required: its length is sent first.")
        }
    }

    /// Whether the store is named.
    private var isIntoStore: Bool { data != nil || database != nil }

    /// Whether it is imported over the API: a named store takes precedence over the environment.
    private var isIntoServer: Bool {
        !isIntoStore
            && (options.server != nil || OperatorOptions.server(in: ProcessInfo.processInfo.environment) != nil)
    }

    func run() async throws {
        guard !isIntoServer else { return try await upload() }
        let input = try input()
        let report = try RejectReport(path: rejects)
        let opened = try openDatabase()
        defer { opened.close() }
        let result: ImportReport
        do {
            let clock = SystemWallClock()
            let stores = try await Stores(migrating: opened, now: clock.now())
            var options = DeviceImport.Options()
            options.format = format
            options.ignoresUnknownColumns = ignoreUnknownColumns
            options.isAlone = true
            let app = try await appID(stores)
            await stores.record("carillon import devices", app: app)
            var devices = DeviceImport(
                app: app,
                store: stores.deviceImports,
                tags: stores.tags,
                attributes: stores.attributes,
                clock: clock,
                options: options,
                reject: report.add
            )
            do {
                while let part = try input.read(upToCount: 1 << 20), !part.isEmpty {
                    try await devices.read(Array(part))
                }
                let counts = try await devices.finish()
                try report.close()
                result = ImportReport(
                    added: counts.added,
                    replaced: counts.replaced,
                    registered: counts.registered,
                    rejected: counts.rejected,
                    problems: []
                )
            } catch {
                try await devices.abandon()
                throw error
            }
        } catch let error as EngineError {
            throw Self.failure(error)
        } catch let error as StoreError {
            throw Self.failure(.store(error))
        }
        try printReport(result)
    }

    /// Uploads the file to a running server.
    private func upload() async throws {
        let report = try RejectReport(path: rejects)
        let url = URL(fileURLWithPath: file)
        let answer: ImportReport = try await options.run { api in
            guard FileManager.default.isReadableFile(atPath: file) else {
                throw CommandFailure(.missing, "Cannot read \(file).")
            }
            return try await api.upload(
                "/v1/device-import",
                [
                    APIName.app: "\(try await options.appID(api))",
                    "ignoreUnknownColumns": ignoreUnknownColumns ? "true" : nil,
                ],
                url,
                contentType: format == .csv ? "text/csv; charset=utf-8" : "application/x-ndjson"
            )
        }
        for problem in answer.problems { report.add(line: problem.line, problem: problem.problem) }
        try report.close()
        if answer.problems.count < answer.rejected, !options.json {
            print("The first \(answer.problems.count) invalid lines are listed; correct and import them again.")
        }
        try printReport(answer)
    }

    // MARK: - Private

    private func printReport(_ report: ImportReport) throws {
        if options.json { try OperatorOutput.print(report) } else { print(Self.text(report)) }
        guard report.added + report.replaced + report.registered == 0, report.rejected > 0 else { return }
        throw CommandFailure(.negative, "No line was good: nothing is imported.")
    }

    private func input() throws -> FileHandle {
        guard file != "-" else { return .standardInput }
        guard let handle = FileHandle(forReadingAtPath: file) else {
            throw CommandFailure(.missing, "Cannot read \(file).")
        }
        return handle
    }

    private func openDatabase() throws -> any Database {
        if let database {
            do {
                return try PostgreSQLDatabase(database)
            } catch {
                throw Self.failure(.store(error))
            }
        }
        let folder = DataFolder.url(configured: data, environment: ProcessInfo.processInfo.environment)
        let path = folder.appendingPathComponent("carillon.sqlite").path
        guard FileManager.default.fileExists(atPath: path) else {
            throw CommandFailure(
                .missing,
                "There is no store at \(path). `carillon serve` creates one; --data names another folder."
            )
        }
        var options = SQLiteDatabase.Options()
        options.sorterThreads = 2
        do {
            return try SQLiteDatabase(path: path, options: options)
        } catch {
            throw Self.failure(.store(error))
        }
    }

    private func appID(_ stores: Stores) async throws -> AppID {
        if let app = options.app.flatMap({ AppID($0) }) { return app }
        let apps = try await stores.apps.apps(after: nil, limit: 2)
        guard let only = apps.first, apps.count == 1 else {
            throw CommandFailure(
                apps.isEmpty ? .missing : .usage,
                apps.isEmpty
                    ? "The store has no App yet; make one first." : "The store has several Apps; name one with --app."
            )
        }
        return only.id
    }

    private static func text(_ counts: ImportReport) -> String {
        """
        \(counts.added) devices added, \(counts.replaced) described again, \(counts.registered) left alone because their \
        app has registered them, \(counts.rejected) bad lines.
        """
    }

    /// The failure of an import into a store.
    private static func failure(_ error: EngineError) -> any Error {
        switch error {
        case .notFound: CommandFailure(.missing, "There is no such App.")
        case .invalid, .invalidFields:
            CommandFailure(
                .data,
                "The file cannot be imported: \(error.fieldErrors.map(\.problem).joined(separator: "; "))."
            )
        case .store(.full):
            CommandFailure(
                .inputOutput,
                "The disk is full. Imported lines are stored; the same command can be run again."
            )
        default: CommandFailure.described(error)
        }
    }
}

extension DeviceFileFormat: ExpressibleByArgument {}

extension OperatorAPI {
    /// Uploads a file; the response follows after its end.
    ///
    /// - Throws: As ``call(_:_:_:body:contentType:)``.
    fileprivate func upload<Answer: Decodable>(
        _ path: String,
        _ query: [String: String?],
        _ file: URL,
        contentType: String
    ) async throws -> Answer {
        // The response follows at the end, an hour later for a file of hundreds of millions of lines.
        var request = URLRequest(url: try url(path, query), timeoutInterval: 86_400)
        request.httpMethod = "POST"
        request.setValue("Bearer " + key, forHTTPHeaderField: "Authorization")
        request.setValue(contentType, forHTTPHeaderField: "Content-Type")
        let (data, response) = try await URLSession.shared.upload(for: request, fromFile: file)
        guard (response as? HTTPURLResponse)?.statusCode == 200 else { throw Self.refusal(path, response, data) }
        return try JSONDecoder().decode(Answer.self, from: data)
    }
}
