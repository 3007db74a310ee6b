import Foundation
import Testing

@testable import CarillonSQL

@Suite struct SQLScriptTests {
    private static let cases: [(script: String, statements: [String])] = [
        ("SELECT 1", ["SELECT 1"]),
        ("SELECT 1;", ["SELECT 1"]),
        (" SELECT 1 ;\n\n SELECT 2\n", ["SELECT 1", "SELECT 2"]),
        ("", []),
        (" ;; \n;", []),
        ("-- only words; of ours\n;SELECT 1", ["SELECT 1"]),
        ("SELECT ';' ; SELECT 'it''s; two'", ["SELECT ';'", "SELECT 'it''s; two'"]),
        (#"SELECT E'a\';b'; SELECT 'a\'; SELECT 2"#, [#"SELECT E'a\';b'"#, #"SELECT 'a\'"#, "SELECT 2"]),
        (#"SELECT name'a\'; SELECT 2"#, [#"SELECT name'a\'"#, "SELECT 2"]),
        (#"SELECT 1 AS "a;""b"; SELECT 2"#, [#"SELECT 1 AS "a;""b""#, "SELECT 2"]),
        ("SELECT 1 -- one; more\n, 2; SELECT 3", ["SELECT 1 -- one; more\n, 2", "SELECT 3"]),
        ("SELECT /* a; /* b; */ c; */ 1; SELECT 2", ["SELECT /* a; /* b; */ c; */ 1", "SELECT 2"]),
        ("DO $$ BEGIN x; y; END $$; SELECT 1", ["DO $$ BEGIN x; y; END $$", "SELECT 1"]),
        ("DO $a$ x; $$ y; $a$; SELECT 1", ["DO $a$ x; $$ y; $a$", "SELECT 1"]),
        ("SELECT $1; SELECT $2 + a$b; SELECT 3", ["SELECT $1", "SELECT $2 + a$b", "SELECT 3"]),
        ("SELECT 'open; SELECT 2", ["SELECT 'open; SELECT 2"]),
        ("SELECT $x$ open; SELECT 2", ["SELECT $x$ open; SELECT 2"]),
        ("SELECT 1 /* open; SELECT 2", ["SELECT 1 /* open; SELECT 2"]),
        ("SELECT 1 - 2; SELECT 4 / 2; SELECT 'é;ü'", ["SELECT 1 - 2", "SELECT 4 / 2", "SELECT 'é;ü'"]),
    ]

    @Test("A script is split at the semicolons that end statements", arguments: cases)
    func statements(_ script: String, _ statements: [String]) {
        #expect(SQLScript.statements(of: script) == statements)
    }

    @Test("The splitter never runs past a script's end and loses no word")
    func anyBytes() {
        var state: UInt64 = 7
        func number(below bound: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int((state >> 33) % UInt64(bound))
        }
        let pieces = ["'", "\"", "$", "$$", "$a$", ";", "--", "/*", "*/", "\\", "E'", "x", " ", "\n", "é"]
        for _ in 0..<2_000 {
            let script = (0..<number(below: 13)).map { _ in pieces[number(below: pieces.count)] }.joined()
            let statements = SQLScript.statements(of: script)

            var rest = Substring(script)
            for statement in statements {
                let place = rest.range(of: statement)
                #expect(place != nil, "\(script)")
                rest = place.map { rest[$0.upperBound...] } ?? ""
            }
        }
    }
}
