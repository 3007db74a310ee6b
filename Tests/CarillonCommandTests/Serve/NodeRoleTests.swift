import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import CarillonSQL
import CarillonServer
import CarillonStore
import Foundation
import Logging
import TestStores
import Testing

@testable import CarillonCommand

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Nodes on one PostgreSQL database.
@Suite(.enabled(if: TestPostgreSQL.url != nil, "CARILLON_TEST_POSTGRES names no server"))
struct NodeRoleTests {
    @Test("A node with role api serves and does not dispatch, one with role dispatch vice versa")
    func rolesSplitTheWork()
        async throws
    {
        try await ServerFolder.with { folder in
            try await TestPostgreSQL.withDatabase { url, _ in
                let key = try await run(.api, at: url, folder) { server, port in
                    let key = try #require(server.firstKey?.secret)
                    #expect(try await status(port, "/v1/apps", key) == 200)
                    #expect(try hasDispatcher(server) == false)
                    return key
                }
                try await run(.dispatch, at: url, folder) { server, port async throws -> Void in
                    #expect(try await status(port, "/health", nil) == 200)
                    #expect(try await status(port, "/v1/apps", key) == 404)
                    #expect(try hasDispatcher(server))
                }
                try await run(.all, at: url, folder) { server, port async throws -> Void in
                    // The second node on a database makes no first key.
                    #expect(server.firstKey == nil)
                    #expect(try await status(port, "/v1/apps", key) == 200)
                    #expect(try hasDispatcher(server))
                }
            }
        }
    }

    @Test(
        "O2-2 A node with a master key of its own is refused, whatever its role",
        arguments: [ServerRole.all, .api, .dispatch]
    )
    func refusesAnotherMasterKey(_ role: ServerRole) async throws {
        try await ServerFolder.with { first in
            try await ServerFolder.with { second in
                try await TestPostgreSQL.withDatabase { url, _ in
                    try await run(.all, at: url, first) { _, _ in }
                    _ = try MasterKeyFile.load(path: second.appendingPathComponent("master.key").path)

                    await #expect(throws: StoreError.self) { try await run(role, at: url, second) { _, _ in } }
                }
            }
        }
    }

    private func hasDispatcher(_ server: ServerComposition) throws -> Bool {
        try server.services().contains { $0 is Dispatcher }
    }

    /// Runs a node, and ends it when the body is done.
    @discardableResult
    private func run<Value: Sendable>(
        _ role: ServerRole,
        at url: String,
        _ folder: URL,
        _ body: @Sendable @escaping (ServerComposition, Int) async throws -> Value
    ) async throws -> Value {
        var configuration = ServerConfiguration(folder: folder)
        configuration.store = .postgreSQL(url: url)
        configuration.role = role
        configuration.server.servesAPI = role != .dispatch
        configuration.server.port = 0
        let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        let server = try await ServerComposition(configuration, logger: logger)
        return try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await server.run() }
            let port = try #require(await server.port.value)
            let value = try await body(server, port)
            group.cancelAll()
            return value
        }
    }

    private func status(_ port: Int, _ path: String, _ key: String?) async throws -> Int? {
        var request = URLRequest(url: try #require(URL(string: "http://127.0.0.1:\(port)\(path)")))
        if let key { request.setValue("Bearer \(key)", forHTTPHeaderField: "Authorization") }
        let (_, response) = try await URLSession.shared.data(for: request)
        return (response as? HTTPURLResponse)?.statusCode
    }
}
