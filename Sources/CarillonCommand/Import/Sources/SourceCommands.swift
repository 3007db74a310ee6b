import ArgumentParser
import CarillonImporters

/// What the discussions of all imports end with.
private let ending = """

    The files are read twice: first to find, of rows with one token, the one that holds (the newest that the service \
    uses), then to write. The same files may be imported again, also after an interruption: the end is the same. A device \
    that its app has registered is left alone, and a consent that was given up here is never raised.

    With --server or CARILLON_SERVER the rows go to that running server; a key with scope admin is required. Otherwise \
    they go into the store itself, the fastest way for millions; the server must be stopped meanwhile.
    """

/// `carillon import onesignal`.
struct ImportOneSignalCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "onesignal",
        abstract: "Bring devices from OneSignal's CSV export.",
        discussion: """
            The export has a row a subscription; extra_fields external_user_id, notification_types, country and \
            timezone_id belong in it. Tags become attributes of the user. It does not say which tokens are of Apple's \
            sandbox: --environment does.
            """ + ending
    )

    @OptionGroup var options: SourceImportOptions

    @Option(
        help: "Print the rule of an audience for a segment's filters, in a JSON file, and import nothing.",
        completion: .file()
    )
    var segment: String?

    func run() async throws {
        if let segment { return try options.printRule(of: segment, OneSignalSegment.rule) }
        try await options.run(OneSignalFormat.self)
    }
}

/// `carillon import pinpoint`.
struct ImportPinpointCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pinpoint",
        abstract: "Bring endpoints from Amazon Pinpoint's export.",
        discussion: """
            The parts of an export job (JSON Lines, .gz), or the console's CSV. Attributes, UserAttributes and Metrics \
            become attributes of the user; several values of one are a text with commas. --environment takes the place of \
            APNS and APNS_SANDBOX, if debug builds were stored as APNS.
            """ + ending
    )

    @OptionGroup var options: SourceImportOptions

    @Option(help: "How many parts the export job completed (CompletedPieces); another number of files is an error.")
    var pieces: Int?

    @Option(
        help: "A JSON file with the answer of GetExportJob: failed and missing parts and endpoints are errors.",
        completion: .file()
    )
    var job: String?

    @Option(
        help: "Print the rule of an audience for a segment, in a JSON file, and import nothing.",
        completion: .file()
    )
    var segment: String?

    func validate() throws {
        guard pieces == nil || job == nil else { throw ValidationError("Give --pieces or --job, not both.") }
    }

    func run() async throws {
        if let segment { return try options.printRule(of: segment, PinpointSegment.rule) }
        let known = try exportJob()
        try await options.run(PinpointFormat.self, checking: known)
        guard known == nil, !options.destination.options.json else { return }
        print("Whether all parts of the export are here is not known: --job or --pieces would tell.")
    }

    private func exportJob() throws -> PinpointJob? {
        guard let job else { return pieces.map { PinpointJob(pieces: $0) } }
        let bytes = [UInt8](try InputFile.contents(of: job))
        do throws(SourceProblem) {
            return try PinpointJob(bytes)
        } catch {
            throw CommandFailure(.data, "The job \(error).")
        }
    }
}

/// `carillon import toast`.
struct ImportToastCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "toast",
        abstract: "Bring tokens and tags from NHN Cloud Push (TOAST Push).",
        discussion: """
            Responses of GET tokens-by-cursor, tags/{tag}/uids and invalid-tokens, saved in files in any order; or a CSV \
            file with the names of tokens-by-cursor. Consents and their times are imported as they are.
            """ + ending
    )

    @OptionGroup var options: SourceImportOptions

    func run() async throws { try await options.run(ToastFormat.self) }
}

/// `carillon import corepush`.
struct ImportCorePushCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "corepush",
        abstract: "Bring device tokens of CORE PUSH from a table of your own.",
        discussion: """
            CORE PUSH has no export: the table is yours. It is a CSV file with a header; device_token, app_user_id and \
            category_id are found by these names, or by --column.
            """ + ending
    )

    @OptionGroup var options: SourceImportOptions

    @Option(help: "Whether people consent to notifications, if no column says so.")
    var consent: SourceImportOptions.Answer?

    @Option(
        name: .customLong("column"),
        help:
            "The column of a field, as token=device: token, user, category, consent, language, country, date, platform."
    )
    var columns: [String] = []

    func validate() throws { _ = try SourceColumns.read(columns, fields: CorePushFormat.fields) }

    func run() async throws {
        let columns = try SourceColumns.read(columns, fields: CorePushFormat.fields)
        try await options.run(CorePushFormat.self) {
            $0.consent = consent.map { $0 == .yes }
            $0.columns = columns
        }
    }
}

