import ApplePush
import ApplePushConnection
import ApplePushSimulator
import ArgumentParser
import Foundation
import NIOCore
import NIOPosix
import Testing

@testable import CarillonCommand

/// `carillon channels` against our simulator, whose hosts for channels, broadcasts and devices are apart as Apple's are.
struct ChannelsEndToEndTests {
    private static func simulator() throws -> SimulatedAPNs {
        try SimulatedAPNs { configuration in
            configuration.rules.families = .pushHost
            var management = ListenerConfiguration(name: "management", rules: configuration.rules)
            management.rules.families = .managementHost
            var broadcast = ListenerConfiguration(name: "broadcast", rules: configuration.rules)
            broadcast.rules.families = .broadcastHost
            configuration.otherListeners = [management, broadcast]
        }
    }

    private func options(_ apns: SimulatedAPNs, _ addresses: APNsSimulator.Addresses) throws -> [String] {
        [
            "--key", apns.keyFile, "--key-id", SimulatedAPNs.keyID, "--team-id", SimulatedAPNs.teamID,
        ] + (try servers(apns, addresses))
    }

    private func servers(_ apns: SimulatedAPNs, _ addresses: APNsSimulator.Addresses) throws -> [String] {
        let management = try #require(addresses.ports["management"])
        let broadcast = try #require(addresses.ports["broadcast"])
        return [
            "--topic", SimulatedAPNs.topic, "--ca", apns.caFile, "--timeout", "60",
            "--management-server", "https://localhost:\(management)",
            "--broadcast-server", "https://localhost:\(broadcast)",
        ]
    }

    private func failure(_ work: () async throws -> Void) async -> ChannelFailure? {
        do {
            try await work()
            return nil
        } catch {
            return error as? ChannelFailure
        }
    }

    @Test("P-46 P-18 a channel's whole life: created, shown, listed, sent to, deleted")
    func life() async throws {
        let apns = try Self.simulator()
        try await apns.runAll { addresses in
            let options = try options(apns, addresses)
            let quiet = try await ChannelsCommand.CreateCommand.parse(options).create()
            let keeping = try await ChannelsCommand.CreateCommand.parse(options + ["--storage", "most-recent"]).create()
            #expect(apns.simulator.handle.channels().map(\.id) == [quiet.rawValue, keeping.rawValue])
            #expect(apns.simulator.handle.channels().map(\.storage) == [.none, .mostRecent])

            let shown = try await ChannelsCommand.ShowCommand.parse([keeping.rawValue] + options).text()
            #expect(shown.hasPrefix("storage    most-recent\npush type  "))
            #expect(try await ChannelsCommand.ListCommand.parse(options).list() == [quiet, keeping])

            let update = LiveActivityUpdate(contentState: ["score": 1], timestamp: Date())
            let message = try apns.write(
                String(decoding: try EncodedPayload(update.payload, limit: 5120).bytes, as: UTF8.self),
                to: "update.json"
            )
            try await ChannelsCommand.SendCommand.parse([quiet.rawValue, "--message", message] + options).run()
            let soon = String(Int64(Date().timeIntervalSince1970) + 600)
            try await ChannelsCommand.SendCommand
                .parse([keeping.rawValue, "--message", message, "--expiration", soon, "--priority", "5"] + options)
                .run()
            #expect(apns.simulator.handle.channels().map(\.broadcasts) == [1, 1])

            try await ChannelsCommand.DeleteCommand.parse([quiet.rawValue] + options).run()
            #expect(try await ChannelsCommand.ListCommand.parse(options).list() == [keeping])
            let gone = await failure {
                try await ChannelsCommand.DeleteCommand.parse([quiet.rawValue] + options).run()
            }
            #expect(gone == .refused(Rejection(.channelNotRegistered, status: 400)))
        }
    }

    @Test("P-25 P-46 refusals of channels and broadcasts are reported with their reason")
    func refusals() async throws {
        let apns = try Self.simulator()
        try await apns.runAll { addresses in
            let options = try options(apns, addresses)
            let quiet = try await ChannelsCommand.CreateCommand.parse(options).create()
            let message = try apns.write(#"{"aps":{"event":"end","timestamp":1}}"#, to: "end.json")
            let stored = await failure {
                try await ChannelsCommand.SendCommand
                    .parse([quiet.rawValue, "--message", message, "--expiration", "4102444800"] + options).run()
            }
            #expect(stored == .refused(Rejection(.badExpirationDate, status: 400)))

            let start = try apns.write(#"{"aps":{"event":"start","timestamp":1}}"#, to: "start.json")
            let starting = try ChannelsCommand.SendCommand.parse([quiet.rawValue, "--message", start] + options)
            await #expect(throws: ValidationError.self) { try await starting.run() }
            #expect(apns.simulator.handle.channels().first?.broadcasts == 0)

            apns.simulator.handle.setBroadcasting(false, for: SimulatedAPNs.topic)
            let off = await failure { _ = try await ChannelsCommand.CreateCommand.parse(options).create() }
            #expect(off == .refused(Rejection(.featureNotEnabled, status: 400)))

            apns.simulator.handle.revokeKey(SimulatedAPNs.keyID)
            let revoked = await failure { _ = try await ChannelsCommand.ListCommand.parse(options).list() }
            #expect(revoked == .refused(Rejection(.invalidProviderToken, status: 403)))
        }
    }

    @Test("P-46 channels with a client certificate, which is valid for its own app only")
    func certificate() async throws {
        let apns = try Self.simulator()
        try await apns.runAll { addresses in
            for (topic, expected) in [
                (SimulatedAPNs.topic, nil),
                ("com.example.other", ChannelFailure.refused(Rejection(.topicMismatch, status: 403))),
            ] {
                let files = try apns.certificate(ClientCertificateOrder(topic: topic))
                let options =
                    try servers(apns, addresses)
                    + ["--certificate", files.p12, "--passphrase-file", files.passphrase]
                let seen = await failure { _ = try await ChannelsCommand.ListCommand.parse(options).list() }
                #expect(seen == expected)
            }
        }
    }

    @Test("P-46 ten thousand channels are listed, and one more is refused")
    func many() async throws {
        let apns = try Self.simulator()
        try await apns.runAll { addresses in
            for _ in 0..<10_000 {
                _ = try apns.simulator.handle.createChannel(
                    of: SimulatedAPNs.topic,
                    in: .production,
                    storage: .none
                )
            }
            let options = try options(apns, addresses)
            #expect(try await ChannelsCommand.ListCommand.parse(options).list().count == 10_000)
            let full = await failure { _ = try await ChannelsCommand.CreateCommand.parse(options).create() }
            #expect(full == .refused(Rejection(.cannotCreateChannelConfiguration, status: 400)))
        }
    }
}
