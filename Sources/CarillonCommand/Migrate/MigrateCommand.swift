import ArgumentParser
import CarillonEngine
import CarillonSQL
import CarillonStore
import Foundation

/// `carillon migrate`: copies an SQLite store to PostgreSQL.
struct MigrateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "migrate",
        abstract: "Move a server from its SQLite file to PostgreSQL.",
        discussion: """
            Run it while the server runs. It copies everything while the server continues, then asks to stop the \
            server; after that it copies the last changes, compares the counts of both sides, and marks the file as \
            migrated. Then start the server with --database and the same master key. Stop the server itself: \
            `systemctl stop carillon`, or SIGTERM. Until the end the file is in use and complete; cancel with Ctrl-C \
            and begin again with a new database.

            The PostgreSQL database must be new and empty. A password belongs in CARILLON_MIGRATE_TO or a file \
            (PGPASSFILE).
            """
    )

    @Option(help: "postgres://USER@HOST/DATABASE. Also CARILLON_MIGRATE_TO.")
    var to: String?

    @Option(help: "The folder with the server's database.")
    var data: String?

    @Option(help: "The SQLite file. (default: carillon.sqlite in the data folder)")
    var database: String?

    @Flag(help: "Print only errors.")
    var quiet = false

    func run() async throws {
        let environment = ProcessInfo.processInfo.environment
        guard let target = to ?? environment["CARILLON_MIGRATE_TO"] else {
            throw ValidationError("The destination is required: --to postgres://USER@HOST/DATABASE.")
        }
        guard case .postgreSQL = ServerStore(target) else {
            throw ValidationError("--to must be a URL that begins with postgres://.")
        }
        let folder = DataFolder.url(configured: data, environment: environment)
        let path = database ?? folder.appendingPathComponent("carillon.sqlite").path
        guard FileManager.default.fileExists(atPath: path) else {
            throw CommandFailure(.missing, "There is no store at \(path).")
        }
        let move = PostgreSQLMigration(path: path, target: target) { [quiet] step in
            if !quiet { Self.printStep(step) }
        }
        do {
            let counts = try await move.run(now: SystemWallClock().now())
            guard !quiet else { return }
            let rows = counts.reduce(0) { $0 + $1.moved }
            print("\(rows) rows of \(counts.count) tables are in PostgreSQL; the file is marked as moved.")
            print("Start the server with --database \(ServerStore(target).shown) and the same master key.")
        } catch {
            throw Self.failure(error)
        }
    }

    private static func printStep(_ step: PostgreSQLMigration.Progress) {
        switch step {
        case .copied(let table, let rows): print("Copied \(rows) rows of \(table).")
        case .counted(let table): print("PostgreSQL has all rows of \(table).")
        case .caughtUp(let changes): print("Copied \(changes) rows that had changed.")
        case .waitsForServer: print("Stop the server now; this ends by itself once it has ended.")
        }
        fflush(nil)
    }

    private static func failure(_ error: StoreError) -> any Error {
        guard case .full = error else { return CommandFailure.described(error) }
        return CommandFailure(.inputOutput, "A disk is full. The file is as it was; begin again with a new database.")
    }
}
