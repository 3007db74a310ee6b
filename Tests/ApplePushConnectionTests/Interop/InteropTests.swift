import ApplePush
import ApplePushSimulator
import Crypto
import Foundation
import Logging
import NIOConcurrencyHelpers
import NIOCore
import NIOPosix
import Testing

@testable import ApplePushConnection

/// The client against servers that others wrote: thousands of notifications each, all answered, none twice.
struct InteropTests {
    private let group = MultiThreadedEventLoopGroup.singleton
    private let accepted = Outcome.accepted(uniqueID: nil)
    private var deadline: NIODeadline { .now() + .minutes(10) }

    private func pool(
        _ port: Int,
        trusting path: String,
        _ change: (inout ConnectionPool.Configuration) -> Void = { _ in }
    ) throws -> ConnectionPool {
        var configuration = ConnectionPool.Configuration()
        configuration.trustRoots = .file(path)
        configuration.maximumConnections = 2
        configuration.firstBackoff = .milliseconds(20)
        configuration.longestBackoff = .milliseconds(100)
        configuration.connectBurst = 10_000
        change(&configuration)
        return try ConnectionPool(
            endpoint: Endpoint(host: "localhost", port: port),
            configuration: configuration,
            eventLoopGroup: group
        )
    }

    @Test(
        "nghttpd accepts thousands, and its echo of each body is skipped",
        arguments: [[], ["-w", "10", "-c", "0"]]
    )
    func nghttpd(options: [String]) async throws {
        try await ServerFiles.with { files in
            let port = try await ServerProgram.freePort(on: group)
            let server = try ServerProgram(
                "nghttpd",
                ["-a", "127.0.0.1", "--echo-upload", "-m", "100"] + options
                    + [String(port), files.key, files.certificate]
            )
            defer { server.stop() }
            let pool = try pool(port, trusting: files.authority)
            // A body of 1,500 bytes does not fit the smaller window, so each is sent in pieces.
            for length in [160, 1500] {
                let outcomes = await pool.send(
                    Sample.batch(2000, bodyLength: length),
                    token: Sample.token,
                    deadline: deadline
                )
                #expect(outcomes == Array(repeating: accepted, count: 2000), "\(pool.status)")
            }
            await pool.shutDown()
        }
    }

    @Test(
        "P-06 P-16 Python's h2 finds no violation and no duplicate id, with and without GOAWAY in the middle",
        arguments: [0, 300]
    )
    func python(goodbye: Int) async throws {
        try await ServerFiles.with { files in
            let server = try ServerProgram(
                "python3",
                ["-c", PythonServer.script, files.certificate, files.key, String(goodbye)]
            )
            defer { server.stop() }
            let port = try #require(server.firstNumber(), "it needs python3-h2")
            let pool = try pool(port, trusting: files.authority)
            let outcomes = await pool.send(Sample.batch(3000), token: Sample.token, deadline: deadline)
            #expect(outcomes == Array(repeating: accepted, count: 3000), "\(pool.status)")
            if goodbye > 0 { #expect(pool.status.lastClosure?.reason == .shutdown) }
            await pool.shutDown()
        }
    }

    @Test("P-06 P-16 P-25 swift-nio-http2 as a server: each answer belongs to its notification, GOAWAY in the middle")
    func nioHTTP2() async throws {
        let answered = NIOLockedValueBox<[String: Int]>([:])
        let server = try await ChannelServer.start(on: group, streams: 200) { request, number in
            if number % 1500 == 1000 { return .goAway(reason: "Shutdown") }
            let id = request.field("apns-id") ?? ""
            answered.withLockedValue { $0[id, default: 0] += 1 }
            // A digit of the token decides, so that the test knows what must come.
            guard request.field(":path")?.hasPrefix("/3/device/0") == true else {
                return .answer(200, fields: [("apns-id", id)])
            }
            return .answer(
                410,
                fields: [("apns-id", id)],
                body: #"{"reason":"Unregistered","timestamp":1700000000000}"#
            )
        }
        let pool = try pool(server.port, trusting: server.certificatePath)
        let batch = Sample.batch(4000)
        let outcomes = await pool.send(batch, token: Sample.token, deadline: deadline)
        let gone = Outcome.rejected(
            Rejection(.unregistered, status: 410, tokenInvalidSince: Date(timeIntervalSince1970: 1_700_000_000))
        )
        for (index, outcome) in outcomes.enumerated() {
            let expected = Sample.tokenBytes(index)[0] < 16 ? gone : accepted
            // What was under way when the server closed, half answered perhaps, is unknown.
            #expect(outcome == expected || outcome.isUnknown, "\(outcome)")
        }
        let unknown = outcomes.count(where: \.isUnknown)
        #expect(unknown < 1000 && pool.status.lastClosure?.reason == .shutdown)
        await pool.shutDown()
        await server.stop()
    }

    @Test("P-02 P-06 our simulator, with a stream limit of one at first and a GOAWAY in the middle")
    func simulator() async throws {
        let key = P256.Signing.PrivateKey()
        var configuration = SimulatorConfiguration()
        configuration.keys = [
            ApplePushSimulator.SigningKey(keyID: "ABCDE12345", teamID: "TEAM567890", publicKey: key.publicKey)
        ]
        let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        let simulator = try APNsSimulator(configuration: configuration, logger: logger)
        var goodbye = Fault(.goAway, count: 3)
        goodbye.percent = 0.2
        simulator.handle.inject(goodbye)
        let signer = try ApplePush.SigningKey(
            pem: key.pemRepresentation,
            keyID: "ABCDE12345",
            teamID: "TEAM567890"
        )
        let token = try ProviderToken(signedWith: signer, at: Date())
        try await ServerFiles.with { files in
            try simulator.certificateAuthorityPEM.write(toFile: files.authority, atomically: true, encoding: .utf8)
            try await simulator.whileRunning { addresses in
                let pool = try pool(addresses.port, trusting: files.authority)
                let outcomes = await pool.send(Sample.batch(5000), token: token, deadline: deadline)
                #expect(outcomes.allSatisfy { if case .accepted = $0 { true } else { false } })
                #expect(simulator.handle.counters().accepted == 5000)
                await pool.shutDown()
            }
        }
    }
}

extension Outcome {
    fileprivate var isUnknown: Bool { if case .unknown = self { true } else { false } }
}
