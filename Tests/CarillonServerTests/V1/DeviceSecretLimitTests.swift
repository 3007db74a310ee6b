import CarillonModel
import Foundation
import HTTPTypes
import HummingbirdTesting
import Testing

@testable import CarillonServer

/// The App key is public, and a Device's id is no secret: what bounds those who guess at the secret.
extension LimitTests {
    @Test(
        "S2-2 Guesses of a Device's secret do not exhaust the Device's own limit",
        arguments: [
            (HTTPRequest.Method.put, ""), (.patch, ""), (.get, ""), (.get, "/inbox"), (.get, "/tags"),
            (.post, "/forget"),
        ]
    )
    func guessesLeaveTheDeviceItsOwn(_ method: HTTPRequest.Method, _ rest: String) async throws {
        try await TestServer.run { configuration, _ in
            // Two at once, of which the registration is one.
            configuration.requestLimits?.device = 0.4
        } _: { server in
            let app = try await server.makeApp()
            let path = "/v1/devices/\(DeviceID(rawValue: UUID()))"
            let registration = #"{"consent":{"notifications":true}}"#
            #expect(try await server.send(.put, path, registration, headers: server.device(app)).status == .created)
            let body = method == .get ? nil : method == .put ? registration : "{}"
            for guess in 0..<6 {
                let fields = server.device(app, secret: "a-secret-that-is-wrong-\(guess)")
                let answer = try await server.send(method, path + rest, body, headers: fields)
                #expect(answer.problem == "wrong-device-secret")
            }

            #expect(try await server.send(.get, path, headers: server.device(app)).status == .ok)
        }
    }

    @Test(
        "S2-2 An address that guesses secrets may only use known ones, and register",
        arguments: ["", "/inbox", "/tags"]
    )
    func boundsGuesses(_ rest: String) async throws {
        try await TestServer.run { configuration, _ in
            configuration.requestLimits?.unknownKey = 0.01
        } _: { server in
            let app = try await server.makeApp()
            // The server's key is known by then: unknown ones are not taken any more either.
            #expect(try await server.send(.get, "/v1/apps", key: server.serverKey).status == .ok)
            let path = "/v1/devices/\(DeviceID(rawValue: UUID()))"
            let registration = #"{"consent":{"notifications":true}}"#
            #expect(try await server.send(.put, path, registration, headers: server.device(app)).status == .created)
            func guess(_ number: Int) async throws -> TestResponse {
                let fields = server.device(app, secret: "a-secret-that-is-wrong-\(number)")
                return try await server.send(.get, path + rest, headers: fields)
            }
            #expect(try await guess(1).problem == "wrong-device-secret")

            let answer = try await guess(2)

            #expect(answer.problem == "too-many-requests" && answer.headers[.retryAfter] != nil)
            #expect(try await limited(server, "unknown-key") == 1)
            // Also "is nobody's, so has no tags" is an answer to the Device.
            let own = try await server.send(.get, path + rest, headers: server.device(app))
            #expect(own.status != .tooManyRequests)
            let other = "/v1/devices/\(DeviceID(rawValue: UUID()))"
            #expect(try await server.send(.put, other, registration, headers: server.device(app)).status == .created)
            let new = try await server.send(.get, other + rest, headers: server.device(app))
            #expect(new.status != .tooManyRequests)
        }
    }
}
