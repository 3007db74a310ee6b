import ApplePush
import Foundation
import Testing

struct LiveActivityTests {
    private let now = Date(timeIntervalSince1970: 1_700_000_000.9)

    private func text(_ message: some AppMessage) throws -> String {
        let bundleID = try #require(BundleID(rawValue: "com.example.app"))
        return String(decoding: try message.request(for: bundleID).payload.bytes, as: UTF8.self)
    }

    private func start(_ input: LiveActivityStart.Input?) -> LiveActivityStart {
        LiveActivityStart(
            attributesType: "MatchAttributes",
            attributes: ["home": "A"],
            contentState: ["score": 0],
            alert: LiveActivityAlert(title: "T", body: .localized(key: "B", arguments: ["x"]), sound: "default"),
            timestamp: now,
            input: input
        )
    }

    @Test("P-15 a start has exactly its required members, and asks for one way to be updated")
    func starts() throws {
        let required =
            #""timestamp":1700000000,"event":"start","content-state":{"score":0},"#
            + #""attributes-type":"MatchAttributes","attributes":{"home":"A"},"#
            + #""alert":{"title":"T","body":{"loc-key":"B","loc-args":["x"]},"sound":"default"}"#
        let channel = try #require(ChannelID(rawValue: "dHN0LXNyY2g="))

        #expect(try text(start(nil)) == #"{"aps":{"# + required + "}}")
        #expect(try text(start(.token)) == #"{"aps":{"# + required + #","input-push-token":1}}"#)
        #expect(
            try text(start(.channel(channel))) == #"{"aps":{"# + required + #","input-push-channel":"dHN0LXNyY2g="}}"#
        )
        var full = start(nil)
        full.staleDate = Date(timeIntervalSince1970: 1_700_000_100)
        full.relevanceScore = 75.5
        #expect(try text(full) == #"{"aps":{"# + required + #","stale-date":1700000100,"relevance-score":75.5}}"#)
    }

    @Test("P-15 an update has time, event and content, and the rest when it is set")
    func updates() throws {
        var update = LiveActivityUpdate(contentState: ["score": 1], timestamp: now)
        let required = #""timestamp":1700000000,"event":"update","content-state":{"score":1}"#
        #expect(try text(update) == #"{"aps":{"# + required + "}}")

        update.alert = LiveActivityAlert(title: "T", body: "B")
        update.staleDate = Date(timeIntervalSince1970: 1_700_000_100)
        update.relevanceScore = 100
        #expect(
            try text(update) == #"{"aps":{"# + required
                + #","alert":{"title":"T","body":"B"},"stale-date":1700000100,"relevance-score":100}}"#
        )
    }

    @Test("P-15 an end has time and event, and the rest when it is set")
    func ends() throws {
        #expect(try text(LiveActivityEnd(timestamp: now)) == #"{"aps":{"timestamp":1700000000,"event":"end"}}"#)
        let full = LiveActivityEnd(
            contentState: ["score": 2],
            timestamp: now,
            dismissalDate: Date(timeIntervalSince1970: 1_700_000_200)
        )
        #expect(
            try text(full) == #"{"aps":{"timestamp":1700000000,"event":"end","content-state":{"score":2},"#
                + #""dismissal-date":1700000200}}"#
        )
    }

    @Test("P-17 P-19 a Live Activity's headers follow from the message, and its priority is 10 or 5")
    func headers() throws {
        let bundleID = try #require(BundleID(rawValue: "com.example.app"))
        #expect(LiveActivityPriority.allCases.map(\.priority) == APNsPushType.liveActivity.permittedPriorities)
        for (urgency, value) in [(LiveActivityPriority.immediate, "10"), (.considerate, "5")] {
            var update = LiveActivityUpdate(contentState: [:], timestamp: now, urgency: urgency)
            update.expiration = .nowOrNever
            #expect(
                try update.request(for: bundleID).headers.fields.map { "\($0.name): \($0.value)" } == [
                    "apns-topic: com.example.app.push-type.liveactivity", "apns-push-type: liveactivity",
                    "apns-priority: " + value, "apns-expiration: 0",
                ]
            )
        }
    }

    @Test("P-17 dates that make no sense become whole seconds all the same")
    func dates() throws {
        for (date, text) in [(Date.distantPast, "0"), (Date(timeIntervalSince1970: .infinity), "253402300799")] {
            #expect(
                try self.text(LiveActivityEnd(timestamp: date)) == #"{"aps":{"timestamp":\#(text),"event":"end"}}"#
            )
        }
    }

    @Test("A content state is encoded as the device decodes it")
    func contentState() throws {
        struct State: Codable, Equatable {
            var score: Int
            var since: Date
            var ratio: Double?
            var names: [String]
        }
        let state = State(score: 2, since: Date(timeIntervalSinceReferenceDate: 700_000_000.5), names: ["A", "\"B\""])
        let object = try PayloadObject(encoding: state)
        let update = LiveActivityUpdate(contentState: object, timestamp: now)
        let json = try #require(
            try JSONSerialization.jsonObject(with: Data(try text(update).utf8)) as? [String: [String: Any]]
        )
        let sent = try JSONSerialization.data(withJSONObject: try #require(json["aps"]?["content-state"]))

        #expect(try JSONDecoder().decode(State.self, from: sent) == state)
        #expect(throws: PayloadObject.Problem.notAnObject) { try PayloadObject(encoding: [1, 2]) }
        #expect(throws: PayloadObject.Problem.notEncodable) { try PayloadObject(encoding: ["x": Double.infinity]) }
    }

    @Test("JSON that is no object is told from what is no JSON")
    func badObjects() {
        for bad in ["[1]", "7", "null", #""x""#] {
            #expect(throws: PayloadObject.Problem.notAnObject, "\(bad)") { try PayloadObject(json: bad.utf8) }
        }
        for bad in ["", "{", #"{"a":}"#, String(repeating: "[", count: 100_000)] {
            #expect(throws: PayloadObject.Problem.notJSON, "\(bad.prefix(9))") { try PayloadObject(json: bad.utf8) }
        }
    }

    @Test("An object has no key twice, and keeps its order")
    func objects() {
        var object = PayloadObject([.init("b", 1), .init("a", 2), .init("b", 3)])
        #expect(object.members == [.init("b", 3), .init("a", 2)])
        object["c"] = 4
        object["b"] = nil
        object["a"] = .bool(false)
        #expect(object.members == [.init("a", false), .init("c", 4)])
        #expect(object["a"] == false && object["b"] == nil)
    }
}