/// `carillon import airship`.
struct ImportAirshipCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "airship",
        abstract: "Bring channels from Airship's GET /api/channels.",
        discussion: """
            Responses saved in files, or a channel a line. Tags become the user's, or categories of a channel without a \
            named user. Tags that were given through named users are not in them: look the named users up.
            """ + ending
    )

    @OptionGroup var options: SourceImportOptions

    func run() async throws { try await options.run(AirshipFormat.self) }
}

/// `carillon import braze`.
struct ImportBrazeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "braze",
        abstract: "Bring devices from Braze's export of a segment.",
        discussion: """
            The unpacked files of /users/export/segment: a user a line, with external_id, push_tokens, push_subscribe, \
            custom_attributes, country, language, time_zone, apps, devices and uninstalled_at.
            """ + ending
    )

    @OptionGroup var options: SourceImportOptions

    @Option(help: "The app whose tokens are imported, as push_tokens names it.")
    var appName: String?

    func run() async throws { try await options.run(BrazeFormat.self) { $0.appName = appName } }
}

/// `carillon import parse`.
struct ImportParseCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "parse",
        abstract: "Bring installations from a Parse server.",
        discussion: """
            The collection _Installation as mongoexport writes it, or responses of GET /installations. Channels become tags \
            of the user, or categories of an installation without one; fields of your own become attributes of the user.
            """ + ending
    )

    @OptionGroup var options: SourceImportOptions

    @Option(help: "Whether people consent to notifications: Parse does not record it.")
    var consent: SourceImportOptions.Answer?

    @Option(help: "The field with the user, such as _p_user.")
    var userField: String?

    @Option(help: "The app whose installations are imported (appIdentifier).")
    var appName: String?

    func run() async throws {
        try await options.run(ParseFormat.self) {
            $0.consent = consent.map { $0 == .yes }
            $0.columns["user"] = userField
            $0.appName = appName
        }
    }
}

/// `carillon import countly`.
struct ImportCountlyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "countly",
        abstract: "Bring tokens from a Countly server.",
        discussion: """
            The collections app_users… and push_… of the app as mongoexport writes them, in any order; the first has the \
            people and only hashes of tokens, the second the tokens. They are joined in the temporary folder, \
            which takes about their size.
            """ + ending
    )

    @OptionGroup var options: SourceImportOptions

    @Option(help: "Whether people consent to notifications: these collections do not say it.")
    var consent: SourceImportOptions.Answer?

    @Option(help: "The field with the user, such as did when the app sets the device id to its user's.")
    var userField: String?

    func run() async throws {
        try await options.run(CountlyFormat.self) {
            $0.consent = consent.map { $0 == .yes }
            $0.columns["user"] = userField
        }
    }
}

/// `carillon import tokens`.
struct ImportTokensCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "tokens",
        abstract: "Bring device tokens, one a line.",
        discussion: "A plain file without a header: nothing but tokens of Apple's service in hexadecimal digits."
            + ending
    )

    @OptionGroup var options: SourceImportOptions

    @Option(help: "Whether people consent to notifications.")
    var consent: SourceImportOptions.Answer?

    func run() async throws {
        try await options.run(TokensFormat.self) { $0.consent = consent.map { $0 == .yes } }
    }
}

/// Names of columns, as `--column` gives them.
enum SourceColumns {
    /// - Throws: `ValidationError` for one that is not `FIELD=NAME` with a known field.
    static func read(_ texts: [String], fields: [String]) throws -> [String: String] {
        var columns: [String: String] = [:]
        for text in texts {
            let parts = text.split(separator: "=", maxSplits: 1).map(String.init)
            guard parts.count == 2, fields.contains(parts[0]) else {
                throw ValidationError("--column must be FIELD=NAME, with \(fields.joined(separator: ", ")).")
            }
            columns[parts[0]] = parts[1]
        }
        return columns
    }
}
