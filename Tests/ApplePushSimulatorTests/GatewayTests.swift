import Testing

@testable import ApplePushSimulator

struct GatewayTests {
    @Test("A-63 Requests are recorded with their fields in order, body, claims and outcome")
    func recording() throws {
        var fixture = GatewayFixture(recording: 10)

        fixture.send(also: [("x-anything", "at all")])
        fixture.send(["apns-topic": nil])

        let recorded = fixture.gateway.recorder.last(10)
        #expect(recorded.map(\.status) == [200, 400])
        #expect(recorded.map(\.reason) == [nil, "MissingTopic"])
        let first = try #require(recorded.first)
        #expect(
            first.request.headers.map(\.name) == fixture.headers().map(\.name) + ["x-anything"]
        )
        #expect(first.request.headers.last?.value == "at all")
        #expect(first.request.body == Array(GatewayFixture.alert.utf8))
        #expect(first.keyID == fixture.signer.keyID)
        #expect(first.teamID == fixture.signer.teamID)
        #expect(first.issuedAt == 1_800_000_000)
        #expect(first.at == fixture.now)
    }

    @Test("A-63 Only the last requests are recorded")
    func boundedRecording() {
        var fixture = GatewayFixture(recording: 3)

        for number in 0..<10 {
            fixture.send(body: "\(number)")
        }

        func bodies(_ count: Int) -> [String] {
            fixture.gateway.recorder.last(count).map { String(decoding: $0.request.body, as: UTF8.self) }
        }
        #expect(bodies(100) == ["7", "8", "9"])
        #expect(bodies(2) == ["8", "9"])
    }

    @Test("A-64 Acceptances are counted by request and by device token")
    func counting() {
        var fixture = GatewayFixture()

        for _ in 0..<3 {
            fixture.send()
        }
        fixture.send(token: GatewayFixture.otherToken)
        fixture.send(token: "zz")

        #expect(fixture.gateway.counters.accepted == 4)
        #expect(fixture.gateway.counters.distinctTokensAccepted == 2)
        #expect(fixture.gateway.counters.rejected == 1)
        #expect(fixture.gateway.counters.results == ["BadDeviceToken": 1])
    }

    @Test("The table finds each of many device tokens")
    func manyTokens() {
        var table = DeviceTable()
        let tokens = (0..<10_000).map { number in
            (0..<32).map { UInt8(truncatingIfNeeded: number >> ($0 % 4 * 8)) }
        }

        for token in tokens {
            _ = table.insert(token)
        }

        #expect(table.count == tokens.count)
        #expect(tokens.indices.allSatisfy { table.find(tokens[$0]) == $0 })
        #expect(tokens.indices.allSatisfy { Array(table.token(of: $0)) == tokens[$0] })
        #expect(table.find([UInt8](repeating: 0xFF, count: 32)) == nil)
    }

    @Test("Generated ids are UUIDs of version 4")
    func identifiers() {
        var random = SplitMix64(state: 7)

        let ids = (0..<1000).map { _ in NotificationID(using: &random).text }

        #expect(Set(ids).count == ids.count)
        for id in ids {
            let characters = Array(id.utf8)
            #expect(FieldSyntax.isUUID(characters[...]))
            #expect(characters[14] == UInt8(ascii: "4"))
            #expect("89AB".utf8.contains(characters[19]))
        }
    }
}
