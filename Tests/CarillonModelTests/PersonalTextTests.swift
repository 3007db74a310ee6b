import CarillonModel
import CarillonOperatorModel
import Foundation
import Testing

@Suite("Texts with placeholders")
struct PersonalTextTests {
    private typealias Piece = PersonalText.Piece

    private static let texts: [(String, [PersonalText.Piece])] = [
        ("", []), ("plain", [.text("plain")]), ("a { b } c", [.text("a { b } c")]),
        ("Hi {{name}}!", [.text("Hi "), .place(.init(field: .attribute("name"))), .text("!")]),
        ("{{attribute.first-name}}", [.place(.init(field: .attribute("first-name")))]),
        (
            "{{ attribute.x | default: \"you \\\"there\\\"\\n\\\\\" | max: 20 }}",
            [.place(.init(field: .attribute("x"), fallback: "you \"there\"\n\\", maximum: 20))]
        ),
        ("{{user}}{{language}}", [.place(.init(field: .user)), .place(.init(field: .device(.language)))]),
        ("{{consent.ads|default:\"\"}}", [.place(.init(field: .consent(.ads), fallback: ""))]),
        ("{{\"{{\"}}name}}", [.text("{{name}}")]), ("{{value.code}}", [.place(.init(field: .value("code")))]),
    ]

    @Test("A text is parsed into pieces", arguments: texts)
    func parsesPieces(_ text: String, _ pieces: [PersonalText.Piece]) throws {
        #expect(try PersonalText(text).pieces == pieces)
    }

    @Test(
        "The source of a parsed text parses to the same pieces",
        arguments: texts.map(\.0) + ["a {", "{{\"{\"}}{{name}}", "{{{\"x\"}}"]
    )
    func roundTrips(_ text: String) throws {
        guard let read = try? PersonalText(text) else { return }

        #expect(try PersonalText(read.source).pieces == read.pieces)
    }

    @Test(
        "A syntax error has its position",
        arguments: [
            ("Hi {{name", 4), ("{{nome}}", 3), ("{{}}", 3), ("{{name | upper}}", 10), ("{{name | default: x}}", 19),
            ("{{name | default \"x\"}}", 18), ("{{name | max: 0}}", 15), ("{{name | max: 257}}", 15),
            ("{{name | max: 2 | max: 3}}", 19), ("{{name | default: \"x}}", 19), ("{{name]}", 7), ("{{attribute.}}", 3),
            ("{{attribute.ä}}", 3), ("{{consent.all}}", 3), ("{{\"x\\q\"}}", 5), ("{{name default}}", 8),
            ("ab{{ \"x }}", 6), (String(repeating: "{{name}}", count: 17), 129),
        ]
    )
    func reportsThePosition(_ text: String, _ position: Int) {
        let problem = #expect(throws: PersonalText.Problem.self) { try PersonalText(text) }

        #expect(problem?.position == position)
        #expect(problem?.words.isEmpty == false)
    }

    @Test("Random texts are parsed or refused, and parsed ones round-trip") func randomTexts() throws {
        let parts = [
            "{{", "}}", "name", "|", "default", ":", "\"", "max", "5", " ", "é", "\\", "{", "}", "value.a", "user",
        ]
        var random = SystemRandomNumberGenerator()
        for _ in 0..<20_000 {
            let text = (0..<Int.random(in: 0...12, using: &random)).map { _ in
                parts.randomElement(using: &random) ?? ""
            }.joined()
            guard let read = try? PersonalText(text) else { continue }
            let again = try? PersonalText(read.source)
            #expect(again?.pieces == read.pieces, "\(text) → \(read.source)")
            guard again?.pieces == read.pieces else { return }
        }
    }

    @Test("Values are cut by characters and by bytes") func cutsValues() {
        let place = PersonalText.Place(field: .user, maximum: 3)

        #expect(place.cut("ab") == "ab")
        #expect(place.cut("漢字漢字") == "漢字漢")
        #expect(place.cut("e\u{301}e\u{301}e\u{301}e\u{301}") == "e\u{301}e\u{301}e\u{301}")
        #expect(place.cut("a" + String(repeating: "\u{301}", count: 100)).utf8.count <= 12)
    }

    @Test("A syntax error in a message names the field and the position") func errorsNameFieldAndPosition() throws {
        func error(_ json: String) -> FieldError? {
            do {
                _ = try JSONDecoder().decode(Message.self, from: Data(json.utf8))
                return nil
            } catch { return error as? FieldError }
        }

        let body = error(#"{"content":{"default":{"body":"Hi"},"ja":{"body":"Hi {{nome}}"}}}"#)
        #expect(body?.field == "content.ja.body")
        #expect(body?.problem.hasPrefix("at character 6: ") == true)
        let button = #"{"content":{"default":{"body":"x","buttons":[{"id":"a","title":"{{"}]}}}"#
        #expect(error(button)?.field == "content.default.buttons.0.title")
        #expect(error(#"{"content":{"default":{"body":"x"}},"data":{"a":["{{x}}"]}}"#)?.field == "data.a")
        #expect(error(#"{"silent":true,"data":{"a":"{{x}}"}}"#)?.field == "data.a")
        #expect(error(#"{"content":{"default":{"body":"{{x}} {{"}},"isLiteral":true}"#) == nil)
        let link = #"{"content":{"default":{"body":"x","link":"https://a.example/{{ user | max: 9 }}?x"}}}"#
        #expect(error(link) == nil)
        #expect(error(#"{"content":{"default":{"body":"x","link":"{{user}}://a"}}}"#) == nil)
        #expect(error(#"{"content":{"default":{"body":"x","link":"{{user}}"}}}"#)?.field == "content.default.link")
        #expect(
            error(#"{"content":{"default":{"body":"x","image":"http://a/{{user}}"}}}"#)?.field
                == "content.default.image"
        )
    }
}
