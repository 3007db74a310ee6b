import Foundation
import Hummingbird
import Testing

@testable import ApplePushSimulator

/// The description of the control API, against what it does.
struct OpenAPITests {
    /// The description, decoded; PyYAML reads it.
    private func description() async throws -> [String: Any] {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let program = "import json, sys, yaml; print(json.dumps(yaml.safe_load(open(sys.argv[1]))))"
        let result = try await Tool.run(
            root.appendingPathComponent(".build/aioapns/bin/python"),
            ["-c", program, root.appendingPathComponent("Sources/ApplePushSimulator/Resources/openapi.yaml").path]
        )
        #expect(result.status == 0, "\(result.output)")
        return try #require(try JSONSerialization.jsonObject(with: Data(result.output.utf8)) as? [String: Any])
    }

    @Test("Every operation is described, and every described operation exists")
    func operations() async throws {
        let paths = try #require(try await description()["paths"] as? [String: [String: Any]])
        let methods: Set = ["get", "post", "put", "patch", "delete"]
        let described = paths.flatMap { path, item in
            item.keys.filter(methods.contains).map { "\($0.uppercased()) \(path)" }
        }
        try await SimulatorFixture.run { fixture in
            let control = ControlAPI(
                handle: fixture.handle,
                certificateAuthorityPEM: "",
                watchers: Watchers(pace: .init()),
                addresses: { fixture.addresses }
            )
            let there = control.router(configuration: SimulatorConfiguration()).routes.map { route in
                let parts = route.path.description.split(separator: "/").map {
                    $0.hasPrefix(":") ? "{\($0.dropFirst())}" : $0
                }
                return "\(route.method) /\(parts.joined(separator: "/"))"
            }
            // What only the page itself asks for is no part of the API.
            let own = there.filter { !$0.hasPrefix("GET /page") }

            #expect(Set(own) == Set(described))
            #expect(own.count > 30)
        }
    }

