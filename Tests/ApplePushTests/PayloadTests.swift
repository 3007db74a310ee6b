import ApplePush
import Foundation
import Testing

struct PayloadTests {
    @Test("A line takes a text, a literal and an interpolation")
    func textForms() {
        let name = "Mina"
        let alert = Payload.Alert(title: Payload.Text(name), subtitle: "Hello", body: "Hello \(name)")
        #expect(alert.title == .literal("Mina") && alert.subtitle == .literal("Hello"))
        #expect(alert.body == .literal("Hello Mina"))
    }

    private func text(_ payload: Payload) throws -> String {
        String(decoding: try EncodedPayload(payload, limit: 4096).bytes, as: UTF8.self)
    }

    @Test("P-15 an alert has every member in a fixed order")
    func fullAlert() throws {
        var payload = Payload()
        payload.alert = .init(title: "T", subtitle: "S", body: "B")
        payload.badge = 0
        payload.sound = .named("default")
        payload.threadID = "thread"
        payload.category = "category"
        payload.isContentAvailable = true
        payload.isMutableContent = true
        payload.targetContentID = "window"
        payload.interruptionLevel = .timeSensitive
        payload.relevanceScore = 0.5
        payload.custom = [.init("z", 1), .init("a", .array(["x", true, .null, .number(.infinity)]))]

        #expect(
            try text(payload)
                == #"{"aps":{"alert":{"title":"T","subtitle":"S","body":"B"},"badge":0,"sound":"default","#
                + #""thread-id":"thread","category":"category","content-available":1,"mutable-content":1,"#
                + #""target-content-id":"window","interruption-level":"time-sensitive","relevance-score":0.5},"#
                + #""z":1,"a":["x",true,null,null]}"#
        )
    }

    @Test("A background payload has content-available and nothing to show")
    func background() throws {
        var payload = Payload()
        payload.isContentAvailable = true
        #expect(try text(payload) == #"{"aps":{"content-available":1}}"#)
        #expect(try text(Payload()) == #"{"aps":{}}"#)
    }

    @Test("A critical sound is an object")
    func criticalSound() throws {
        var payload = Payload()
        payload.sound = .critical(name: "signal", volume: 1)
        #expect(try text(payload) == #"{"aps":{"sound":{"critical":1,"name":"signal","volume":1}}}"#)
    }

    @Test("Text survives as it was, and what JSON cannot hold is escaped")
    func escaping() throws {
        let hard = "quote \" slash \\ / line\nreturn\rtab\tbell\u{7}zero\u{0} 🔔 音 \u{2028}"
        var payload = Payload()
        payload.alert = .init(body: hard)
        payload.custom = [.init(hard, .string(hard))]

        let bytes = try EncodedPayload(payload, limit: 4096).bytes
        let object = try #require(try JSONSerialization.jsonObject(with: Data(bytes)) as? [String: Any])
        let aps = try #require(object["aps"] as? [String: [String: String]])

        #expect(aps["alert"]?["body"] == hard)
        #expect(object[hard] as? String == hard)
        #expect(bytes.allSatisfy { $0 >= 0x20 })
    }

    @Test("A custom member cannot replace aps")
    func customAps() throws {
        var payload = Payload()
        payload.custom = [.init("aps", "x"), .init("k", "v")]
        #expect(try text(payload) == #"{"aps":{},"k":"v"}"#)
    }

    @Test("P-22 a slot's place is known, so that each notification fills it in without encoding anew")
    func slot() throws {
        var payload = Payload()
        payload.alert = .init(body: "音")
        payload.custom = [.init("carillon", .object([.init("r", .slot(length: 24)), .init("o", 7)]))]

        let encoded = try EncodedPayload(payload, limit: 4096)
        let slot = try #require(encoded.slot)
        var bytes = encoded.bytes
        bytes.replaceSubrange(slot, with: "abcdefghijklmnopqrstuvwx".utf8)

        #expect(encoded.bytes[slot].allSatisfy { $0 == UInt8(ascii: "0") } && slot.count == 24)
        let expected = #"{"aps":{"alert":{"body":"音"}},"carillon":{"r":"abcdefghijklmnopqrstuvwx","o":7}}"#
        #expect(String(decoding: bytes, as: UTF8.self) == expected)
    }

    @Test("P-22 only one slot is possible")
    func twoSlots() {
        var payload = Payload()
        payload.custom = [.init("a", .slot(length: 24)), .init("b", .slot(length: 24))]
        #expect(throws: EncodedPayload.Problem.severalSlots) { try EncodedPayload(payload, limit: 4096) }
    }

    @Test("P-21 a payload at its limit passes, and one byte more does not", arguments: [APNsPushType.alert, .voip])
    func sizes(type: APNsPushType) throws {
        let limit = type.payloadLimit
        let full = Array(repeating: UInt8(ascii: " "), count: limit)

        #expect(try EncodedPayload(bytes: full, limit: limit).bytes.count == limit)
        #expect(throws: EncodedPayload.Problem.tooLarge(bytes: limit + 1, limit: limit)) {
            try EncodedPayload(bytes: full + [32], limit: limit)
        }
        #expect(throws: EncodedPayload.Problem.empty) { try EncodedPayload(bytes: [], limit: limit) }
        #expect(throws: EncodedPayload.Problem.badSlot) {
            try EncodedPayload(bytes: [1, 2], slot: 1..<3, limit: limit)
        }
    }
}
