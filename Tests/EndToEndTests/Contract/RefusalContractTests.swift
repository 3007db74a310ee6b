import Foundation
import Testing

/// Requests that the SDK does not send, and what both servers refuse them with.
@Suite("Both servers refuse alike")
struct RefusalContractTests {
    private static let consent = #""consent":{"notifications":true,"ads":false,"nightAds":false}"#
    private static let registration = "{\(consent),\"pushType\":\"apns\"}"
    private static let ofUser = "{\(consent),\"pushType\":\"apns\",\"user\":\"u-1\"}"

    private func expect(
        _ answer: RawAnswer,
        to request: RawRequest,
        in world: ContractWorld,
        _ location: SourceLocation = #_sourceLocation
    ) async throws {
        let got = try await world.exchange(request)
        #expect(got == answer, "\(request.method) \(request.path) \(request.body ?? "")", sourceLocation: location)
    }

    @Test("Keys, secrets, paths and methods", arguments: ContractServer.allCases)
    func credentials(_ server: ContractServer) async throws {
        try await server.run { world in
            let get = RawRequest("GET")
            try await expect(.init(401, "missing-credentials"), to: get.with { $0.appKey = .missing }, in: world)
            try await expect(.init(401, "wrong-credentials"), to: get.with { $0.appKey = .wrong }, in: world)
            try await expect(.init(401, "missing-credentials"), to: get.with { $0.secret = nil }, in: world)
            let short = RawAnswer(422, "invalid-field", "Carillon-Device-Secret")
            try await expect(short, to: get.with { $0.secret = "short" }, in: world)
            try await expect(.init(404, "unknown-device"), to: get, in: world)
            try await expect(.init(404, "unknown-device"), to: get.with { $0.path = "/v1/devices/none" }, in: world)
            try await expect(.init(404, "unknown-path"), to: RawRequest("GET", "/nothing"), in: world)
            try await expect(.init(405, "method-not-allowed"), to: RawRequest("DELETE", "/inbox"), in: world)
            try await expect(.init(405, "method-not-allowed"), to: RawRequest("POST"), in: world)
            let events = RawRequest("POST", "", #"{"events":[]}"#).with { $0.path = "/v1/events" }
            try await expect(.init(401, "missing-credentials"), to: events.with { $0.appKey = .missing }, in: world)
            let reading = get.with { $0.path = "/v1/events" }
            try await expect(.init(405, "method-not-allowed"), to: reading, in: world)
        }
    }

    @Test("Queries and their encoding", arguments: ContractServer.allCases)
    func queries(_ server: ContractServer) async throws {
        try await server.run { world in
            let bogus = RawAnswer(422, "invalid-field", "bogus")
            for call in [
                RawRequest("GET", "?bogus=1"), RawRequest("PUT", "?bogus", "{"),
                RawRequest("GET", "/inbox?bogus=1&bogus=2"),
                RawRequest("DELETE", "/tags?tags=ZZPP00b6&bogus=1"), RawRequest("GET", "/tags?bogus=%20"),
            ] {
                try await expect(bogus, to: call, in: world)
            }
            let twice = RawRequest("DELETE", "/tags?tags=ZZPP00b6&tags=ZZPP00b6")
            try await expect(.init(422, "invalid-field", "tags"), to: twice, in: world)
            let events = RawRequest("POST", "", "{").with { $0.path = "/v1/events?bogus=1" }
            try await expect(bogus, to: events, in: world)
            try await expect(.init(400, "malformed-url"), to: RawRequest("GET", "/inbox?a=%ff"), in: world)
            let path = RawRequest("GET").with { $0.path = "/v1/devices/%ff" }
            try await expect(.init(400, "malformed-url"), to: path, in: world)
            let unknown = RawRequest("GET", "?bogus=1").with { $0.appKey = .wrong }
            try await expect(.init(401, "wrong-credentials"), to: unknown, in: world)
        }
    }

    @Test("What is not stored of a registration is warned of", arguments: ContractServer.allCases)
    func warnings(_ server: ContractServer) async throws {
        try await server.run { world in
            let wrong = Self.registration.dropLast() + #","language":"!","timeZone":"Mars/Base"}"#
            let put = RawRequest("PUT", "", String(wrong))
            for status in [201, 200] {
                try await expect(RawAnswer(status, warnings: ["language", "timeZone"]), to: put, in: world)
            }
            let patch = RawRequest("PATCH", "", #"{"timeZone":"Asia/Nowhere","language":"ja_JP"}"#)
            try await expect(RawAnswer(200, warnings: ["timeZone"]), to: patch, in: world)
            try await expect(.init(200), to: RawRequest("PUT", "", Self.registration), in: world)
        }
    }

    @Test("Bodies of registrations", arguments: ContractServer.allCases)
    func registrations(_ server: ContractServer) async throws {
        try await server.run { world in
            let put = { RawRequest("PUT", "", $0) }
            try await expect(.init(400, "malformed-json"), to: put("{"), in: world)
            let untyped = put("{}").with { $0.contentType = nil }
            try await expect(.init(415, "unsupported-media-type"), to: untyped, in: world)
            let long = put("{\"appVersion\":\"" + String(repeating: "1", count: 70_000) + "\"}")
            try await expect(.init(413, "body-too-large"), to: long, in: world)
            try await expect(.init(422, "invalid-field", "consent"), to: put("{}"), in: world)
            try await expect(
                .init(422, "invalid-field", "consent.notifications"),
                to: put(#"{"consent":{"notifications":1}}"#),
                in: world
            )
            let token = Self.registration.dropLast() + #","token":"xyz"}"#
            try await expect(.init(422, "invalid-field", "token"), to: put(String(token)), in: world)
            let unknown = Self.registration.dropLast() + #","shoeSize":44}"#
            try await expect(.init(422, "invalid-field", "shoeSize"), to: put(String(unknown)), in: world)

            try await expect(.init(201), to: put(Self.registration), in: world)
            try await expect(.init(200), to: put(Self.registration), in: world)
            let patch = RawRequest("PATCH", "", #"{"timeZone":5}"#)
            try await expect(.init(422, "invalid-field", "timeZone"), to: patch, in: world)
        }
    }

    @Test("A Device of another secret, unknown Devices, and Devices without a User", arguments: ContractServer.allCases)
    func devices(_ server: ContractServer) async throws {
        try await server.run { world in
            let calls = [
                RawRequest("GET"), RawRequest("PATCH", "", "{}"), RawRequest("DELETE"), RawRequest("POST", "/forget"),
                RawRequest("GET", "/voip"), RawRequest("DELETE", "/voip"), RawRequest("GET", "/tags"),
                RawRequest("PUT", "/tags", #"{"tags":[]}"#), RawRequest("DELETE", "/tags"),
                RawRequest("GET", "/attributes"), RawRequest("PATCH", "/attributes", #"{"attributes":{}}"#),
                RawRequest("GET", "/inbox"), RawRequest("POST", "/inbox/read", #"{"all":true}"#),
                RawRequest("POST", "/messages", #"{"to":"u-2","body":"Hello"}"#),
            ]
            for call in calls { try await expect(.init(404, "unknown-device"), to: call, in: world) }
            try await expect(.init(201), to: RawRequest("PUT", "", Self.registration), in: world)
            let other = String(repeating: "o", count: 43)
            for call in calls + [RawRequest("PUT", "", Self.registration)] {
                try await expect(.init(403, "wrong-device-secret"), to: call.with { $0.secret = other }, in: world)
            }
            for call in calls where ["/tags", "/attributes", "/messages"].contains(where: call.path.hasSuffix) {
                try await expect(.init(409, "user-required"), to: call, in: world)
            }
            try await expect(.init(404, "unknown-voip-token"), to: RawRequest("GET", "/voip"), in: world)
            try await expect(.init(204), to: RawRequest("DELETE", "/voip"), in: world)
        }
    }

    @Test("Tags, attributes, messages to Users and read marks", arguments: ContractServer.allCases)
    func person(_ server: ContractServer) async throws {
        try await server.run { world in
            try await expect(.init(201), to: RawRequest("PUT", "", Self.ofUser), in: world)
            let many = (0..<17).map { "\"AAAAAA\(10 + $0)\"" }.joined(separator: ",")
            try await expect(
                .init(422, "invalid-field", "tags"),
                to: RawRequest("POST", "/tags", "{\"tags\":[\(many)]}"),
                in: world
            )
            try await expect(
                .init(422, "invalid-field", "tags"),
                to: RawRequest("POST", "/tags", #"{"tags":["ZZPP00b6"]}"#),
                in: world
            )
            try await expect(.init(422, "invalid-field", "tags"), to: RawRequest("DELETE", "/tags?tags=x"), in: world)
            try await expect(.init(200), to: RawRequest("DELETE", "/tags?tags=ZZPP00b6"), in: world)
            try await expect(
                .init(422, "invalid-field", "attributes.plan"),
                to: RawRequest("PATCH", "/attributes", #"{"attributes":{"plan":[1]}}"#),
                in: world
            )
            try await expect(
                .init(422, "invalid-field", "attributes"),
                to: RawRequest("PATCH", "/attributes", #"{"attributes":{"bad name":1}}"#),
                in: world
            )
            try await expect(
                .init(422, "invalid-field", "body"),
                to: RawRequest("POST", "/messages", #"{"to":"u-2"}"#),
                in: world
            )
            try await expect(
                .init(403, "user-messages-off"),
                to: RawRequest("POST", "/messages", #"{"to":"u-2","body":"Hello"}"#),
                in: world
            )
            try await expect(
                .init(422, "invalid-field", "occurrences"),
                to: RawRequest("POST", "/inbox/read", "{}"),
                in: world
            )
            try await expect(
                .init(422, "invalid-field", "token"),
                to: RawRequest("PUT", "/voip", #"{"token":"xyz","pushType":"apns"}"#),
                in: world
            )
        }
    }

    @Test("Batches of events", arguments: ContractServer.allCases)
    func events(_ server: ContractServer) async throws {
        try await server.run { world in
            let post = { RawRequest("POST", "", $0).with { $0.path = "/v1/events" } }
            try await expect(.init(400, "malformed-json"), to: post("["), in: world)
            try await expect(.init(422, "invalid-field", "events"), to: post(#"{"events":[]}"#), in: world)
            try await expect(.init(422, "invalid-field", "events"), to: post("{}"), in: world)
            try await expect(.init(200), to: post(#"{"events":[{"kind":"opened"}]}"#), in: world)
        }
    }
}
