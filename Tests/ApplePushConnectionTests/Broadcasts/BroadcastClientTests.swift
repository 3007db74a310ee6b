import ApplePush
import Foundation
import NIOCore
import NIOHPACK
import NIOHTTP2
import NIOPosix
import Testing

@testable import ApplePushConnection

/// Channels and broadcasts over TLS and HTTP/2, against a server of swift-nio-http2's.
struct BroadcastClientTests {
    private let group = MultiThreadedEventLoopGroup.singleton
    private let id = UUID()
    private let bundleID: BundleID
    private let channel: ChannelID

    init() throws {
        bundleID = try #require(BundleID(rawValue: "com.example.app"))
        channel = try #require(ChannelID(rawValue: "dHN0LXNyY2g="))
    }

    /// A client whose two endpoints are these servers.
    private func client(
        _ management: ChannelServer,
        _ sending: ChannelServer? = nil,
        _ change: (inout BroadcastClient.Configuration) -> Void = { _ in }
    ) throws -> BroadcastClient {
        let server = sending ?? management
        var configuration = BroadcastClient.Configuration()
        configuration.trustRoots = .file(server.certificatePath)
        change(&configuration)
        return try BroadcastClient(
            endpoints: BroadcastEndpoints(
                management: Endpoint(host: "localhost", port: management.port),
                sending: Endpoint(host: "localhost", port: server.port)
            ),
            configuration: configuration,
            eventLoopGroup: group
        )
    }

    private func server(
        streams: Int = 100,
        protocols: [String] = ["h2"],
        _ script: @escaping ChannelServer.Script
    ) async throws -> ChannelServer {
        try await ChannelServer.start(on: group, streams: streams, protocols: protocols, script: script)
    }

    private let timeout = Duration.seconds(60)

    private func update() throws -> Broadcast {
        let date = Date(timeIntervalSince1970: 1_700_000_000)
        return try Broadcast(
            LiveActivityUpdate(contentState: ["score": 1], timestamp: date, urgency: .considerate),
            expiration: .nowOrNever
        )
    }

    private func text(_ fields: HPACKHeaders) -> [String] { fields.map { "\($0.name): \($0.value)" } }

