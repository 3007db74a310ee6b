import Foundation
import Testing

@testable import ApplePushSimulator

struct PayloadSummaryTests {
    private func summary(_ payload: String) -> PayloadSummary {
        PayloadSummary(of: Array(payload.utf8))
    }

    private func occurrence(_ payload: String) -> String? {
        summary(payload).occurrence.map { String(decoding: Array(payload.utf8)[$0], as: UTF8.self) }
    }

    @Test("The alert and the campaign are found in any position")
    func finds() {
        let payload = """
            { "x" : [1, {"aps": {"alert": 1}}, "}"], "carillon": {"r": "\\"o\\"", "o": "01H", "z": {}},
              "aps": {"sound": "default", "alert": {"title": "{"}, "badge": 1e2}, "y": null }
            """

        #expect(summary(payload).isObject)
        #expect(summary(payload).hasAlert)
        #expect(occurrence(payload) == #""01H""#)
    }

    @Test("Members with the same name in other objects are ignored")
    func elsewhere() {
        let payload = #"{"data":{"aps":{"alert":"no"},"carillon":{"o":"no"}},"carillon":{"x":{"o":"no"}},"o":"no"}"#

        #expect(summary(payload).isObject)
        #expect(!summary(payload).hasAlert)
        #expect(summary(payload).occurrence == nil)
    }

    @Test(
        "The reader and Foundation agree on what is a JSON object",
        arguments: [
            "{}", " {} ", "[]", "1", "", "{", "}", "{}{}", "{\"a\":}", "{,}", "{\"a\" 1}", "{a:1}",
            "{\"a\":tru}", "{\"a\":true}", "{\"a\":-1.5e-3}", "{\"a\":1.}", "{\"a\":-}", "{\"a\":\"\\q\"}",
            "{\"a\":\"\\n\"}",
            "{\"a\":\"\n\"}", "{\"a\":[1,2,[3]]}", "{\"a\":[1,2}", "{\"a\":\"b}", "{\"a\":null}x",
        ]
    )
    func wellFormed(_ payload: String) {
        let isObject = (try? JSONSerialization.jsonObject(with: Data(payload.utf8))) is [String: Any]

        #expect(summary(payload).isObject == isObject)
    }

    @Test(
        "A comma before a closing bracket is malformed, although Foundation accepts it",
        arguments: [#"{"a":1,}"#, #"{"a":[1,]}"#]
    )
    func trailingComma(_ payload: String) {
        #expect(!summary(payload).isObject)
    }

    @Test("Deep nesting is refused without exhausting the stack")
    func deep() {
        #expect(!summary(#"{"a":"# + String(repeating: "[", count: 5000)).isObject)
        #expect(!summary(String(repeating: #"{"a":"#, count: 1000)).isObject)
    }

    @Test("A delivery's line is JSON on one line, whatever the payload")
    func line() throws {
        var delivery = Delivery(
            token: [0, 255],
            id: "I",
            topic: "T",
            pushType: nil,
            priority: 10,
            collapseID: "a\"\\\n",
            payload: Array("{\n\"aps\": {\r\n\"alert\": \"é\"}}".utf8),
            at: SimulatedTime(milliseconds: 5)
        )

        let line = delivery.line
        #expect(line.filter { $0 == 0x0A }.count == 1)
        let object = try #require(try JSONSerialization.jsonObject(with: Data(line)) as? [String: Any])
        #expect(object["token"] as? String == "00ff")
        #expect(object["collapseID"] as? String == "a\"\\\n")
        #expect(object["pushType"] is NSNull)
        #expect(((object["payload"] as? [String: Any])?["aps"] as? [String: String])?["alert"] == "é")

        for bad in ["nonsense", "[]", "{\"a\":\"\u{1}\"}"].map({ Array($0.utf8) }) + [
            [0x7B, 0x22, 0xFF, 0x22, 0x3A, 0x31, 0x7D]
        ] {
            delivery.payload = bad
            let object = try #require(try JSONSerialization.jsonObject(with: Data(delivery.line)) as? [String: Any])
            #expect(object["payload"] is NSNull)
        }
    }
}
