import ArgumentParser
import CarillonImporters
import CarillonModel
import CarillonOperatorModel
import Foundation

/// `carillon switch-over`: what a move from another service needs besides the import.
struct SwitchOverCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "switch-over",
        abstract: "Compare another service with this server before moving.",
        subcommands: [SwitchOverCheckCommand.self]
    )
}

/// `carillon switch-over check`: whether a server has what another service's files have.
struct SwitchOverCheckCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Say what another service's files have and the server has not.",
        discussion: """
            Reads the files as `carillon import` does, writes nothing, and compares tokens, tags and consents, the last device \
            by device. A file with the tokens that a campaign of the other service reached (--from tokens) shows how many \
            of them the server has; --reach compares the other service's own number with the server's.

            It ends with 1 when tokens or tags are missing, when imported devices consent to more than the files say, or \
            when the files cannot be read to their ends.
            """
    )

    @Option(help: "The service, as `carillon import` names it: onesignal, pinpoint, toast, …")
    var from: String

    @OptionGroup var options: SourceImportOptions

    @Option(help: "Whether people consent to notifications, where the files do not say it.")
    var consent: SourceImportOptions.Answer?

    @Option(help: "The app whose devices count, of files with several.")
    var appName: String?

    @Option(help: "The field with the user, of Parse and Countly.")
    var userField: String?

    @Option(name: .customLong("column"), help: "The column of a field, of CORE PUSH's table, as token=device.")
    var columns: [String] = []

    @Option(help: "How many devices the other service says that a message to all reaches.")
    var reach: Int?

    func validate() throws {
        guard SourceFormats.all.contains(where: { $0.name == from }) else {
            throw ValidationError("--from must be one of \(SourceFormats.all.map { $0.name }.joined(separator: ", ")).")
        }
        guard options.destination.data == nil, options.destination.database == nil else {
            throw ValidationError("A check needs a running server: name it with --server or CARILLON_SERVER.")
        }
        _ = try SourceColumns.read(columns, fields: CorePushFormat.fields)
    }

    func run() async throws {
        guard let format = SourceFormats.all.first(where: { $0.name == from }) else { return }
        let result = try await options.destination.options.run { api in try await check(format, api) }
        if options.destination.options.json { try OperatorOutput.print(result) } else { print(result.text) }
        if let objection = result.objection { throw CommandFailure(.negative, objection) }
    }

    private func check<Format: SourceFormat>(_ format: Format.Type, _ api: OperatorAPI) async throws -> SwitchOverCheck
    {
        var source = try options.sourceOptions()
        // A list of tokens says nothing of consent, and is compared without it.
        let comparesConsents = consent != nil || Format.name != TokensFormat.name
        source.consent = comparesConsents ? consent.map { $0 == .yes } : false
        source.appName = appName
        source.columns = try SourceColumns.read(columns, fields: CorePushFormat.fields)
        if let userField { source.columns["user"] = userField }
        let app = "\(try await options.destination.options.appID(api))"
        let spool = InputSpool()
        defer { withExtendedLifetime(spool) {} }
        let (files, side) = try options.foundFiles(spool)
        var run = SourceImport<Format>(files: files, options: source, isDryRun: true, side: side)
        try run.survey()
        let target = CountingTarget(api.importTarget(app: app, isDryRun: true, reject: run.reject))
        let report = try await run.write(to: target)
        let query: [String: String?] = [APIName.app: app]
        let all = JSONValue.object(["audience": .object(["all": .bool(true)])])
        let estimate: AudienceEstimate = try await api.post("/v1/audience-estimate", query, all)
        return SwitchOverCheck(
            source: Format.title,
            report: report,
            counts: target.counts,
            missingTags: try await missingTags(target.counts.tags, api, query),
            estimate: estimate,
            reach: reach,
            comparesConsents: comparesConsents
        )
    }

    /// The tags of the files that the App does not have.
    private func missingTags(
        _ names: Set<String>,
        _ api: OperatorAPI,
        _ query: [String: String?]
    ) async throws -> [String] {
        var missing = names
        var cursor: String?
        repeat {
            let page: Page<Tag> = try await api.get(
                "/v1/tags",
                query.merging([APIName.cursor: cursor, APIName.limit: "100"]) { $1 }
            )
            for tag in page.items { missing.remove(tag.name) }
            cursor = page.nextCursor
        } while cursor != nil && !missing.isEmpty
        return missing.sorted()
    }
}

/// Counts what passes through to another target.
final class CountingTarget: SourceTarget {
    struct Counts {
        var consents = 0
        var ads = 0
        /// At most some thousands, which an App cannot have either.
        var tags: Set<String> = []
    }

    private static let maximumTagCount = 10_000

    private let target: any SourceTarget
    private(set) var counts = Counts()

    init(_ target: any SourceTarget) { self.target = target }

    func append(_ record: ImportRecord, at line: SourceLine) async throws {
        if record.registration.token != nil {
            if record.registration.consent.notifications { counts.consents += 1 }
            if record.registration.consent.notifications, record.registration.consent.ads { counts.ads += 1 }
        }
        if counts.tags.count < Self.maximumTagCount { counts.tags.formUnion(record.tags) }
        try await target.append(record, at: line)
    }

    var refusedUserCount: Int { target.refusedUserCount }

    var unlistedRefusalCount: Int { target.unlistedRefusalCount }

    func finish() async throws -> ImportReport { try await target.finish() }

    func abandon() async throws { try await target.abandon() }
}
