import ApplePushConnection
import ApplePushSender
import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import CarillonServer
import CarillonStore
import Foundation
import MetricsTestKit
import Testing

@testable import CarillonCommand

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

struct ServerCompositionTests {
    /// Runs a server on a folder, and ends it when the body is done.
    private func run<Value: Sendable>(
        in folder: URL,
        _ body: @Sendable @escaping (ServerComposition, Int) async throws -> Value
    ) async throws -> Value {
        var configuration = ServerConfiguration(folder: folder)
        configuration.server.port = 0
        let server = try await ServerComposition(configuration, logger: ServerFolder.silent)
        return try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await server.run() }
            let port = try #require(await server.port.value)
            let value = try await body(server, port)
            group.cancelAll()
            return value
        }
    }

    private func mode(_ url: URL) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: url.path)[.posixPermissions] as? Int
    }

    @Test("A first start creates store, master key and admin key; a second one finds them")
    func startsTwice() async throws {
        try await ServerFolder.with { folder in
            let key = try await run(in: folder) { server, port in
                let key = try #require(server.firstKey?.secret)
                let status = try await Self.status("http://127.0.0.1:\(port)/v1/apps", key: key)
                #expect(status == 200)
                return key
            }
            let status = try await run(in: folder) { server, port in
                #expect(server.firstKey == nil)
                return try await Self.status("http://127.0.0.1:\(port)/v1/apps", key: key)
            }

            #expect(status == 200)
            #expect(try mode(folder) == 0o700)
            #expect(try mode(folder.appendingPathComponent("carillon.sqlite")) == 0o600)
            #expect(try mode(folder.appendingPathComponent("master.key")) == 0o600)
        }
    }

    /// What a server that must not start says.
    private func refusal(_ folder: URL) async -> String {
        do {
            try await ServerComposition(ServerConfiguration(folder: folder), logger: ServerFolder.silent).close()
            return ""
        } catch { return "\(error)" }
    }

    @Test("O2-2 A store without its master key is refused, and no key is created for it")
    func refusesMissingMasterKey() async throws {
        try await ServerFolder.with { folder in
            try await run(in: folder) { _, _ in }
            let key = folder.appendingPathComponent("master.key")
            try FileManager.default.removeItem(at: key)

            #expect(await refusal(folder).contains("no master key at \(key.path)"))
            #expect(!FileManager.default.fileExists(atPath: key.path))
        }
    }

    @Test("O2-2 A store with another one's master key is refused, before the first App too")
    func refusesWrongMasterKey() async throws {
        try await ServerFolder.with { folder in
            try await run(in: folder) { _, _ in }
            let key = folder.appendingPathComponent("master.key")
            let own = try Data(contentsOf: key)
            try FileManager.default.removeItem(at: key)
            _ = try MasterKeyFile.load(path: key.path)

            #expect(await refusal(folder).contains("The master key at \(key.path) is not the one"))

            try own.write(to: key)
            #expect(chmod(key.path, 0o600) == 0)
            try await run(in: folder) { _, _ in }
        }
    }

    @Test(
        "S1-m11 A master key that group or others can use is refused with the command to run",
        arguments: [0o640, 0o604]
    )
    func refusesOpenMasterKey(_ mode: Int) async throws {
        try await ServerFolder.with { folder in
            let path = folder.appendingPathComponent("master.key").path
            let key = try MasterKeyFile.load(path: path)
            #expect(chmod(path, mode_t(mode)) == 0)

            #expect(await refusal(folder).contains("chmod 600 \(path)"))

            #expect(chmod(path, 0o600) == 0)
            #expect(try MasterKeyFile.load(path: path) == key)
        }
    }

    @Test("A store in use by a server is not opened by another")
    func locksStore() async throws {
        try await ServerFolder.with { folder in
            try await run(in: folder) { _, _ in
                let second = try? await ServerComposition(
                    ServerConfiguration(folder: folder),
                    logger: ServerFolder.silent
                )
                #expect(second == nil)
            }
        }
    }

    @Test("P-42 the metrics include those of the dispatcher and the sender")
    func showsMetricsOfTheDispatcher() async throws {
        try await ServerFolder.with { folder in
            let page = try await run(in: folder) { _, port in
                let url = try #require(URL(string: "http://127.0.0.1:\(port)/metrics"))
                return String(decoding: try await URLSession.shared.data(from: url).0, as: UTF8.self)
            }
            #expect(page.contains("carillon_notifications_total{outcome=\"accepted\"} 0\n"))
            #expect(page.contains("carillon_tokens_out_of_use_total{verdict=\"dead\"} 0\n"))
            #expect(page.contains("carillon_chunks_under_way 0\n"))
            #expect(page.contains("carillon_apns_connections{environment=\"sandbox\"} 0\n"))
            #expect(
                page.contains(
                    "carillon_apns_results_total{environment=\"production\",result=\"accepted\",reason=\"\"} 0\n"
                )
            )
            #expect(
                page.contains(
                    "carillon_apns_answer_duration_seconds_bucket{environment=\"production\",le=\"+Inf\"} 0\n"
                )
            )
        }
    }

    @Test("Metrics are published to a backend of swift-metrics where there is one")
    func publishesMetrics() async throws {
        try await ServerFolder.with { folder in
            let server = try await ServerComposition(ServerConfiguration(folder: folder), logger: ServerFolder.silent)
            defer { server.close() }
            #expect(try server.services(metrics: TestMetrics()).contains { $0 is MetricsPublisher })
            #expect(try !server.services().contains { $0 is MetricsPublisher })
        }
    }

    private static func status(_ url: String, key: String) async throws -> Int? {
        var request = URLRequest(url: try #require(URL(string: url)), timeoutInterval: 30)
        request.setValue("Bearer " + key, forHTTPHeaderField: "Authorization")
        let (_, response) = try await URLSession.shared.data(for: request)
        return (response as? HTTPURLResponse)?.statusCode
    }
}
