import ApplePush
import ApplePushConnection
import Foundation
import NIOConcurrencyHelpers
import NIOPosix
import Testing

/// The client, over TLS, with a server on the loopback.
struct APNsClientTests {
    private let group = MultiThreadedEventLoopGroup.singleton
    private let accepted = Outcome.accepted(uniqueID: nil)
    private let hex = String(repeating: "ab", count: 32)
    private let message = AlertMessage(title: "Tonight at eight")

    private func makeClient(
        port: Int,
        roots: TrustRoots,
        bundleID: String = "com.example.app",
        now: @escaping @Sendable () -> Date = { Date(timeIntervalSince1970: 1_800_000_000) }
    ) throws -> APNsClient {
        var configuration = ConnectionPool.Configuration()
        configuration.trustRoots = roots
        return try APNsClient(
            .tokens(ProviderTokenSource(key: SampleKey.make(), now: now)),
            bundleID: bundleID,
            endpoint: Endpoint(host: "localhost", port: port),
            configuration: configuration
        )
    }

    private func makeClient(_ server: LoopbackServer) throws -> APNsClient {
        try makeClient(port: server.port, roots: .file(server.certificatePath))
    }

    @Test("P-22 P-29 all callers share connections and one provider token")
    func shared() async throws {
        let server = try await LoopbackServer.start(on: group)
        let client = try makeClient(server)
        for _ in 0..<3 { #expect(try await client.send(message, to: hex) == accepted) }
        let devices = (0..<50).compactMap { APNsDeviceToken(bytes: [UInt8](repeating: $0, count: 32)) }
        #expect(try await client.send(message, to: devices) == Array(repeating: accepted, count: 50))
        #expect(server.requests == 53 && server.connections == 1)
        #expect(server.all.first?.authorizations.count == 1)
        await client.shutDown()
        #expect(try await client.send(message, to: hex) == .notSent(.shutDown))
        await server.stop()
    }

    @Test("P-31 what APNs refuses because of an expired token is sent again with a new one, once")
    func expiredToken() async throws {
        let server = try await LoopbackServer.start(on: group) { request, _ in
            request < 3 ? .answer(403, "ExpiredProviderToken") : .accept
        }
        let time = NIOLockedValueBox(Date(timeIntervalSince1970: 1_800_000_000))
        let client = try makeClient(port: server.port, roots: .file(server.certificatePath)) {
            time.withLockedValue { now in
                now += 1
                return now
            }
        }
        let devices = (0..<5).compactMap { APNsDeviceToken(bytes: [UInt8](repeating: $0, count: 32)) }
        #expect(try await client.send(message, to: devices) == Array(repeating: accepted, count: 5))
        #expect(server.requests == 8)
        #expect(Set(server.all.flatMap(\.authorizations)).count == 2)
        await client.shutDown()
        await server.stop()
    }

    @Test("P-32 a token that is expired again is the outcome, and the next call names the clock")
    func wrongClock() async throws {
        let server = try await LoopbackServer.start(on: group) { _, _ in .answer(403, "ExpiredProviderToken") }
        let client = try makeClient(server)
        let expected = Outcome.rejected(Rejection(.expiredProviderToken, status: 403))
        #expect(try await client.send(message, to: hex) == expected)
        #expect(server.requests == 2)
        await #expect(throws: ProviderTokenSource.ClockProblem.self) { try await client.send(message, to: hex) }
        #expect(server.requests == 2)
        await client.shutDown()
        await server.stop()
    }

    @Test("where nobody listens the call ends at once, with the cause")
    func nobodyListens() async throws {
        let server = try await LoopbackServer.start(on: group)
        await server.stop()
        let client = try makeClient(port: server.port, roots: .system)
        let problem = await #expect(throws: APNsClient.Problem.self) { try await client.send(message, to: hex) }
        guard case .unreachable(let closure) = problem else {
            Issue.record("\(String(describing: problem))")
            return
        }
        #expect(closure.cause == .connectFailed && !closure.detail.isEmpty)
        #expect("\(closure)".hasPrefix("ConnectFailed: "))
        await client.shutDown()
    }

    @Test("P-01 a server that is not trusted ends the call at once, with the cause")
    func notTrusted() async throws {
        let server = try await LoopbackServer.start(on: group)
        let client = try makeClient(port: server.port, roots: .system)
        let problem = await #expect(throws: APNsClient.Problem.self) { try await client.send(message, to: hex) }
        guard case .unreachable(let closure) = problem else {
            Issue.record("\(String(describing: problem))")
            return
        }
        #expect(closure.cause == .connectFailed && closure.detail.contains("CERTIFICATE_VERIFY_FAILED"), "\(closure)")
        #expect(server.requests == 0)
        await client.shutDown()
        await server.stop()
    }

    @Test("P-07 a GOAWAY because of credentials is thrown with its reason")
    func credentials() async throws {
        let server = try await LoopbackServer.start(on: group) { _, _ in
            .goAway(last: 0, reason: "InvalidProviderToken")
        }
        let client = try makeClient(server)
        let problem = await #expect(throws: APNsClient.Problem.self) { try await client.send(message, to: hex) }
        #expect(problem?.description.contains("InvalidProviderToken") == true, "\(String(describing: problem))")
        await client.shutDown()
        await server.stop()
    }

    @Test("ids and tokens that Apple has no use for are refused where they are given")
    func badInput() async throws {
        for bundleID in ["", "com example", String(repeating: "a", count: 201)] {
            #expect(throws: APNsClient.Problem.badBundleID) {
                try makeClient(port: 1, roots: .system, bundleID: bundleID)
            }
        }
        let client = try makeClient(port: 1, roots: .system)
        for token in ["", "abc", "zz", String(repeating: "ab", count: 257)] {
            await #expect(throws: APNsClient.Problem.badDeviceToken) { try await client.send(message, to: token) }
        }
        #expect(try await client.send(message, to: []).isEmpty)
        await client.shutDown()
    }
}
