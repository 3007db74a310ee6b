import Foundation

/// How nodes reach the database and the simulated Apple, and how one of them is cut off from the database.
protocol NodeNetwork {
    /// Where the simulated Apple is to listen.
    var appleHost: String { get }
    /// Where the database is to listen beside loopback.
    var databaseAddresses: [String] { get }
    /// Where a node finds the database.
    func databaseAddress(of node: Int, port: Int) async throws -> (host: String, port: Int)
    /// Where a node is to listen.
    func host(of node: Int) -> String
    /// What starts a node's process in its place.
    func launcher(of node: Int) -> [String]
    /// Loses everything between a node and the database from now on, without a word to either.
    func cut(_ node: Int) async throws
    func heal(_ node: Int) async throws
    func remove() async throws
}

/// A network namespace for each node: what is cut is cut by the kernel, packets vanish.
struct NamespaceNetwork: NodeNetwork {
    private static let program = "/usr/sbin/ip"
    private let name: String
    private let block: Int
    private let count: Int

    /// Makes the namespaces.
    ///
    /// - Throws: ``Shell/Failure`` where the machine does not allow it; then nothing is left over.
    init(nodes count: Int) throws {
        self.count = count
        block = Int.random(in: 1..<250)
        name = "cf\(String(UInt32.random(in: .min ... .max), radix: 36))"
        do {
            for address in [appleHost, databaseHost] {
                try Shell.run(Self.program, "address", "add", address + "/32", "dev", "lo")
            }
            for node in 0..<count { try add(node) }
        } catch {
            remove()
            throw error
        }
    }

    var appleHost: String { "10.203.\(block).1" }
    private var databaseHost: String { "10.203.\(block).2" }
    var databaseAddresses: [String] { [databaseHost] }

    func databaseAddress(of node: Int, port: Int) -> (host: String, port: Int) { (databaseHost, port) }
    func host(of node: Int) -> String { "10.203.\(block).\(8 + 4 * node + 2)" }
    func launcher(of node: Int) -> [String] { [Self.program, "netns", "exec", namespace(node)] }

    func cut(_ node: Int) throws { try run(in: node, "route", "add", "blackhole", databaseHost + "/32") }
    func heal(_ node: Int) throws { try run(in: node, "route", "del", "blackhole", databaseHost + "/32") }

    func remove() {
        for node in 0..<count {
            // With it go the two ends of its wire.
            _ = try? Shell.run(Self.program, "netns", "delete", namespace(node))
            _ = try? Shell.run(Self.program, "link", "delete", wire(node))
        }
        for address in [appleHost, databaseHost] {
            _ = try? Shell.run(Self.program, "address", "delete", address + "/32", "dev", "lo")
        }
    }

    // MARK: - Private

    private func namespace(_ node: Int) -> String { "\(name)n\(node)" }
    private func wire(_ node: Int) -> String { "\(name)w\(node)" }

    private func add(_ node: Int) throws {
        let outer = "10.203.\(block).\(8 + 4 * node + 1)"
        try Shell.run(Self.program, "netns", "add", namespace(node))
        try Shell.run(
            Self.program,
            "link",
            "add",
            wire(node),
            "type",
            "veth",
            "peer",
            "name",
            "eth0",
            "netns",
            namespace(node)
        )
        try Shell.run(Self.program, "address", "add", outer + "/30", "dev", wire(node))
        try Shell.run(Self.program, "link", "set", wire(node), "up")
        try run(in: node, "address", "add", host(of: node) + "/30", "dev", "eth0")
        try run(in: node, "link", "set", "eth0", "up")
        try run(in: node, "link", "set", "lo", "up")
        try run(in: node, "route", "add", "default", "via", outer)
    }

    private func run(in node: Int, _ arguments: String...) throws {
        try Shell.run([Self.program, "-n", namespace(node)] + arguments)
    }
}

/// Loopback, and a relay between each node and the database: where namespaces are not allowed.
actor RelayNetwork: NodeNetwork {
    nonisolated let appleHost = "127.0.0.1"
    nonisolated let databaseAddresses: [String] = []
    private var relays: [Int: Relay] = [:]

    func databaseAddress(of node: Int, port: Int) async throws -> (host: String, port: Int) {
        if let relay = relays[node] { return ("127.0.0.1", relay.port) }
        let relay = try await Relay(to: port)
        relays[node] = relay
        return ("127.0.0.1", relay.port)
    }

    nonisolated func host(of node: Int) -> String { "127.0.0.1" }
    nonisolated func launcher(of node: Int) -> [String] { [] }

    func cut(_ node: Int) { relays[node]?.swallow(true) }
    func heal(_ node: Int) { relays[node]?.swallow(false) }

    func remove() async throws {
        for relay in relays.values { try await relay.close() }
    }
}
