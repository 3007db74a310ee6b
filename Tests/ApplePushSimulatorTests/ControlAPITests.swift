import AsyncHTTPClient
import Crypto
import Foundation
import NIOCore
import NIOHTTP1
import Testing

@testable import ApplePushSimulator

struct ControlAPITests {
    /// One answer of the control API.
    private struct Answer {
        var status: Int
        var fields: [String: String]
        var body: String

        var json: [String: Any] {
            (try? JSONSerialization.jsonObject(with: Data(body.utf8))) as? [String: Any] ?? [:]
        }

        var message: String? {
            (json["error"] as? [String: String])?["message"]
        }
    }

    private func send(_ method: String, _ url: String, _ body: String? = nil) async throws -> Answer {
        var request = HTTPClientRequest(url: url)
        request.method = .init(rawValue: method)
        request.body = body.map { .bytes(ByteBuffer(string: $0)) }
        let response = try await HTTPClient.shared.execute(request, timeout: .seconds(30))
        let bytes = try await response.body.collect(upTo: 1 << 26)
        return Answer(
            status: Int(response.status.code),
            fields: Dictionary(response.headers.map { ($0.name.lowercased(), $0.value) }) { first, _ in first },
            body: String(buffer: bytes)
        )
    }

    @Test("Health, certificate and counters are told")
    func observation() async throws {
        try await SimulatorFixture.run { fixture in
            _ = try await fixture.curl()

            #expect(try await send("GET", fixture.control("/health")).body == #"{"status":"ok"}"#)
            #expect(
                try await send("GET", fixture.control("/ca.pem")).body == fixture.simulator.certificateAuthorityPEM
            )
            let counters = try await send("GET", fixture.control("/stats"))
            #expect(counters.json["accepted"] as? Int == 1)
            #expect((counters.json["results"] as? [String: Int]) == ["accepted": 1])
            #expect(try await send("POST", fixture.control("/reset")).status == 204)
            #expect(try await send("GET", fixture.control("/stats")).json["accepted"] as? Int == 0)
        }
    }

    @Test("Issued device tokens are good in strict mode, for their topic, until they expire")
    func tokens() async throws {
        try await SimulatorFixture.run({ $0.rules.deviceTokens = .strict }) { fixture in
            let issued = try await send(
                "POST",
                fixture.control("/tokens"),
                #"{"topic":"com.example.app","count":2}"#
            )
            let tokens = try #require(issued.json["tokens"] as? [String])
            #expect(tokens.count == 2)
            #expect(tokens.allSatisfy { $0.count == 64 })
            func outcome(_ token: String) async throws -> Substring {
                try await fixture.curl(token: token).output.dropFirst(7).prefix(3)
            }

            #expect(try await outcome(tokens[0]) == "200")
            #expect(try await outcome(GatewayFixture.token) == "400")
            let expiry = try await send(
                "POST",
                fixture.control("/tokens/\(tokens[0])/expire"),
                #"{"timestamp":1234,"reason":"ExpiredToken"}"#
            )
            #expect(expiry.status == 204)
            let gone = try await fixture.curl(token: tokens[0])
            #expect(gone.output.hasSuffix(#"{"reason":"ExpiredToken","timestamp":1234}"#))
            #expect(try await send("POST", fixture.control("/tokens/\(tokens[0])/register")).status == 204)
            #expect(try await outcome(tokens[0]) == "200")

            let phone = try await send("GET", fixture.control("/tokens/\(tokens[0])"))
            #expect(phone.json["accepted"] as? Int == 2)
            #expect(phone.json["topic"] as? String == "com.example.app")
            let counts = try await send("GET", fixture.control("/tokens/counts"))
            #expect(counts.body == #"{"token":"\#(tokens[0])","accepted":2}"# + "\n")
        }
    }

    @Test("Keys come and go")
    func keys() async throws {
        try await SimulatorFixture.run({ $0.keys = [] }) { fixture in
            let signer = fixture.signer
            func body(_ name: String, _ pem: String) -> String {
                let pem = pem.replacingOccurrences(of: "\n", with: "\\n")
                return #"{"keyID":"\#(signer.keyID)","teamID":"\#(signer.teamID)","\#(name)":"\#(pem)"}"#
            }
            func status() async throws -> Substring { try await fixture.curl().output.dropFirst(7).prefix(3) }
            let bodies = [
                body("publicKeyPEM", signer.privateKey.publicKey.pemRepresentation),
                body("p8", signer.privateKey.pemRepresentation),
            ]

            for body in bodies {
                let before = try await status()
                let added = try await send("POST", fixture.control("/keys"), body)
                let after = try await status()
                let removed = try await send("DELETE", fixture.control("/keys/\(signer.keyID)"))

                #expect([before, after] == ["403", "200"])
                #expect(added.status == 204 && removed.status == 204)
            }
            let again = try await send("DELETE", fixture.control("/keys/\(signer.keyID)"))
            #expect(again.status == 404)
        }
    }

    @Test("A-63 Requests that arrived are told in full")
    func requests() async throws {
        try await SimulatorFixture.run { fixture in
            _ = try await fixture.curl(["-H", "x-mark: 1"])
            _ = try await fixture.curl(["-H", "x-mark: 2"], token: "zz")

            let all = try await send("GET", fixture.control("/requests"))
            let list = try #require(try JSONSerialization.jsonObject(with: Data(all.body.utf8)) as? [[String: Any]])
            #expect(list.map { $0["status"] as? Int } == [200, 400])
            #expect(list.first?["body"] as? String == GatewayFixture.alert)
            #expect(list.first?["keyID"] as? String == fixture.signer.keyID)
            #expect((list.last?["headers"] as? [[String]])?.contains(["x-mark", "2"]) == true)
            #expect(list.compactMap { $0["connection"] as? Int } == [1, 2])
            let one = try await send("GET", fixture.control("/requests?limit=1"))
            #expect(one.body.contains(#"["x-mark","2"]"#))
            #expect(!one.body.contains(#"["x-mark","1"]"#))
        }
    }

    @Test("Faults are put in force, listed and removed")
    func faults() async throws {
        try await SimulatorFixture.run { fixture in
            let fault = #"{"count":2,"status":503,"reason":"ServiceUnavailable","latencyMilliseconds":1}"#
            #expect(try await send("POST", fixture.control("/faults"), fault).status == 204)
            #expect(try await fixture.curl().output.contains("ServiceUnavailable"))
            let listed = try await send("GET", fixture.control("/faults"))
            #expect(listed.body.contains(#""count":1"#))
            #expect(try await send("DELETE", fixture.control("/faults")).status == 204)
            #expect(try await send("GET", fixture.control("/faults")).body == "[]")
            #expect(try await fixture.curl().output.hasPrefix("HTTP/2 200"))
        }
    }

    @Test(
        "What a control cannot take is refused with the field's name",
        arguments: [
            ("POST", "/faults", #"{"count":0}"#, 400, "count"), ("POST", "/faults", #"{"status":200}"#, 400, "status"),
            ("POST", "/faults", #"{"percent":0}"#, 400, "percent"),
            ("POST", "/faults", #"{"kind":"explode"}"#, 400, "kind"),
            ("POST", "/faults", #"{"latencyMilliseconds":-1}"#, 400, "latencyMilliseconds"),
            ("POST", "/faults", #"{"token":"zz"}"#, 400, "token"),
            ("POST", "/faults", #"{"reason":"x"}"#, 400, "reason"),
            ("POST", "/faults", #"{"latency":1}"#, 400, "latency"), ("POST", "/faults", "{", 400, "JSON"),
            ("POST", "/faults", "[]", 400, "JSON"), ("POST", "/tokens", #"{"count":0}"#, 400, "count"),
            ("POST", "/tokens", #"{"count":100001}"#, 400, "count"),
            ("POST", "/tokens", #"{"count":"1"}"#, 400, "count"),
            ("POST", "/tokens/zz/expire", "{}", 400, "device token 0"),
            ("GET", "/tokens/zz", "", 400, "device token 0"),
            ("GET", "/tokens/\(GatewayFixture.token)", "", 404, "not known"),
            ("POST", "/keys", #"{"keyID":"a"}"#, 400, "teamID"),
            ("POST", "/keys", #"{"keyID":"a","teamID":"b"}"#, 400, "publicKeyPEM"),
            ("POST", "/keys", #"{"keyID":"a","teamID":"b","p8":"x"}"#, 400, "p8"),
            ("GET", "/requests?limit=0", "", 400, "limit"), ("GET", "/requests?limit=x", "", 400, "limit"),
            ("POST", "/feed", "{}", 400, "tokens"), ("POST", "/feed", #"{"tokens":["00"]}"#, 400, "device token 0"),
            ("POST", "/feed/99/tokens", #"{"tokens":[]}"#, 404, "feed"),
            ("PUT", "/availability", #"{"available":"yes"}"#, 400, "available"),
        ]
    )
    func refusals(_ method: String, _ path: String, _ body: String, _ status: Int, _ named: String) async throws {
        try await SimulatorFixture.run { fixture in
            let answer = try await send(method, fixture.control(path), body)

            #expect(answer.status == status)
            #expect(answer.message?.contains(named) == true, "\(answer.body)")
        }
    }

    @Test("A body beyond the limit is refused")
    func largeBody() async throws {
        try await SimulatorFixture.run { fixture in
            let body = String(repeating: " ", count: ControlAPI.bodyLimit + 1)

            let answer = try await send("POST", fixture.control("/faults"), body)

            #expect(answer.status == 413)
        }
    }

    @Test("A feed tells each delivery, takes more phones, and switches them off when its reader leaves")
    func feed() async throws {
        try await SimulatorFixture.run { fixture in
            let tokens = try fixture.handle.issueTokens(topic: nil, count: 2)
            var request = HTTPClientRequest(url: fixture.control("/feed"))
            request.method = .POST
            request.body = .bytes(ByteBuffer(string: #"{"tokens":["\#(tokens[0])"]}"#))
            let response = try await HTTPClient.shared.execute(request, timeout: .seconds(30))
            let id = try #require(response.headers.first(name: "carillon-feed-id"))
            let added = try await send("POST", fixture.control("/feed/\(id)/tokens"), #"{"tokens":["\#(tokens[1])"]}"#)
            #expect(added.status == 204)

            var lines = Lines(body: response.body.makeAsyncIterator())
            _ = try await fixture.curl(["-H", "apns-collapse-id: c1"], token: tokens[0])
            let first = try await lines.next()
            _ = try await fixture.curl(token: tokens[1])
            let second = try await lines.next()

            #expect(first["token"] as? String == tokens[0])
            #expect(first["collapseID"] as? String == "c1")
            #expect(first["topic"] as? String == "com.example.app")
            #expect(first["pushType"] as? String == "alert")
            #expect(first["priority"] as? Int == 10)
            #expect(first["at"] as? Int == 1_800_000_000_000)
            #expect((first["payload"] as? [String: Any])?["aps"] as? [String: String] == ["alert": "Hello"])
            #expect(second["token"] as? String == tokens[1])
            #expect(try fixture.handle.phone(tokens[0]).isOnline)

            try fixture.handle.closeFeed(#require(Int(id)))
            #expect(try await lines.isAtEnd())
            #expect(try !fixture.handle.phone(tokens[0]).isOnline)
        }
    }

    @Test("A reader that leaves switches its phones off, and gets what waited when it is back")
    func comeBack() async throws {
        try await SimulatorFixture.run { fixture in
            let token = try fixture.handle.issueTokens(topic: nil)[0]
            let body = #"{"tokens":["\#(token)"]}"#
            // curl leaves after its time, which ends the connection.
            let first = try await Tool.curl.run(["-sN", "-m", "0.2", "-d", body, fixture.control("/feed")])
            #expect(first.output.isEmpty)
            try await poll { try !fixture.handle.phone(token).isOnline }

            _ = try await fixture.curl(token: token)
            let second = try await Tool.curl.run(["-sN", "-m", "0.5", "-d", body, fixture.control("/feed")])

            #expect(second.output.contains(#""token":"\#(token)""#))
        }
    }

    @Test("A token issued offline keeps its first notification for its phone")
    func offline() async throws {
        try await SimulatorFixture.run { fixture in
            let issued = try await send("POST", fixture.control("/tokens"), #"{"online":false}"#)
            let token = try #require((issued.json["tokens"] as? [String])?.first)

            _ = try await fixture.curl(token: token)

            let phone = try await send("GET", fixture.control("/tokens/\(token)"))
            #expect((phone.json["stored"] as? [String: Any])?["token"] as? String == token)
            #expect((phone.json["screen"] as? [Any])?.isEmpty == true)
        }
    }

    /// Waits for a condition, for half a minute at most.
    private func poll(_ condition: () throws -> Bool) async throws {
        let deadline = ContinuousClock.now.advanced(by: .seconds(30))
        while try !condition() {
            try #require(ContinuousClock.now < deadline)
            await Task.yield()
        }
    }

    /// The lines of a feed.
    private struct Lines {
        var body: HTTPClientResponse.Body.AsyncIterator
        private var pending = ByteBuffer()

        init(body: HTTPClientResponse.Body.AsyncIterator) {
            self.body = body
        }

        mutating func next() async throws -> [String: Any] {
            while true {
                if let end = pending.readableBytesView.firstIndex(of: 0x0A) {
                    let line = pending.readSlice(length: end - pending.readerIndex + 1) ?? ByteBuffer()
                    return try #require(
                        try JSONSerialization.jsonObject(with: Data(line.readableBytesView)) as? [String: Any]
                    )
                }
                pending.writeImmutableBuffer(try #require(try await body.next()))
            }
        }

        mutating func isAtEnd() async throws -> Bool {
            let next = try await body.next()
            return pending.readableBytes == 0 && next == nil
        }
    }
}

extension SimulatorHandle {
    fileprivate func closeFeed(_ id: Int) {
        close(FeedID(rawValue: id))
    }
}