    @Test("P-46 a channel is created with the id from APNs")
    func create() async throws {
        let server = try await server { _, _ in .answer(201, fields: [("apns-channel-id", "dHN0LXNyY2g=")]) }
        let client = try client(server)
        let outcome = await client.createChannel(
            storing: .mostRecentMessage,
            for: bundleID,
            token: Sample.token,
            requestID: id,
            timeout: timeout
        )

        #expect(outcome == .accepted(channel))
        let request = try #require(server.requests.first)
        #expect(
            text(request.fields) == [
                ":method: POST", ":scheme: https", ":path: /1/apps/com.example.app/channels",
                ":authority: localhost:\(server.port)", "apns-request-id: \(id.uuidString.lowercased())",
                "authorization: bearer \(Sample.token.rawValue)", "content-type: application/json",
            ]
        )
        #expect(request.body == #"{"message-storage-policy":1,"push-type":"LiveActivity"}"#)
        client.shutDown()
        await server.stop()
    }

    @Test("P-46 a channel is read by its id in a header")
    func read() async throws {
        let server = try await server { _, _ in
            .answer(200, body: #"{"message-storage-policy":0,"push-type":"LiveActivity"}"#)
        }
        let client = try client(server)
        let outcome = await client.readChannel(
            channel,
            of: bundleID,
            token: nil,
            requestID: id,
            timeout: timeout
        )

        #expect(outcome == .accepted(BroadcastChannel(storage: .nothing)))
        #expect(
            text(try #require(server.requests.first).fields) == [
                ":method: GET", ":scheme: https", ":path: /1/apps/com.example.app/channels",
                ":authority: localhost:\(server.port)", "apns-request-id: \(id.uuidString.lowercased())",
                "apns-channel-id: dHN0LXNyY2g=",
            ]
        )
        client.shutDown()
        await server.stop()
    }

    @Test("P-46 all channels are listed, also when there are 10,000", arguments: [0, 1, 10_000])
    func list(count: Int) async throws {
        let ids = (0..<count).map { Data("channel-number-\($0)".utf8).base64EncodedString() }
        let body = #"{"channels":[\#(ids.map { "\"\($0)\"" }.joined(separator: ","))]}"#
        let server = try await server { _, _ in .answer(200, body: body) }
        let client = try client(server)
        let outcome = await client.listChannels(of: bundleID, token: Sample.token, timeout: timeout)

        #expect(outcome == .accepted(ids.compactMap(ChannelID.init(rawValue:))))
        #expect(server.requests.first?.field(":path") == "/1/apps/com.example.app/all-channels")
        client.shutDown()
        await server.stop()
    }

    @Test("P-46 a channel is deleted, and 204 is success")
    func delete() async throws {
        let server = try await server { _, _ in .answer(204) }
        let client = try client(server)
        let outcome = await client.deleteChannel(channel, of: bundleID, token: Sample.token, timeout: timeout)

        guard case .accepted = outcome else {
            Issue.record("\(outcome)")
            return
        }
        let request = try #require(server.requests.first)
        #expect(request.field(":method") == "DELETE" && request.field("apns-channel-id") == "dHN0LXNyY2g=")
        client.shutDown()
        await server.stop()
    }

    @Test("P-18 P-46 a broadcast is sent to its own endpoint, always with priority and expiration")
    func send() async throws {
        let management = try await server { _, _ in .answer(500) }
        let sending = try await server { _, _ in .answer(200) }
        let client = try client(management, sending)
        let outcome = await client.send(
            try update(),
            to: channel,
            of: bundleID,
            token: Sample.token,
            requestID: id,
            timeout: timeout
        )

        guard case .accepted = outcome else {
            Issue.record("\(outcome)")
            return
        }
        let request = try #require(sending.requests.first)
        #expect(
            text(request.fields).sorted() == [
                ":authority: localhost:\(sending.port)", ":method: POST", ":path: /4/broadcasts/apps/com.example.app",
                ":scheme: https", "apns-channel-id: dHN0LXNyY2g=", "apns-expiration: 0", "apns-priority: 5",
                "apns-push-type: liveactivity", "apns-request-id: \(id.uuidString.lowercased())",
                "authorization: bearer \(Sample.token.rawValue)",
            ]
        )
        #expect(request.body == String(decoding: try update().payload.bytes, as: UTF8.self))
        #expect(management.connections == 0)
        client.shutDown()
        await management.stop()
        await sending.stop()
    }

    @Test("P-46 Apple's hosts and ports for channels differ from those for devices, and each can be set")
    func endpoints() {
        let production = BroadcastEndpoints.production
        let sandbox = BroadcastEndpoints.sandbox
        #expect(production.management == Endpoint(host: "api-manage-broadcast.push.apple.com", port: 2196))
        #expect(sandbox.management == Endpoint(host: "api-manage-broadcast.sandbox.push.apple.com", port: 2195))
        #expect(production.sending == .production && sandbox.sending == .sandbox)
        var other = production
        other.sending = Endpoint(host: "api-broadcast.push.apple.com")
        #expect(other.management == production.management && other.sending.port == 443)
    }

    @Test("P-25 P-28 a refusal is an answer with Apple's reason", arguments: RejectionReason.documentedForBroadcasts)
    func refusals(reason: RejectionReason) async throws {
        let server = try await server { _, _ in .answer(400, body: #"{"reason":"\#(reason.rawValue)"}"#) }
        let client = try client(server)
        let outcome = await client.listChannels(of: bundleID, token: Sample.token, timeout: timeout)
        #expect(outcome == .rejected(Rejection(reason, status: 400)))
        #expect(server.requests.count == 1)
        client.shutDown()
        await server.stop()
    }

    @Test(
        "P-28 a malformed 2xx answer is unknown",
        arguments: [
            "", "{}", "[]", #"{"channels":[7]}"#, #"{"channels":["not base64!"]}"#,
            #"{"channels":[]"# + String(repeating: " ", count: 1 << 20) + "}",
        ]
    )
    func malformed(body: String) async throws {
        let server = try await server { _, _ in .answer(200, body: body) }
        let client = try client(server)
        let outcome = await client.listChannels(of: bundleID, token: nil, timeout: timeout)
        #expect(outcome == .unknown(.malformedAnswer))
        client.shutDown()
        await server.stop()
    }

    @Test("P-28 a created channel without an id is unknown")
    func noID() async throws {
        let server = try await server { _, _ in .answer(201) }
        let client = try client(server)
        let outcome = await client.createChannel(storing: .nothing, for: bundleID, token: nil, timeout: timeout)
        #expect(outcome == .unknown(.malformedAnswer))
        client.shutDown()
        await server.stop()
    }
}

/// What goes wrong on the way.
extension BroadcastClientTests {
    @Test("P-05 a refused request is sent at most three times")
    func refusedStream() async throws {
        let server = try await server { _, number in
            number == 0 ? .reset(.refusedStream) : .answer(200, body: #"{"channels":[]}"#)
        }
        let client = try client(server)
        #expect(await client.listChannels(of: bundleID, token: nil, timeout: timeout) == .accepted([]))
        #expect(server.requests.count == 2 && server.connections == 1)
        client.shutDown()
        await server.stop()

        let stubborn = try await self.server { _, _ in .reset(.refusedStream) }
        let other = try self.client(stubborn)
        #expect(await other.listChannels(of: bundleID, token: nil, timeout: timeout) == .notSent(.refused))
        #expect(stubborn.requests.count == 3)
        other.shutDown()
        await stubborn.stop()
    }

    @Test("P-06 requests that GOAWAY excludes are sent over another connection")
    func goAway() async throws {
        let server = try await server { _, number in
            number == 0 ? .goAway(reason: "Shutdown") : .answer(200, body: #"{"channels":[]}"#)
        }
        let client = try client(server)
        #expect(await client.listChannels(of: bundleID, token: nil, timeout: timeout) == .accepted([]))
        #expect(server.connections == 2 && client.lastManagementClosure?.reason == .shutdown)
        client.shutDown()
        await server.stop()
    }

    @Test("P-07 a GOAWAY because of credentials is reported, and not retried")
    func credentials() async throws {
        let server = try await server { _, _ in .goAway(reason: "BadCertificateEnvironment") }
        let client = try client(server)
        #expect(await client.listChannels(of: bundleID, token: nil, timeout: timeout) == .notSent(.goAway))
        #expect(server.connections == 1 && client.lastManagementClosure?.reason == .badCertificateEnvironment)
        client.shutDown()
        await server.stop()
    }

    @Test("P-28 a connection lost after the request gives an unknown outcome, and the next one is new")
    func hangUp() async throws {
        let server = try await server { _, number in
            number == 0 ? .hangUp : .answer(200, body: #"{"channels":[]}"#)
        }
        let client = try client(server)
        #expect(await client.listChannels(of: bundleID, token: nil, timeout: timeout) == .unknown(.connectionLost))
        #expect(server.requests.count == 1)
        #expect(await client.listChannels(of: bundleID, token: nil, timeout: timeout) == .accepted([]))
        #expect(server.connections == 2)
        client.shutDown()
        await server.stop()
    }

    @Test("P-28 a reset stream gives an unknown outcome")
    func reset() async throws {
        let server = try await server { _, _ in .reset(.internalError) }
        let client = try client(server)
        #expect(await client.listChannels(of: bundleID, token: nil, timeout: timeout) == .unknown(.reset))
        #expect(server.requests.count == 1)
        client.shutDown()
        await server.stop()
    }

    @Test("P-37 the deadline ends the wait, and the next request has a connection of its own")
    func deadlines() async throws {
        let server = try await server { _, number in
            number == 0 ? .ignore : .answer(200, body: #"{"channels":[]}"#)
        }
        let client = try client(server)
        let late = await client.listChannels(of: bundleID, token: nil, timeout: .milliseconds(400))
        #expect(late == .unknown(.deadlinePassed) || late == .notSent(.deadlinePassed))
        #expect(await client.listChannels(of: bundleID, token: nil, timeout: .zero) == .notSent(.deadlinePassed))
        #expect(server.requests.count <= 1)
        client.shutDown()
        await server.stop()
    }

    @Test("P-37 cancelling the task ends the wait and resets the stream")
    func cancellation() async throws {
        let server = try await server { _, _ in .ignore }
        let client = try client(server)
        let bundleID = bundleID
        let timeout = timeout
        let task = Task { await client.listChannels(of: bundleID, token: nil, timeout: timeout) }
        await server.received(1)
        task.cancel()
        #expect(await task.value == .unknown(.cancelled))

        let early = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return await client.listChannels(of: bundleID, token: nil, timeout: timeout)
        }
        #expect(await early.value == .notSent(.cancelled))
        client.shutDown()
        await server.stop()
    }

    @Test("P-02 P-03 no more streams than APNs allows: the others wait")
    func streamLimit() async throws {
        let server = try await server(streams: 1) { _, _ in .answer(200, body: #"{"channels":[]}"#) }
        let client = try client(server)
        let timeout = timeout
        let outcomes = await withTaskGroup(of: BroadcastOutcome<[ChannelID]>.self) { tasks in
            for _ in 0..<50 {
                tasks.addTask { await client.listChannels(of: bundleID, token: Sample.token, timeout: timeout) }
            }
            return await tasks.reduce(into: []) { $0.append($1) }
        }
        #expect(outcomes == Array(repeating: .accepted([]), count: 50))
        #expect(server.connections == 1 && server.requests.count == 50)
        client.shutDown()
        await server.stop()
    }

    @Test("P-03 a request without a free stream before its deadline was not sent")
    func noFreeStream() async throws {
        let server = try await server(streams: 1) { _, _ in .ignore }
        let client = try client(server)
        let bundleID = bundleID
        let timeout = timeout
        let first = Task { await client.listChannels(of: bundleID, token: nil, timeout: timeout) }
        await server.received(1)
        let second = await client.listChannels(of: bundleID, token: nil, timeout: .milliseconds(50))
        #expect(second == .notSent(.deadlinePassed) && server.requests.count == 1)
        first.cancel()
        #expect(await first.value == .unknown(.cancelled))
        client.shutDown()
        await server.stop()
    }

    @Test("P-01 a server that is not trusted, lacks HTTP/2 or is unreachable gets nothing")
    func noConnection() async throws {
        let server = try await server { _, _ in .answer(200) }
        let old = try await self.server(protocols: ["http/1.1"]) { _, _ in .answer(200) }
        let clients = [
            try client(server) { $0.trustRoots = .system }, try client(old),
            try BroadcastClient(
                endpoints: BroadcastEndpoints(
                    management: Endpoint(host: "name.invalid", port: 1),
                    sending: .production
                ),
                eventLoopGroup: group
            ),
        ]
        for (client, cause) in zip(clients, [ConnectionClosure.Cause.connectFailed, .notHTTP2, .connectFailed]) {
            #expect(
                await client.listChannels(of: bundleID, token: nil, timeout: timeout) == .notSent(.noConnection)
            )
            #expect(client.lastManagementClosure?.cause == cause)
            client.shutDown()
        }
        #expect(server.requests.isEmpty && old.requests.isEmpty)
        await server.stop()
        await old.stop()
    }

    @Test("P-12 a channel's request passes over an address that refuses")
    func deadAddress() async throws {
        let server = try await server { _, _ in .answer(200, body: #"{"channels":[]}"#) }
        let port = server.port
        // The server listens at 127.0.0.1 alone.
        let client = try client(server) {
            $0.lookUp = { _, _ in
                try ["127.0.0.2", "127.0.0.3", "127.0.0.1"].map { try SocketAddress(ipAddress: $0, port: port) }
            }
        }
        #expect(await client.listChannels(of: bundleID, token: nil, timeout: timeout) == .accepted([]))
        #expect(server.connections == 1 && client.lastManagementClosure == nil)
        client.shutDown()
        await server.stop()
    }

    @Test("P-12 where nobody listens a channel's request ends at once, with the cause of every address")
    func nobodyListens() async throws {
        let server = try await server { _, _ in .answer(200) }
        let port = server.port
        let client = try client(server) {
            $0.connectTimeout = .seconds(600)
            $0.lookUp = { _, _ in
                try ["127.0.0.2", "127.0.0.3"].map { try SocketAddress(ipAddress: $0, port: port) }
            }
        }
        let outcome = await client.listChannels(of: bundleID, token: nil, timeout: .seconds(600))
        #expect(outcome == .notSent(.noConnection))
        let closure = try #require(client.lastManagementClosure)
        #expect(closure.cause == .connectFailed)
        #expect(closure.detail == "127.0.0.2:\(port): Connection refused; 127.0.0.3:\(port): Connection refused")
        client.shutDown()
        await server.stop()
    }

    @Test("P-44 channels work through a proxy, and a proxy's refusal is reported")
    func proxy() async throws {
        let server = try await server { _, _ in .answer(200, body: #"{"channels":[]}"#) }
        let proxy = try await FakeProxy.start(on: group) { _ in .tunnel }
        let through = try HTTPProxy(host: "127.0.0.1", port: proxy.port)
        let client = try client(server) { $0.proxy = through }
        #expect(await client.listChannels(of: bundleID, token: nil, timeout: timeout) == .accepted([]))
        #expect(proxy.questions.map(\.target) == ["localhost:\(server.port)"])
        client.shutDown()
        await proxy.stop()

        let strict = try await FakeProxy.start(on: group) { _ in .say("HTTP/1.1 403 No\r\ncontent-length: 0\r\n\r\n") }
        let refusing = try HTTPProxy(host: "127.0.0.1", port: strict.port)
        let other = try self.client(server) { $0.proxy = refusing }
        #expect(await other.listChannels(of: bundleID, token: nil, timeout: timeout) == .notSent(.noConnection))
        #expect(other.lastManagementClosure?.cause == .proxyFailed && server.requests.count == 1)
        other.shutDown()
        await strict.stop()
        await server.stop()
    }

    @Test("P-10 a connection that was idle too long is replaced")
    func idle() async throws {
        let server = try await server { _, _ in .answer(200, body: #"{"channels":[]}"#) }
        let client = try client(server) { $0.idleLimit = .zero }
        for _ in 0..<3 { _ = await client.listChannels(of: bundleID, token: nil, timeout: timeout) }
        #expect(server.connections == 3)
        client.shutDown()
        await server.stop()
    }

    @Test("P-14 after a shutdown nothing is sent")
    func shutDown() async throws {
        let server = try await server { _, _ in .answer(200) }
        let client = try client(server)
        client.shutDown()
        #expect(await client.listChannels(of: bundleID, token: nil, timeout: timeout) == .notSent(.shutDown))
        #expect(server.connections == 0)
        await server.stop()
    }
}