struct BroadcastTests {
    private let now = Date(timeIntervalSince1970: 1_700_000_000)

    @Test("P-18 a broadcast states its priority and its expiration")
    func explicit() throws {
        let update = LiveActivityUpdate(contentState: ["a": 1], timestamp: now, urgency: .considerate)
        let broadcast = try Broadcast(update, expiration: .nowOrNever)
        #expect(broadcast.priority == .considerate && broadcast.expiration == .nowOrNever)
        #expect(broadcast.payload == (try EncodedPayload(update.payload, limit: 5120)))
        let end = try Broadcast(LiveActivityEnd(timestamp: now), expiration: Expiration(seconds: 7))
        #expect(end.priority == .immediate && end.expiration == Expiration(seconds: 7))
    }

    @Test("P-15 a broadcast cannot start an activity")
    func noStart() throws {
        let start = LiveActivityStart(
            attributesType: "A",
            attributes: [:],
            contentState: [:],
            alert: LiveActivityAlert(title: "T", body: "B"),
            timestamp: now
        )
        #expect(throws: Broadcast.Problem.startsActivity) {
            try Broadcast(raw: start.payload, priority: .immediate, expiration: .nowOrNever)
        }
    }

    @Test("P-21 a broadcast has 5,120 bytes at most, and no slot")
    func limit() throws {
        func broadcast(_ count: Int) throws(Broadcast.Problem) -> Broadcast {
            let filler = PayloadObject([.init("x", .string(String(repeating: "a", count: count - 8)))])
            return try Broadcast(raw: filler, priority: .low, expiration: .nowOrNever)
        }
        #expect(try broadcast(5120).payload.bytes.count == 5120)
        #expect(throws: Broadcast.Problem.payload(.tooLarge(bytes: 5121, limit: 5120))) { try broadcast(5121) }
        #expect(throws: Broadcast.Problem.payload(.badSlot)) {
            try Broadcast(raw: ["x": .slot(length: 4)], priority: .low, expiration: .nowOrNever)
        }
    }

    @Test("P-20 a channel id is Base64 of any length")
    func channelIDs() {
        for good in ["a", "dHN0LXNyY2g=", "a+/-_=", String(repeating: "A", count: 1024)] {
            #expect(ChannelID(rawValue: good)?.rawValue == good)
        }
        for bad in ["", "a b", "é", "a\n", "a:b", String(repeating: "A", count: 1025)] {
            #expect(ChannelID(rawValue: bad) == nil)
        }
    }
}
