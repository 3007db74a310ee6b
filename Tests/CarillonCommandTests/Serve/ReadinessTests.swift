import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import CarillonSQL
import CarillonServer
import CarillonStore
import Foundation
import NIOCore
import NIOPosix
import Testing

@testable import CarillonCommand

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// What `GET /ready` says of a node that cannot do its work.
struct ReadinessTests {
    private struct Body: Decodable {
        var status: String?
        var code: String?
        var hold: Bool?
        var reasons: [Readiness.Reason]?

        private enum CodingKeys: CodingKey { case status, code, hold, reasons }

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            // A problem's status is a number.
            status = try? container.decode(String.self, forKey: .status)
            code = try container.decodeIfPresent(String.self, forKey: .code)
            hold = try container.decodeIfPresent(Bool.self, forKey: .hold)
            reasons = try container.decodeIfPresent([Readiness.Reason].self, forKey: .reasons)
        }
    }

    /// Asks a node that runs.
    private func running(
        _ world: ServerDoctorWorld,
        holdsBack: Bool = false,
        _ body: @Sendable @escaping (ServerComposition, Int) async throws -> Void
    ) async throws {
        var configuration = world.configuration
        configuration.holdsBack = holdsBack
        configuration.readinessLifetime = .zero
        let server = try await ServerComposition(configuration, logger: ServerFolder.silent)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await server.run() }
            let port = try #require(await server.port.value)
            try await body(server, port)
            group.cancelAll()
        }
    }

    /// Asks a node of which only the API runs.
    private func ask(_ server: ServerComposition, _ node: NodeStatus) async throws -> (Int, Body) {
        let port = OnceValue<Int>()
        let api = APIServer(
            configuration: .init(),
            engine: server.engine,
            content: server.content,
            node: node,
            logger: ServerFolder.silent
        )
        let application = try api.application { port.set($0) }
        return try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await application.run() }
            let place = "http://127.0.0.1:\(try #require(await port.value))"
            let health = try await Self.get(place + "/health")
            #expect(health.0 == 200)
            let answer = try await Self.get(place + "/ready")
            group.cancelAll()
            return (answer.0, try JSONDecoder().decode(Body.self, from: answer.1))
        }
    }

    private static func get(_ address: String) async throws -> (Int, Data) {
        let request = URLRequest(url: try #require(URL(string: address)), timeoutInterval: 30)
        let (data, answer) = try await URLSession.shared.data(for: request)
        return (try #require(answer as? HTTPURLResponse).statusCode, data)
    }

    @Test("S1-operators-2 A node whose dispatcher does not run is unready, unless it is held or does not send")
    func dispatcherStopped() async throws {
        try await ServerDoctorWorld.with { world in
            try await world.server { server in
                let (status, body) = try await ask(server, server.node)
                #expect(status == 503)
                #expect(body.code == "dispatcher-stopped")
                #expect(body.reasons?.map(\.code) == ["dispatcher-stopped"])
            }
            var held = world.configuration
            held.holdsBack = true
            let server = try await ServerComposition(held, logger: ServerFolder.silent)
            defer { server.close() }
            let (status, body) = try await ask(server, server.node)
            #expect(status == 200)
            #expect(body.status == "ready" && body.hold == true && body.reasons == nil)
        }
    }

    @Test("S1-operators-2 A node whose master key does not open the store's secrets is unready, and names no secret")
    func masterKey() async throws {
        try await ServerDoctorWorld.with { world in
            try await running(world) { server, port in
                let group = MultiThreadedEventLoopGroup.singleton
                // Beside other tests an answer may take longer than a person would wait.
                let probe = ListeningProbe(configuration: Self.address(port), timeout: .minutes(1), group: group)
                // The server may listen a moment before its dispatcher runs.
                while await !server.node.readiness().isReady { await Task.yield() }
                #expect(await probe.state() == .served(.init(isReady: true, reasons: [])))
                try await server.stores.database.write { connection in
                    _ = try connection.run(
                        "UPDATE master_key_checks SET sealed = $1",
                        [UInt8](repeating: 9, count: 28)
                    )
                }
                let detail = "The node's master key does not open the store's secrets."
                #expect(await probe.state() == .served(.init(isReady: false, reasons: [detail])))
                let line = ServerFinding.listening(await probe.state(), at: probe.place).line
                #expect(line.hasPrefix("problem  listening: A server runs at 127.0.0.1:\(port) and is not ready: "))
                #expect(line.contains(detail))
            }
        }
    }

    @Test("S1-operators-2 APNs that is unreachable for two minutes degrades a node and leaves it ready")
    func unreachableAPNs() async throws {
        let now = Timestamp(rawValue: 1_800_000_000_000)
        let reasons = NodeReadiness.degradations(
            [("production", now.advanced(by: .seconds(-120))), ("sandbox", now.advanced(by: .seconds(-119)))],
            at: now
        )
        #expect(reasons.map(\.code) == ["apns-unreachable"])
        #expect(reasons.first?.detail.contains("production") == true)

        try await ServerDoctorWorld.with { world in
            try await world.server { server in
                var node = server.node
                node.readiness = {
                    var readiness = Readiness()
                    readiness.degradations = reasons
                    return readiness
                }
                let (status, body) = try await ask(server, node)
                #expect(status == 200)
                #expect(body.status == "degraded" && body.reasons == reasons)
            }
        }
    }

    @Test("S1-operators-2 An App without a push key leaves the node ready")
    func appWithoutKey() async throws {
        try await ServerDoctorWorld.with { world in
            try await running(world) { server, _ in
                _ = try await server.engine.apps.create(AppRequest(name: "Bus", bundleID: "org.example.bus"))
                while await !server.node.readiness().isReady { await Task.yield() }
                #expect(await server.node.readiness() == Readiness())
            }
        }
    }

    private static func address(_ port: Int) -> APIServer.Configuration {
        var configuration = APIServer.Configuration()
        configuration.port = port
        return configuration
    }
}
