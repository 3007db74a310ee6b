import CarillonModel
import Testing

@testable import CarillonServer

/// The fast path for bodies that are objects of texts and booleans.
struct PlainObjectTests {
    private static let values = [
        "\"x\"", "true", "false", "null", "\"\"", "\"Asia/Tokyo\"", "\"\\u0041\"", "\"é\"", "1", "-0.5", "1e3", "[]",
        "{}",
        "\"\ttrue", "\"\t\"", "\" true", "tru", "nul", "\"a\\\"b\"", "\"\u{7F}\"", "\"true\"",
    ]

    private static func body(_ random: inout RandomJSON) -> String {
        let names = ["token", "pushType", "uid", "isAdAgreement", "timezoneId", "a b", "", "\\u0061", "é"]
        return random.object(names.map { ($0, ["\"x\"", "true"] + values.shuffled(using: &random)) }, leaving: 40)
    }

    @Test("The fast path accepts only what the strict decoder accepts, with the same value", arguments: 0..<8)
    func agreesWithStrictReading(_ seed: UInt64) throws {
        var random = RandomJSON(seed: seed)
        var quick = 0
        for _ in 0..<2_000 {
            let bytes = random.damaged(Self.body(&random))
            guard let object = PlainJSON.object(bytes) else { continue }
            quick += 1
            #expect(try JSONBody.decode(JSONValue.self, from: bytes) == .object(object))
        }
        #expect(quick > 20, "the generator must make bodies that are read quickly")
    }

    @Test("Each kind of value alone is read as the strict decoder reads it, or left to it", arguments: values)
    func agreesOnOneValue(_ value: String) throws {
        let bytes = Array("{\"a\":\(value)}".utf8)
        guard let object = PlainJSON.object(bytes) else { return }
        #expect(try JSONBody.decode(JSONValue.self, from: bytes) == .object(object))
    }

    @Test("A name that comes twice, and more names than apps send, are left to the strict decoder")
    func leavesOthers() {
        #expect(PlainJSON.object(Array(#"{"a":"1","a":"1"}"#.utf8)) == nil)
        let many = (0..<33).map { "\"\($0)\":true" }.joined(separator: ",")
        #expect(PlainJSON.object(Array("{\(many)}".utf8)) == nil)
    }

    @Test("A registration as apps send it is read on the fast path")
    func readsUsualBodyQuickly() {
        let text = #"{"token":"00ff","pushType":"APNS", "uid":"u-1","isAdAgreement":false,"oldToken":null}"#
        #expect(
            PlainJSON.object(Array(text.utf8)) == [
                "token": .string("00ff"), "pushType": .string("APNS"), "uid": .string("u-1"),
                "isAdAgreement": .bool(false), "oldToken": .null,
            ]
        )
    }
}
