import CarillonModel
import CarillonOperatorModel
import CarillonServer
import Foundation
import HTTPTypes
import HummingbirdTesting
import NIOCore
import Testing

/// Names of queries, and the encoding of paths and queries.
struct QueryTests {
    private static let device = "3f2504e0-4f89-41d3-9a0c-0305e82c3301"

    @Test("Each operation refuses a query name that it does not have, and lists those that it has")
    func unknownNames() async throws {
        let routes = try await RouteTableTests.routes().filter { !RouteTableTests.isVendors($0) }
        try await TestServer.run { server in
            let app = try await server.makeApp()
            var fields = HTTPFields()
            fields[.authorization] = "Bearer " + server.serverKey
            for (name, value) in server.device(app) { fields[try #require(HTTPField.Name(name))] = value }
            for route in routes {
                let path = route.path.replacing("{app}", with: app.app.id.description)
                    .replacing("{device}", with: Self.device)
                let query = (route.query.contains("app") ? "app=\(app.app.id)&" : "") + "bogus=1&other=&bogus=2"
                let answer = try await server.client.executeRequest(
                    uri: path + "?" + query,
                    method: try #require(HTTPRequest.Method(route.method)),
                    headers: fields,
                    body: nil
                )

                let names = route.query.isEmpty ? "none" : route.query.joined(separator: ", ")
                let text = "is not a query parameter of this operation, which has \(names)"
                #expect(answer.problem == "invalid-field", "\(route.method) \(path)")
                #expect(
                    (try? answer.decoded(Problem.self))?.errors
                        == ["bogus", "other"].map { FieldError(field: $0, problem: text) },
                    "\(route.method) \(path)"
                )
            }
            #expect(routes.count > 90)
        }
    }

    @Test("The description has the query parameters of each operation, and no others")
    func described() async throws {
        let described = try await Description.read().operations.map { operation in
            let names = operation.parameters.filter { $0.place == "query" }.map(\.name)
            return "\(operation.method) \(operation.path) \(names.sorted())"
        }
        let declared = try await RouteTableTests.routes().filter { !RouteTableTests.isVendors($0) }.map { route in
            // The ticket is a credential.
            "\(route.method) \(route.path) \(route.query.filter { $0 != "ticket" }.sorted())"
        }

        #expect(Set(declared).subtracting(described).sorted() == [])
        #expect(Set(described).subtracting(declared).sorted() == [])
    }

    @Test(
        "A percent sign that encodes nothing is refused in every path and query, whoever asks",
        arguments: [
            ("/v1/campaigns/%zz", "path"), ("/v1/campaigns/%4", "path"), ("/v1/campaigns/x%", "path"),
            ("/nothing/%4g", "path"), ("/v1/campaigns?state=%zz", "query"), ("/v1/campaigns?%4=1", "query"),
            ("/v1/campaigns?state=a%", "query"), ("/v1/events?a=%G0", "query"),
            ("/v1/devices/\(device)%zz", "path"), ("/health?x=%%41", "query"),
        ]
    )
    func percentSigns(_ target: String, _ part: String) async throws {
        try await TestServer.run { server in
            for (method, key) in [(HTTPRequest.Method.get, server.serverKey), (.put, nil), (.post, nil)] {
                let answer = try await server.send(method, target, key: key)

                #expect(answer.status == .badRequest && answer.problem == "malformed-url")
                let detail = try #require(try answer.decoded(Problem.self).detail)
                #expect(detail.hasPrefix("In the \(part), the percent sign") && detail.hasSuffix("is %25."))
            }
        }
    }

    @Test("Encoded bytes that are not UTF-8 are refused", arguments: ["/v1/users/%ff", "/v1/users?prefix=%C3%28"])
    func otherEncodings(_ target: String) async throws {
        try await TestServer.run { server in
            let answer = try await server.send(.get, target, key: server.serverKey)

            #expect(answer.status == .badRequest && answer.problem == "malformed-url")
        }
    }

    @Test("Encoded text is decoded in paths and queries")
    func decodes() async throws {
        try await TestServer.run { server in
            let app = try await server.makeApp().app.id
            let user = try await server.send(.get, "/v1/users/%E7%80%9A%25?app=\(app)", key: server.serverKey)
            let list = try await server.send(.get, "/v1/users?prefix=%e7%80%9a&app=\(app)", key: server.serverKey)

            #expect(user.problem == "unknown-user")
            #expect(list.status == .ok)
        }
    }
}
