import ApplePushSimulator
import ArgumentParser
import Crypto
import Foundation
import Testing

@testable import CarillonCommand

struct SimulateAPNsTests {
    @Test(
        "S1-h5 Beyond this machine the simulator logs a warning about its open control API",
        arguments: [
            ("127.0.0.1", false), ("127.0.0.9", false), ("::1", false), ("localhost", false), ("0.0.0.0", true),
            ("::", true),
            ("192.0.2.1", true),
        ]
    )
    func warns(_ host: String, _ isWarned: Bool) throws {
        let command = try SimulateAPNsCommand.parse(["--host", host])
        #expect((command.warning != nil) == isWarned)
    }

    @Test("A simulator whose port is in use leaves the files of the one that runs")
    func leavesFiles() async throws {
        let running = try SimulatedAPNs()
        try await running.runAll { addresses in
            let second = try SimulatedAPNs { $0.port = addresses.port }
            defer { try? FileManager.default.removeItem(at: second.folder) }
            let announcement = SimulatorAnnouncement(
                simulator: second.simulator,
                sample: try SampleKey(folder: second.folder),
                caFile: second.folder.appendingPathComponent("ca.pem"),
                isJSON: true
            ) { Issue.record("Files are written by a simulator that does not listen.") }
            async let announced: Void = announcement.run()
            await #expect(throws: ListenFailure.self) { try await second.simulator.run() }
            try await announced
        }
    }

    @Test("S1-h5 The usual folder for the sample key must be private to this user, and not a link")
    func checksFolder() throws {
        let files = FileManager.default
        let parent = files.temporaryDirectory.appendingPathComponent(UUID().uuidString, isDirectory: true)
        defer { try? files.removeItem(at: parent) }
        let folder = parent.appendingPathComponent("simulator", isDirectory: true)

        let made = try SampleKey(usualFolder: folder)
        let again = try SampleKey(usualFolder: folder)
        #expect(again.signingKey.publicKey.rawRepresentation == made.signingKey.publicKey.rawRepresentation)

        let link = parent.appendingPathComponent("link", isDirectory: false)
        try files.createSymbolicLink(at: link, withDestinationURL: folder)
        #expect(throws: CommandFailure.self) { try SampleKey(usualFolder: link) }

        try files.setAttributes([.posixPermissions: 0o770], ofItemAtPath: folder.path)
        #expect(throws: CommandFailure.self) { try SampleKey(usualFolder: folder) }
    }
}
