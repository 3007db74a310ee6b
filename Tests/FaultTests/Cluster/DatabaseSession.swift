import Foundation
import TestSupport

/// Another client of the database, as an operator's terminal or a backup is, beside the nodes.
final class DatabaseSession {
    private let process = Process()
    private let output = Pipe()
    private let errors = Pipe()
    private let name: String

    /// Starts a program that ends by itself.
    init(_ command: [String], name: String) throws {
        self.name = name
        process.executableURL = URL(fileURLWithPath: command[0])
        process.arguments = Array(command.dropFirst())
        process.standardOutput = output
        process.standardError = errors
        process.standardInput = FileHandle.nullDevice
        try process.start()
    }

    deinit {
        if process.isRunning { process.terminate() }
    }

    var isRunning: Bool { process.isRunning }

    /// Reads all that it says and waits until it ends.
    ///
    /// - Returns: How many bytes it said.
    /// - Throws: ``Shell/Failure`` when it ended with anything but 0.
    @discardableResult
    func finish() throws -> Int {
        let count = output.fileHandleForReading.readDataToEndOfFile().count
        let text = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw Shell.Failure(command: name, status: process.terminationStatus, output: text)
        }
        return count
    }
}

extension PostgreSQLServer {
    /// Locks a table against everybody else, for a time from when the lock is there.
    func lock(_ table: String, for length: Duration) throws -> DatabaseSession {
        try hold("LOCK TABLE \(table) IN ACCESS EXCLUSIVE MODE", for: length)
    }

    /// Locks a table against all that write to it, for a time from when the lock is there.
    func lockAgainstWrites(_ table: String, for length: Duration) throws -> DatabaseSession {
        try hold("LOCK TABLE \(table) IN SHARE MODE", for: length)
    }

    /// Whether somebody has locked a table against all that write to it.
    func isLockedAgainstWrites(_ table: String) throws -> Bool {
        let locks = "relation = CAST('\(table)' AS regclass) AND mode = 'ShareLock' AND granted"
        return try ask("SELECT count(*) FROM pg_locks WHERE \(locks)") != "0"
    }

    /// Builds an index that nothing else does concurrently with, on a table so large that it takes a time.
    ///
    /// It is dropped in the end: the transaction is rolled back, so that a seed may come again.
    func buildIndex(on table: String, for length: Duration) throws -> DatabaseSession {
        try hold("CREATE INDEX ON \(table) (app_id)", for: length)
    }

    /// Starts `pg_dump`, whose output nobody reads until the session is finished: it keeps its locks until then, as with
    /// a large database or a slow disk.
    func dump() throws -> DatabaseSession {
        let arguments = ["-h", "127.0.0.1", "-p", "\(port)", "-U", "carillon", "carillon"]
        return try DatabaseSession([Self.programs + "pg_dump"] + arguments, name: "pg_dump")
    }

    private func hold(_ statement: String, for length: Duration) throws -> DatabaseSession {
        let arguments = ["-h", "127.0.0.1", "-p", "\(port)", "-U", "carillon", "-At", "-v", "ON_ERROR_STOP=1"]
        let script = ["BEGIN", statement, "SELECT pg_sleep(\(length.inSeconds))", "ROLLBACK"].flatMap { ["-c", $0] }
        return try DatabaseSession([Self.programs + "psql"] + arguments + script + ["carillon"], name: statement)
    }
}
