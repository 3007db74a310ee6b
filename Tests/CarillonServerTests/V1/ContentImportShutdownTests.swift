import CarillonModel
import CarillonOperatorModel
import Foundation
import HTTPTypes
import HummingbirdTesting
import ServiceLifecycleTestKit
import Testing

@testable import CarillonServer

/// Imports by hand while the server ends.
@Suite(.timeLimit(.minutes(5)))
struct ContentImportShutdownTests {
    @Test("M-78 A server that ends cuts an import off, which says so and leaves nothing") func cutOff() async throws {
        try await TestServer.run { server in
            let app = try await server.makeApp().app.id
            let key = try await server.makeKey(app, .admin)
            let path = "/v1/content-sets/stops"
            let definition =
                #"{"version":1,"title":"S","tables":[{"name":"stops","key":"id","fields":[{"name":"id","type":"text"}]}]}"#
            #expect(try await server.send(.put, path, definition, key: key).status == .ok)
            let file = "id\n" + (1...20_000).map(String.init).joined(separator: "\n")
            try await testGracefulShutdown { trigger in
                trigger.triggerGracefulShutdown()
                let answer = try await server.send(.post, path + "/imports?format=csv", file, key: key)
                #expect(answer.status == .serviceUnavailable)
            }
            let runs: JSONValue = try await server.send(.get, path + "/imports", key: key).decoded()
            let run = try #require(runs["items"]?.array?.first)
            #expect(run["state"]?.string == "failed")
            #expect(
                run["problems"]?.array?.last?.string
                    == "The import was cut off: the server ended. Nothing of it is there."
            )
            let rows: JSONValue = try await server.send(.get, path + "/rows", key: key).decoded()
            #expect(rows["items"]?.array?.isEmpty == true)
        }
    }
}
