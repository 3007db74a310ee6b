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
            Reads the files as `carillon import` does, writes nothing, and compares tokens, tags and consents. A file with \
            the tokens that a campaign of the other service reached (--from tokens) shows how many of them the server \
            has; --reach compares the other service's own number with the server's.

            It ends with 1 when tokens or tags are missing.
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

    @Option(help: "How many devices the other service says that a message to all reaches.")
    var reach: Int?

    func validate() throws {
        guard SourceFormats.all.contains(where: { $0.name == from }) else {
            throw ValidationError("--from must be one of \(SourceFormats.all.map { $0.name }.joined(separator: ", ")).")
        }
        guard options.destination.data == nil, options.destination.database == nil else {
            throw ValidationError("A check needs a running server.")
        }
    }

    func run() async throws {
        guard let format = SourceFormats.all.first(where: { $0.name == from }) else { return }
        let result = try await options.destination.options.run { api in try await check(format, api) }
        if options.destination.options.json { try OperatorOutput.print(result) } else { print(result.text) }
        guard result.isWhole else { throw CommandFailure(.negative, "The server lacks what the files have.") }
    }

    private func check<Format: SourceFormat>(_ format: Format.Type, _ api: OperatorAPI) async throws -> SwitchOverCheck
    {
        var source = try options.sourceOptions()
        source.consent = consent.map { $0 == .yes }
        source.appName = appName
        source.columns["user"] = userField
        let app = "\(try await options.destination.options.appID(api))"
        var run = SourceImport<Format>(
            files: try SourceFile.all(options.files, spool: nil),
            options: source,
            isDryRun: true,
            side: try SourceSideFiles(rejects: options.rejects, others: nil)
        )
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
            reach: reach
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
private final class CountingTarget: SourceTarget {
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

    func finish() async throws -> ImportReport { try await target.finish() }

    func abandon() async throws { try await target.abandon() }
}

/// What a check found.
struct SwitchOverCheck: Encodable {
    var source: String
    /// Tokens of the files that hold.
    var tokens: Int
    /// Of these, how many an app has registered here.
    var registered: Int
    /// How many were imported.
    var imported: Int
    /// How many the server does not have.
    var missing: Int
    var missingTags: [String]
    /// Devices of the files that consent to notifications, and to ads.
    var consents: Int
    var ads: Int
    /// What the server says that a message to all reaches.
    var reach: AudienceEstimate.Reach
    /// Whether that is exact.
    var isReachExact: Bool
    /// What the other service says.
    var otherReach: Int?

    /// Whether nothing is missing.
    var isWhole: Bool { missing == 0 && missingTags.isEmpty }

    fileprivate init(
        source: String,
        report: SourceReport,
        counts: CountingTarget.Counts,
        missingTags: [String],
        estimate: AudienceEstimate,
        reach: Int?
    ) {
        self.source = source
        (registered, imported, missing) = (report.registered, report.replaced, report.added)
        tokens = registered + imported + missing
        self.missingTags = missingTags
        (consents, ads) = (counts.consents, counts.ads)
        self.reach = estimate.reach
        isReachExact = estimate.isExact
        otherReach = reach
    }

    /// For people.
    var text: String {
        let about = isReachExact ? "" : "about "
        var lines = [
            "\(source): \(tokens) tokens. The server has \(registered + imported): \(registered) that an app has registered, "
                + "\(imported) imported.",
            missing == 0 ? "No token is missing." : "\(missing) tokens are missing: import the files.",
            missingTags.isEmpty
                ? "No tag is missing."
                : "\(missingTags.count) tags are missing: \(missingTags.prefix(10).joined(separator: ", ")).",
            "\(consents) of the files' devices consent to notifications; a message to all reaches \(about)\(reach.notifications) here.",
            "\(ads) of them consent to ads; an ad to all reaches \(about)\(reach.ads) here by day.",
        ]
        if let otherReach {
            let difference = reach.notifications - otherReach
            lines.append(
                "The other service says \(otherReach): \(difference == 0 ? "the same" : "\(abs(difference)) \(difference < 0 ? "fewer" : "more") here")."
            )
        }
        return lines.joined(separator: "\n")
    }
}
