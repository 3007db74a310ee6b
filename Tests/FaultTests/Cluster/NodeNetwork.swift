import Foundation

/// What is lost of what a node and the database tell each other.
enum Loss: String, CaseIterable {
    /// What the node sends never arrives.
    case requests
    /// The database hears and acts; its answers never arrive.
    case answers
}

/// How nodes reach the database and the simulated Apple, and how one of them is cut off from the database.
protocol NodeNetwork {
    /// A word for reports.
    var kind: String { get }
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
    /// Loses one direction between a node and the database from now on, without a word to either.
    func cut(_ node: Int, losing loss: Loss) async throws
    /// Carries everything again.
    func heal(_ node: Int) async throws
    /// Makes the database's answers late by so much.
    func delay(_ node: Int, by delay: Duration) async throws
    func remove() async throws
}

/// A network namespace for each node: packets vanish in the kernel, as on a broken wire.
///
/// A node reaches the simulated Apple and the database by two gateways, which are two addresses of the outer end of its
/// wire. What it sends to the database is lost when it has a wrong hardware address of the second.
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

    let kind = "namespaces"
    var appleHost: String { address(1) }
    private var databaseHost: String { address(2) }
    var databaseAddresses: [String] { [databaseHost] }

    func databaseAddress(of node: Int, port: Int) -> (host: String, port: Int) { (databaseHost, port) }
    func host(of node: Int) -> String { address(8 * (node + 1) + 3) }
    func launcher(of node: Int) -> [String] { [Self.program, "netns", "exec", namespace(node)] }

    func cut(_ node: Int, losing loss: Loss) throws {
        switch loss {
        case .requests:
            let nobody = ["lladdr", "02:00:00:00:00:01", "dev", "eth0", "nud", "permanent"]
            try run(in: node, ["neighbor", "replace", databaseGateway(of: node)] + nobody)
        case .answers: try Shell.run([Self.program, "rule", "add"] + answers(to: node))
        }
    }

    func heal(_ node: Int) {
        // Only one of them is there.
        _ = try? run(in: node, ["neighbor", "delete", databaseGateway(of: node), "dev", "eth0"])
        _ = try? Shell.run([Self.program, "rule", "delete"] + answers(to: node))
    }

    func delay(_ node: Int, by delay: Duration) throws {
        throw Shell.Missing(program: "a delay between namespaces: use relays")
    }

    func remove() {
        for node in 0..<count {
            heal(node)
            // With it go the two ends of its wire.
            _ = try? Shell.run(Self.program, "netns", "delete", namespace(node))
            _ = try? Shell.run(Self.program, "link", "delete", wire(node))
        }
        for address in [appleHost, databaseHost] {
            _ = try? Shell.run(Self.program, "address", "delete", address + "/32", "dev", "lo")
        }
    }

    // MARK: - Private

    private func address(_ last: Int) -> String { "10.203.\(block).\(last)" }
    private func appleGateway(of node: Int) -> String { address(8 * (node + 1) + 1) }
    private func databaseGateway(of node: Int) -> String { address(8 * (node + 1) + 2) }
    private func namespace(_ node: Int) -> String { "\(name)n\(node)" }
    private func wire(_ node: Int) -> String { "\(name)w\(node)" }
    private func answers(to node: Int) -> [String] { ["from", databaseHost, "to", host(of: node), "blackhole"] }

    private func add(_ node: Int) throws {
        let inside = ["peer", "name", "eth0", "netns", namespace(node)]
        try Shell.run(Self.program, "netns", "add", namespace(node))
        try Shell.run([Self.program, "link", "add", wire(node), "type", "veth"] + inside)
        for gateway in [appleGateway(of: node), databaseGateway(of: node)] {
            try Shell.run(Self.program, "address", "add", gateway + "/29", "dev", wire(node))
        }
        try Shell.run(Self.program, "link", "set", wire(node), "up")
        try run(in: node, ["address", "add", host(of: node) + "/29", "dev", "eth0"])
        try run(in: node, ["link", "set", "eth0", "up"])
        try run(in: node, ["link", "set", "lo", "up"])
        try run(in: node, ["route", "add", appleHost, "via", appleGateway(of: node)])
        try run(in: node, ["route", "add", databaseHost, "via", databaseGateway(of: node)])
    }

    private func run(in node: Int, _ arguments: [String]) throws {
        try Shell.run([Self.program, "-n", namespace(node)] + arguments)
    }
}

/// Loopback, and a relay between each node and the database: where namespaces are not allowed.
actor RelayNetwork: NodeNetwork {
    nonisolated let kind = "relay"
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

    func cut(_ node: Int, losing loss: Loss) { relays[node]?.swallow(loss) }
    func heal(_ node: Int) { relays[node]?.swallow(nil) }
    func delay(_ node: Int, by delay: Duration) { relays[node]?.delayAnswers(by: delay) }

    func remove() async throws {
        for relay in relays.values { try await relay.close() }
    }
}
