import CarillonServer
import Testing

struct JSONSyntaxTests {
    @Test(
        "Every form of RFC 8259 is accepted",
        arguments: [
            "{}", "[]", " { \"a\" : [ 1 , -0.5e+10 , true , false , null , \"\\u00e9\\n\\ud83d\\ude00\" ] } ", "0",
            "\"é\"",
            "{\"a\":{\"a\":1},\"b\":[{\"a\":1},{\"a\":2}]}", "[[],{},[{}]]", "1E9", "-0",
        ]
    )
    func takesForms(_ text: String) throws {
        try JSONSyntax.check(Array(text.utf8))
    }

    @Test(
        "Malformed JSON is refused",
        arguments: [
            "", " ", "{", "[", "{]", "[}", "[1,]", "{\"a\":1,}", "{a:1}", "{\"a\" 1}", "{\"a\":}", "[1 2]", "01", "1.",
            ".5", "+1",
            "1e", "--1", "NaN", "tru", "nulll", "\"", "\"\\x\"", "\"\\u12\"", "\"\\ud800\"", "\"\\udc00\"",
            "\"\\ud800\\u0041\"",
            "\"a\nb\"", "{} {}", "[1]]", "'a'", "{\"a\":1}}", "\u{FEFF}{}", "/**/1", "[1,,2]", "{,}",
        ]
    )
    func refusesOthers(_ text: String) {
        #expect(throws: JSONSyntax.Failure.self) { try JSONSyntax.check(Array(text.utf8)) }
    }

    @Test("What is no value is told to need one") func noValue() {
        do {
            try JSONSyntax.check(Array("not json".utf8))
            Issue.record("It is accepted.")
        } catch {
            #expect("\(error)".contains("a value is needed"))
        }
    }

    @Test("Duplicate names in one object are refused, at any depth")
    func refusesRepeatedNames() {
        #expect(throws: JSONSyntax.Failure(offset: 22, problem: "a name comes twice")) {
            try JSONSyntax.check(Array("{\"x\":[{\"a\":1,\"b\":2,\"a\":3}]}".utf8))
        }
    }

    @Test(
        "S1-h8 a differently escaped name is the same name",
        arguments: [
            #"{"a":1,"\u0061":2}"#, #"{"\u0061":1,"a":2}"#, #"{"b":0,"a\/b":1,"a/b":2}"#,
            "{\"\u{E9}\":1,\"e\u{301}\":2}",
            #"{"x\ud83d\ude00":1,"x\#u{1F600}":2}"#, #"{"\n\t":1,"\u000a\u0009":2}"#,
        ]
    )
    func comparesWhatNamesSay(_ text: String) throws {
        #expect(throws: JSONSyntax.Failure.self) { try JSONSyntax.check(Array(text.utf8)) }
    }

    @Test("Different names with escapes are accepted")
    func takesOtherNames() throws {
        try JSONSyntax.check(Array(#"{"a":1,"\u0062":2,"é":3,"c":4,"\\u0061":5}"#.utf8))
    }

    @Test("At most 32 levels are accepted")
    func boundsDepth() throws {
        func nested(_ depth: Int) -> [UInt8] {
            Array((String(repeating: "[", count: depth) + String(repeating: "]", count: depth)).utf8)
        }

        try JSONSyntax.check(nested(32))

        #expect(throws: JSONSyntax.Failure.self) { try JSONSyntax.check(nested(33)) }
        #expect(throws: JSONSyntax.Failure.self) { try JSONSyntax.check([UInt8](repeating: 0x5B, count: 100_000)) }
        #expect(throws: JSONSyntax.Failure.self) {
            try JSONSyntax.check(Array(String(repeating: "{\"a\":", count: 100_000).utf8))
        }
    }

    @Test(
        "Bytes that are not UTF-8 are refused",
        arguments: [
            [0x22, 0xFF, 0x22], [0x22, 0xC0, 0xAF, 0x22], [0x22, 0xED, 0xA0, 0x80, 0x22], [0x22, 0xE2, 0x82, 0x22],
        ]
    )
    func refusesOtherEncodings(_ bytes: [UInt8]) {
        #expect(throws: JSONSyntax.Failure(offset: 0, problem: "the text is not UTF-8")) { try JSONSyntax.check(bytes) }
    }
}
