import ArgumentParser
import CarillonEngine
import CarillonModel
import CarillonSQL
import CarillonStore
import Foundation

/// `carillon doctor store`: checks a store.
struct DoctorStoreCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "store",
        abstract: "Examine a server's store beside the server, and change nothing.",
        discussion: """
            Checks the migrations, the indexes of devices, running erasures of Users, the chain of the audit log, and on \
            PostgreSQL the partitions of deliveries and events: those of the coming weeks, and rows in the default \
            partition. A password belongs in CARILLON_DATABASE or a file (PGPASSFILE).

            The exit code is 0 without problems, and 1 otherwise.
            """
    )

    @Option(help: "The folder with the server's database.")
    var data: String?

    @Option(help: "postgres://…, or the path of an SQLite file. Also CARILLON_DATABASE.")
    var database: String?

    @Flag(help: "Print JSON instead of text.")
    var json = false

    func run() async throws {
        let report: StoreReport
        do {
            report = try await examine(at: SystemWallClock().now())
        } catch let error as StoreError {
            throw CommandFailure.described(error)
        }
        print(json ? try report.json : report.text)
        if !report.isHealthy { throw ExitCode(1) }
    }

    /// Runs the examination of the options.
    func examine(at now: Timestamp) async throws -> StoreReport {
        let environment = ProcessInfo.processInfo.environment
        let folder = DataFolder.url(configured: data, environment: environment)
        let named = database ?? (data == nil ? environment["CARILLON_DATABASE"] : nil)
        let store = ServerStore(named ?? folder.appendingPathComponent("carillon.sqlite").path)
        switch store {
        case .file(let path):
            guard FileManager.default.fileExists(atPath: path) else {
                throw CommandFailure(.missing, "There is no store at \(path).")
            }
            let examination = try StoreExamination(ofFile: path)
            let chain = try await chain(examination, ReadOnlyDatabase(file: path))
            return StoreReport(store: store.shown, examination, chain)
        case .postgreSQL(let url):
            let opened = try PostgreSQLDatabase(url)
            defer { opened.close() }
            let examination = try await StoreExamination(of: opened, at: now)
            let chain = try await chain(examination, ReadOnlyDatabase(opened))
            return StoreReport(store: store.shown, examination, chain)
        }
    }

    /// Verifies the audit log of a store with this version's tables; `nil` for others.
    private func chain(
        _ examination: StoreExamination,
        _ database: ReadOnlyDatabase
    ) async throws(StoreError) -> AuditChainState? {
        guard examination.missingSteps.isEmpty, examination.unknownSteps.isEmpty, !examination.wasMoved else {
            return nil
        }
        return try await AuditChainState(of: Stores(on: database))
    }
}

/// The findings of `carillon doctor store`.
struct StoreReport: Hashable, Sendable, Encodable {
    /// A finding.
    struct StoreFinding: Hashable, Sendable, Encodable {
        var step: String
        var verdict: Finding.Verdict
        var text: String
        var advice: String?
    }

    var healthy: Bool
    /// The path, or the URL without its password.
    var store: String
    var findings: [StoreFinding] = []

    var isHealthy: Bool { healthy }

    init(store: String, _ examination: StoreExamination, _ chain: AuditChainState? = nil) {
        self.store = store
        healthy = true
        addSchema(examination)
        guard examination.missingSteps.isEmpty else { return }
        addIndexes(examination)
        for partitions in examination.partitions { addPartitions(partitions) }
        add(
            "erasures",
            .good,
            examination.hasErasures
                ? "Users are being erased; retention continues every five minutes." : "No erasure is left to do."
        )
        switch chain {
        case .broken(let fault)?: add("audit log", .bad, fault, AuditChainState.advice)
        case let whole?: add("audit log", .good, whole.text)
        case nil: break
        }
    }

    private mutating func addSchema(_ examination: StoreExamination) {
        if examination.isPreRelease, !examination.wasMoved {
            add(
                "schema",
                .bad,
                "A version before the first release made the schema.",
                "Export the Devices with that version, and import them into an empty database."
            )
        } else if let step = examination.unknownSteps.first {
            add("schema", .bad, "A newer version has the migration \"\(step)\".", "Use that version, or a newer one.")
        } else if !examination.missingSteps.isEmpty {
            add(
                "schema",
                .bad,
                "Steps are missing: \(examination.missingSteps.joined(separator: ", ")).",
                "Start this version's server on it once."
            )
        } else {
            add("schema", .good, "It is this version's.")
        }
    }

    private mutating func addIndexes(_ examination: StoreExamination) {
        guard !examination.missingIndexes.isEmpty else {
            return add("indexes", .good, "The indexes of devices are there.")
        }
        add(
            "indexes",
            .bad,
            "Indexes of devices are missing: \(examination.missingIndexes.joined(separator: ", ")).",
            "An import is running or was cut off. The next start builds them before it serves; its log shows how far it is."
        )
    }

    private mutating func addPartitions(_ partitions: StoreExamination.Partitions) {
        let table = partitions.table
        if partitions.missing.isEmpty {
            add("\(table) ahead", .good, "The weeks to come have their partitions.")
        } else {
            add(
                "\(table) ahead",
                .bad,
                "Weeks have no partition: \(partitions.missing.joined(separator: ", ")).",
                """
                Their rows go to the default partition, and nothing fails. Servers try again every five minutes: look for \
                long transactions (a dump) in pg_stat_activity, and for the log's "Weeks have no partition".
                """
            )
        }
        if partitions.hasDefaultRows {
            add(
                "\(table) default",
                .unknown,
                "The default partition has rows, in \(partitions.defaultSize >> 20) MiB.",
                "They are dropped row by row when they are too old, and weeks that have rows there get no partition."
            )
        } else {
            add("\(table) default", .good, "The default partition is empty.")
        }
        guard partitions.hasConstraint else { return }
        add(
            "\(table) constraint",
            .unknown,
            "The default partition has the constraint by which weeks are attached.",
            "Maintenance is running or was interrupted; the next round removes it."
        )
    }

    private mutating func add(
        _ step: String,
        _ verdict: Finding.Verdict,
        _ text: String,
        _ advice: String? = nil
    ) {
        findings.append(StoreFinding(step: step, verdict: verdict, text: text, advice: advice))
        if verdict == .bad { healthy = false }
    }

    /// The report as an indented JSON object.
    var json: String {
        get throws {
            return String(decoding: try JSONEncoder.sorted(.prettyPrinted).encode(self), as: UTF8.self)
        }
    }

    /// The report as text: a line a finding, with its advice below.
    var text: String {
        var lines = ["Store at \(store)"]
        for finding in findings {
            lines.append("  \(finding.verdict.mark) \(finding.step): \(finding.text)")
            if let advice = finding.advice { lines.append("      → \(advice)") }
        }
        lines.append(isHealthy ? "All is well." : "Something is wrong: see the lines marked ✗.")
        return lines.joined(separator: "\n")
    }
}
