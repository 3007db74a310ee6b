import Foundation
import TestSupport
import Testing

/// A PostgreSQL server of the test's own, in a temporary folder, to be killed and started again.
final class PostgreSQLServer {
    static let programs = "/usr/lib/postgresql/15/bin/"

    let port: Int
    private let folder: URL
    private let addresses: [String]
    private let launcher: [String]
    private var process: Process?

    /// Makes a cluster of databases and starts its server.
    ///
    /// - Parameters:
    ///   - folder: Where it goes; its parents must let any user through.
    ///   - addresses: Where it listens, beside loopback.
    ///   - launcher: An absolute path and arguments of what becomes the server when it has prepared something.
    /// - Throws: ``Shell/Failure``.
    init(folder: URL, addresses: [String] = [], launcher: [String] = []) throws {
        let isInstalled = FileManager.default.isExecutableFile(atPath: Self.programs + "postgres")
        try #require(isInstalled, "Debian's postgresql-15 is missing.")
        self.folder = folder
        self.addresses = ["127.0.0.1"] + addresses
        self.launcher = launcher
        port = try Self.freePort()
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        // It refuses to run as root.
        if getuid() == 0 { try Shell.run("/usr/bin/chown", "postgres:postgres", folder.path) }
        try Shell.run(
            Self.asServer + [
                Self.programs + "initdb", "--pgdata", data, "--username", "carillon", "--auth", "trust",
                "--encoding", "UTF8", "--locale", "C", "--no-sync", "--no-instructions",
            ]
        )
        try start()
        try Shell.run(Self.programs + "createdb", "-h", "127.0.0.1", "-p", "\(port)", "-U", "carillon", "carillon")
    }

    /// Starts the server on what lies in the folder and waits until it answers.
    func start() throws {
        // Addresses of the machine's own virtual networks are trusted as loopback is.
        let rules = folder.appendingPathComponent("data/pg_hba.conf")
        try "local all all trust\nhost all all 127.0.0.1/32 trust\nhost all all 10.0.0.0/8 trust\n"
            .write(to: rules, atomically: false, encoding: .utf8)
        // Backends of a server that was killed keep its memory for a moment, and a new one refuses to start until then.
        let deadline = ContinuousClock.now + .seconds(60)
        repeat {
            try #require(ContinuousClock.now < deadline, "PostgreSQL does not start.")
            try launch()
        } while !answers()
    }

    /// Asks for one row.
    ///
    /// - Returns: Its columns, with bars between them.
    func ask(_ sql: String) throws -> String {
        let command = ["psql", "-h", "127.0.0.1", "-p", "\(port)", "-U", "carillon", "-At", "-c", sql, "carillon"]
        let answer = try Shell.run([Self.programs + command[0]] + command.dropFirst())
        return answer.trimmingCharacters(in: .whitespacesAndNewlines)
    }

    /// Kills the server as a power cut does.
    ///
    /// Its children end by themselves.
    func killNow() {
        guard let process else { return }
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
        self.process = nil
    }

    /// Whether the server's first process lives.
    ///
    /// It ends by itself when it cannot recover, as on a full disk.
    var isRunning: Bool { process?.isRunning == true }

    deinit { killNow() }

    // MARK: - Private

    private var data: String { folder.appendingPathComponent("data").path }

    /// What makes a command run as the user that Debian's package made.
    private static var asServer: [String] {
        getuid() == 0 ? ["/usr/bin/setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups", "--"] : []
    }

    private func launch() throws {
        let command =
            Self.asServer + launcher + [
                Self.programs + "postgres", "-D", data, "-p", "\(port)", "-k", folder.path,
                "-c", "listen_addresses=" + addresses.joined(separator: ","), "-c", "max_connections=200",
            ]
        let process = Process()
        process.executableURL = URL(fileURLWithPath: command[0])
        process.arguments = Array(command.dropFirst())
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        process.standardInput = FileHandle.nullDevice
        try process.start()
        self.process = process
    }

    /// Waits until the server answers; false when it ended instead.
    private func answers() -> Bool {
        while process?.isRunning == true {
            let answer = try? Shell.run(Self.programs + "pg_isready", "-q", "-h", "127.0.0.1", "-p", "\(port)")
            if answer != nil { return true }
        }
        return false
    }

    /// A port that nobody had a moment ago.
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
