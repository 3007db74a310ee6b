import ApplePushSimulator
import CarillonModel
import Foundation
import ServiceLifecycle

/// Writes the files of the simulator's clients and prints its addresses, as soon as it listens.
struct SimulatorAnnouncement: Service {
    /// The line of `--json`.
    struct Line: Codable {
        var host: String
        var port: Int
        /// The ports of all listeners by name.
        var ports: [String: Int]
        var controlPort: Int
        var caFile: String
        var keyFile: String
        var keyID: String
        var teamID: String
    }

    let simulator: APNsSimulator
    let sample: SampleKey
    let caFile: URL
    let isJSON: Bool
    /// Writes the clients' files: only by a simulator that listens, since they are those of the one that runs.
    let writeFiles: @Sendable () throws -> Void

    func run() async throws {
        // The simulator reports the error itself when a port is in use.
        guard let addresses = try? await simulator.addresses() else { return }
        try writeFiles()
        let line = Line(
            host: addresses.host,
            port: addresses.port,
            ports: addresses.ports,
            controlPort: addresses.controlPort,
            caFile: caFile.path,
            keyFile: sample.file.path,
            keyID: SampleKey.keyID,
            teamID: SampleKey.teamID
        )
        let text = isJSON ? try json(line) : Self.text(line)
        FileHandle.standardOutput.write(Data((text + "\n").utf8))
    }

    private func json(_ line: Line) throws -> String {
        return String(decoding: try JSONEncoder.sorted().encode(line), as: UTF8.self)
    }

    private static func text(_ line: Line) -> String {
        let control = "http://\(line.host):\(line.controlPort)"
        let senders = line.ports.sorted {
            ($0.value == line.port ? 0 : 1, $0.key) < ($1.value == line.port ? 0 : 1, $1.key)
        }
        .map { "  Senders       https://\(line.host):\($0.value)  (HTTP/2 over TLS, \($0.key))" }
        return """
            The APNs simulator is running.

            \(senders.joined(separator: "\n"))
              Page          \(control)
              Control API   \(control)/openapi.yaml
              CA to trust   \(line.caFile)
              Sample key    \(line.keyFile)
                            key id \(line.keyID), team id \(line.teamID)

              What arrived  curl \(control)/stats

            Ctrl-C stops it.
            """
    }
}
