import ApplePush
import ApplePushConnection
import Crypto
import Foundation
import NIOConcurrencyHelpers
import NIOCore
import NIOPosix
import NIOSSL
import Testing

/// Keys and certificates over real connections.
struct ConnectionPoolCredentialTests {
    private let group = MultiThreadedEventLoopGroup.singleton
    private let accepted = Outcome.accepted(uniqueID: nil)

    private func pool(
        _ server: LoopbackServer,
        _ change: (inout ConnectionPool.Configuration) -> Void = { _ in }
    ) throws -> ConnectionPool {
        var configuration = ConnectionPool.Configuration()
        configuration.trustRoots = .file(server.certificatePath)
        configuration.firstBackoff = .milliseconds(10)
        configuration.jitter = { 0.5 }
        change(&configuration)
        return try ConnectionPool(
            endpoint: Endpoint(host: "localhost", port: server.port),
            configuration: configuration,
            eventLoopGroup: group
        )
    }

    private func deadline(_ amount: TimeAmount = .seconds(120)) -> NIODeadline { .now() + amount }

    private func token(_ key: String) -> ProviderToken {
        ProviderToken(rawValue: "jwt.\(key)", keyID: key, issuedAt: .distantPast)
    }

    @Test("P-33 a connection that says TooManyProviderTokenUpdates is replaced, and the token stays the same")
    func tooManyTokenUpdates() async throws {
        let server = try await LoopbackServer.start(on: group) { request, connection in
            connection < 2 && request >= 5 ? .answer(429, "TooManyProviderTokenUpdates") : .accept
        }
        let pool = try pool(server) { $0.maximumConnections = 1 }
        var accepted = 0
        var refused = 0
        // A caller as ours are: what is refused for now is sent again, with the token it had.
        var batch = Sample.batch(500)
        while batch.count > 0 {
            let outcomes = await pool.send(batch, token: token("K"), deadline: deadline())
            accepted += outcomes.count { $0 == self.accepted }
            refused += outcomes.count { $0 == .rejected(Rejection(.tooManyProviderTokenUpdates, status: 429)) }
            batch = Sample.batch(outcomes.count { $0 != self.accepted })
        }
        #expect(accepted == 500 && refused > 0)
        let connections = server.all
        #expect(connections.count == 3 && connections.allSatisfy { $0.authorizations == ["bearer jwt.K"] })
        #expect(pool.metrics.closures[.wornOut] == 2)
        #expect(pool.metrics.rejected == [.tooManyProviderTokenUpdates: refused])
        await pool.shutDown()
        await server.stop()
    }

    @Test("P-34 a key is replaced under load: nothing is lost, and no connection carries two keys")
    func keyRotation() async throws {
        let server = try await LoopbackServer.start(on: group)
        let pool = try pool(server)
        let deadline = deadline()
        let outcomes = await withTaskGroup(of: [Outcome].self) { tasks in
            for turn in 0..<60 {
                let key = turn < 30 ? "OLD" : "NEW"
                tasks.addTask { await pool.send(Sample.batch(100), token: token(key), deadline: deadline) }
            }
            return await tasks.reduce(into: []) { $0 += $1 }
        }
        #expect(outcomes == Array(repeating: accepted, count: 6000))
        #expect(server.all.allSatisfy { $0.authorizations.count <= 1 }, "\(server.all)")
        #expect(Set(server.all.flatMap(\.authorizations)) == ["bearer jwt.OLD", "bearer jwt.NEW"])
        await pool.shutDown()
        await server.stop()
    }

    @Test("P-34 after a revoked key sending continues over new connections with the new one")
    func revocation() async throws {
        let (asked, signal) = AsyncStream.makeStream(of: Void.self)
        let server = try await LoopbackServer.start(on: group) { request, connection in
            if connection == 0, request == 1 { signal.yield() }
            return connection == 0 && request > 0 ? .hold : .accept
        }
        let pool = try pool(server) { $0.maximumConnections = 1 }
        let deadline = deadline()
        async let outcomes = pool.send(Sample.batch(5000), token: token("OLD"), deadline: deadline)
        for await _ in asked { break }
        pool.replaceCredentials(with: token("NEW"))
        server.release()

        #expect(await outcomes == Array(repeating: accepted, count: 5000))
        #expect(server.all.map(\.authorizations) == [["bearer jwt.OLD"], ["bearer jwt.NEW"]])
        #expect(server.requests == 5000)
        await pool.shutDown()
        await server.stop()
    }

    // MARK: - Certificates

    private func identity(_ certificate: TestCertificate, _ key: P256.Signing.PrivateKey) throws -> ClientIdentity {
        let bundle = NIOSSLPKCS12Bundle(
            certificateChain: [certificate.nio],
            privateKey: try NIOSSLPrivateKey(bytes: Array(key.pemRepresentation.utf8), format: .pem)
        )
        return try ClientIdentity(p12: bundle.serialize(passphrase: "secret".utf8), passphrase: "secret")
    }