    @Test("Responses match their description, field by field")
    func answers() async throws {
        let api = try await description()
        try await SimulatorFixture.run({ $0.rules.environment = .sandbox }) { fixture in
            let token = try fixture.handle.issueTokens(topic: "com.example.app")[0]
            _ = try await fixture.curl(["-H", "apns-collapse-id: c"], token: token)
            _ = try await fixture.curl(token: "zz")
            try fixture.handle.expire(token)
            let channel = try await send("POST", fixture.control("/channels"), #"{"bundleID":"com.example.app"}"#)
            #expect(channel.status == 201)
            let bodies = [
                "POST /faults": #"{"kind":"goaway","latency":{"kind":"normal","mean":1,"deviation":1},"percent":1}"#,
                "POST /tokens": "{}", "POST /channels": #"{"bundleID":"com.example.app"}"#,
                "POST /certificates": #"{"topic":"com.example.app"}"#, "POST /clock/advance": #"{"milliseconds":1}"#,
                "POST /scenario": #"{"steps":[{"afterRequests":999,"cut":true}]}"#,
                "PATCH /listeners/main": #"{"rules":{"deviceTokenRate":{"count":5,"milliseconds":9}}}"#,
            ]
            let checks = [
                "GET /health", "GET /stats", "GET /requests", "GET /tokens", "POST /tokens", "GET /tokens/\(token)",
                "POST /faults", "GET /faults", "GET /connections", "PATCH /listeners/main", "GET /listeners",
                "POST /certificates", "GET /clock", "POST /clock/advance", "POST /scenario", "GET /scenario",
                "POST /channels", "GET /channels", "GET /tokens/00", "DELETE /faults/99",
            ]
            for check in checks {
                let parts = check.split(separator: " ").map(String.init)
                let answer = try await send(parts[0], fixture.control(parts[1]), bodies[check])
                let schema = try schema(api, parts[0], parts[1], answer.status)
                guard let schema else {
                    #expect(answer.body.isEmpty, "\(check)")
                    continue
                }
                let json = try JSONSerialization.jsonObject(with: Data(answer.body.utf8))
                #expect(problems(json, schema, api, at: check) == [])
            }
        }
    }

    @Test("Responses about open connections and events are described as well")
    func parts() async throws {
        let api = try await description()
        let connection = ConnectionReport(
            id: 1,
            listener: "main",
            peer: "127.0.0.1:1",
            streams: 1,
            streamLimit: 1,
            opened: 1,
            keyID: "K",
            teamID: "T",
            certificateTopic: "t",
            isStalled: false,
            isClosing: false
        )
        var fixture = GatewayFixture(recording: 1)
        fixture.send(["apns-id": "00000000-0000-0000-0000-000000000000", "apns-priority": "7"])
        let event = RequestEvent(try #require(fixture.snapshot.requests.first))
        var latencies: [Latency] = [.constant(.zero), .uniform(.zero, .zero)]
        latencies += [.normal(mean: .zero, deviation: .zero), .longTailed(median: .zero, percentile99: .zero)]

        #expect(try problems(connection, "Connection", api) == [])
        #expect(try problems(event, "RequestEvent", api) == [])
        for latency in latencies {
            #expect(try problems(LatencyAnswer(latency), "Latency", api) == [])
        }
    }

    // MARK: - Private

    private func problems(_ value: some Encodable, _ name: String, _ api: [String: Any]) throws -> [String] {
        let json = try JSONSerialization.jsonObject(with: try JSONEncoder().encode(value))
        return problems(json, ["$ref": "#/components/schemas/\(name)"], api, at: name)
    }

    /// The schema of an answer; nil when it is described to have no body.
    private func schema(
        _ api: [String: Any],
        _ method: String,
        _ path: String,
        _ status: Int
    ) throws -> [String: Any]? {
        let paths = try #require(api["paths"] as? [String: [String: Any]])
        let item = try #require(paths[path] ?? paths.first { matches(path, $0.key) }?.value, "\(path)")
        let operation = try #require(item[method.lowercased()] as? [String: Any])
        let responses = try #require(operation["responses"] as? [String: [String: Any]])
        let response = resolved(try #require(responses["\(status)"], "\(method) \(path) answered \(status)"), api)
        let content = response["content"] as? [String: [String: Any]]
        return content?["application/json"]?["schema"] as? [String: Any]
    }

    private func matches(_ path: String, _ pattern: String) -> Bool {
        let (path, pattern) = (path.split(separator: "/"), pattern.split(separator: "/"))
        return path.count == pattern.count && zip(path, pattern).allSatisfy { $0 == $1 || $1.hasPrefix("{") }
    }

    private func resolved(_ schema: [String: Any], _ api: [String: Any]) -> [String: Any] {
        guard let reference = schema["$ref"] as? String else { return schema }
        var value: Any? = api
        for part in reference.split(separator: "/").dropFirst() {
            value = (value as? [String: Any])?[String(part)]
        }
        return resolved(value as? [String: Any] ?? [:], api)
    }

    /// Where an answer differs from its schema: fields that are not described, or that are missing.
    private func problems(_ json: Any, _ schema: [String: Any], _ api: [String: Any], at place: String) -> [String] {
        let schema = resolved(schema, api)
        if let choices = schema["anyOf"] as? [[String: Any]] {
            let each = choices.map { problems(json, $0, api, at: place) }
            return each.contains([]) ? [] : each.first ?? []
        }
        if let list = json as? [Any] {
            guard let items = schema["items"] as? [String: Any] else { return ["\(place): a list"] }
            return list.flatMap { problems($0, items, api, at: place + "[]") }
        }
        guard let object = json as? [String: Any] else {
            return schema["type"] as? String == "object" ? ["\(place): no object"] : []
        }
        let properties = schema["properties"] as? [String: [String: Any]] ?? [:]
        let others = schema["additionalProperties"]
        let missing = (schema["required"] as? [String] ?? []).filter { object[$0] == nil }.map { "\(place): no \($0)" }
        return missing
            + object.flatMap { name, value -> [String] in
                if let property = properties[name] { return problems(value, property, api, at: "\(place).\(name)") }
                return others == nil || others as? Bool == false ? ["\(place): \(name) is not described"] : []
            }
    }
}
