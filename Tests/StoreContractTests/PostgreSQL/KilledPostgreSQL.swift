import Foundation
import TestSupport
import Testing

/// A program that ended with an error.
private struct FailedProgram: Error {
    var name: String
}

/// A PostgreSQL server of the test that is killed like by a power cut.
///
/// It writes its log only at commits, so that uncommitted writes leave nothing.
final class KilledPostgreSQL {
    private static let programs = "/usr/lib/postgresql/15/bin/"
    static let isInstalled = FileManager.default.isExecutableFile(atPath: programs + "postgres")

    private let folder = URL(fileURLWithPath: "/tmp/carillon-killed-\(UUID().uuidString)")
    private let port: Int
    private var process: Process?

    var url: String { "postgres://carillon@127.0.0.1:\(port)/postgres?connect_timeout=60" }

    init() throws {
        port = try Self.freePort()
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        if getuid() == 0 { try run(["/usr/bin/chown", "postgres:postgres", folder.path]) }
        try run(
            asServer + [
                Self.programs + "initdb", "--pgdata", data, "--username", "carillon", "--auth", "trust",
                "--encoding", "UTF8", "--locale", "C", "--no-sync", "--no-instructions",
            ]
        )
        try start()
    }

    deinit {
        kill()
        try? FileManager.default.removeItem(at: folder)
    }

    /// Starts the server on the existing data, once the former processes have ended.
    func start() throws {
        let deadline = ContinuousClock.now + .seconds(60)
        repeat {
            try #require(ContinuousClock.now < deadline, "PostgreSQL does not start.")
            let process = make(
                asServer + [
                    Self.programs + "postgres", "-D", data, "-p", "\(port)", "-k", "",
                    "-c", "listen_addresses=127.0.0.1", "-c", "wal_writer_delay=10000", "-c", "autovacuum=off", "-c",
                    "checkpoint_timeout=1h",
                ]
            )
            try process.start()
            self.process = process
        } while !answers()
    }

    /// Kills the server, and first one of its sessions so that it cannot react.
    func kill(session: Int32 = 0) {
        guard let process else { return }
        if session > 0 { Foundation.kill(session, SIGKILL) }
        Foundation.kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
        self.process = nil
    }

    // MARK: - Private

    private var data: String { folder.appendingPathComponent("data").path }

    /// PostgreSQL refuses to run as root.
    private var asServer: [String] {
        getuid() == 0 ? ["/usr/bin/setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups", "--"] : []
    }

    private func answers() -> Bool {
        while process?.isRunning == true {
            let answer: Void? = try? run([Self.programs + "pg_isready", "-q", "-h", "127.0.0.1", "-p", "\(port)"])
            if answer != nil { return true }
        }
        return false
    }

    private func run(_ command: [String]) throws {
        let process = make(command)
        try process.start()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw FailedProgram(name: command[0]) }
    }

    private func make(_ command: [String]) -> Process {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: command[0])
        process.arguments = Array(command.dropFirst())
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        process.standardInput = FileHandle.nullDevice
        process.currentDirectoryURL = URL(fileURLWithPath: "/")
        return process
    }

    /// A port that was free a moment ago.
    private static func freePort() throws -> Int {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(descriptor) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, size) == 0 && getsockname(descriptor, $0, &size) == 0
            }
        }
        try #require(isBound)
        return Int(UInt16(bigEndian: address.sin_port))
    }
}