    @Test("P-02 with a client certificate no token is sent, and the limit of the first SETTINGS applies at once")
    func certificate() async throws {
        let key = P256.Signing.PrivateKey()
        let certificate = try TestCertificate.make(key, name: "com.example.app", isAuthority: true)
        let identity = try identity(certificate, key)
        // It answers nothing until as many have come as it allows at once.
        let server = try await LoopbackServer.start(on: group, streams: 50, clients: [certificate.nio]) { request, _ in
            request < 50 ? .gather(50) : .accept
        }
        let pool = try pool(server) {
            $0.identity = identity
            $0.maximumConnections = 1
        }
        let outcomes = await pool.send(Sample.batch(200), token: token("K"), deadline: deadline())
        #expect(outcomes == Array(repeating: accepted, count: 200))
        #expect(server.all.map(\.hasCertificate) == [true] && server.all.map(\.authorizations) == [[""]])
        #expect(pool.metrics.providerTokenIssuedAt == nil)
        await pool.shutDown()
        await server.stop()
    }

    @Test("P-34 a renewed certificate replaces the old one without a lost notification")
    func certificateRotation() async throws {
        let key = P256.Signing.PrivateKey()
        let old = try TestCertificate.make(key, name: "old.example.app", isAuthority: true)
        let new = try TestCertificate.make(key, name: "new.example.app", isAuthority: true)
        let identities = try (identity(old, key), identity(new, key))
        let server = try await LoopbackServer.start(on: group, clients: [old.nio, new.nio])
        let pool = try pool(server) {
            $0.identity = identities.0
            $0.maximumConnections = 2
        }
        let deadline = deadline()
        #expect(await pool.send(Sample.batch(10), token: nil, deadline: deadline).allSatisfy { $0 == accepted })
        async let during = pool.send(Sample.batch(5000), token: nil, deadline: deadline)
        try pool.replaceCredentials(with: identities.1)
        let outcomes = await during
        #expect(outcomes == Array(repeating: accepted, count: 5000))
        #expect(server.all.count >= 2 && server.all.allSatisfy(\.hasCertificate))
        await pool.shutDown()
        await server.stop()
    }

    @Test("P-12 each connection begins with another of the name's current addresses")
    func addresses() async throws {
        let server = try await LoopbackServer.start(on: group, host: "0.0.0.0") { request, _ in
            request == 10 ? .goAway(last: 19, reason: "Shutdown") : .accept
        }
        let lookups = NIOLockedValueBox(0)
        let port = server.port
        let pool = try pool(server) {
            $0.maximumConnections = 1
            $0.lookUp = { _, _ in
                lookups.withLockedValue { $0 += 1 }
                return try ["127.0.0.1", "127.0.0.2", "127.0.0.3"].map { try SocketAddress(ipAddress: $0, port: port) }
            }
        }
        let outcomes = await pool.send(Sample.batch(60), token: nil, deadline: deadline())
        #expect(outcomes == Array(repeating: accepted, count: 60))
        let addresses = server.all.map(\.address)
        #expect(Set(addresses.prefix(3)) == ["127.0.0.1", "127.0.0.2", "127.0.0.3"])
        #expect(zip(addresses, addresses.dropFirst()).allSatisfy { $0 != $1 })
        #expect(lookups.withLockedValue { $0 } == addresses.count)
        await pool.shutDown()
        await server.stop()
    }

    @Test("P-12 an address that refuses is passed over, and the next one gets the connection")
    func deadAddress() async throws {
        let server = try await LoopbackServer.start(on: group)
        let port = server.port
        let addresses = ["127.0.0.1", "127.0.0.2", "127.0.0.3"]
        for first in addresses.indices {
            let pool = try pool(server) {
                $0.firstBackoff = .seconds(60)
                $0.lookUp = { _, _ in
                    try (addresses[first...] + addresses[..<first]).map { try SocketAddress(ipAddress: $0, port: port) }
                }
            }
            #expect(await pool.send(Sample.batch(1), token: nil, deadline: deadline(.seconds(20))) == [accepted])
            #expect(server.connections == first + 1 && pool.metrics.closures.isEmpty)
            await pool.shutDown()
        }
        await server.stop()
    }

    @Test("P-13 a connection is replaced after its maximum number of requests, with nothing lost or sent twice")
    func maximumRequests() async throws {
        let server = try await LoopbackServer.start(on: group)
        let pool = try pool(server) {
            $0.maximumConnections = 1
            $0.maximumRequestsPerConnection = 100
            $0.connectBurst = 100
        }
        let outcomes = await pool.send(Sample.batch(1000), token: token("K"), deadline: deadline())
        #expect(outcomes == Array(repeating: accepted, count: 1000))
        #expect(server.requests == 1000 && server.all.allSatisfy { $0.requests <= 100 })
        await pool.shutDown()
        await server.stop()
    }

    @Test("P-36 callers who wait for room send more than the queue holds")
    func waitsForRoom() async throws {
        let server = try await LoopbackServer.start(on: group)
        let pool = try pool(server) { $0.maximumWaiting = 100 }
        let deadline = deadline()
        let outcomes = await withTaskGroup(of: [Outcome].self) { tasks in
            for _ in 0..<50 {
                tasks.addTask {
                    await pool.send(Sample.batch(100), token: nil, deadline: deadline, whenFull: .wait)
                }
            }
            return await tasks.reduce(into: []) { $0 += $1 }
        }
        #expect(outcomes == Array(repeating: accepted, count: 5000))
        await pool.shutDown()
        await server.stop()
    }
}
