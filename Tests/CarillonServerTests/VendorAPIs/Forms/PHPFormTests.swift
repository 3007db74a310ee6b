import CarillonModel
import Testing

@testable import CarillonServer

/// Forms, read as PHP reads them.
struct PHPFormTests {
    private func form(_ text: String) throws -> PHPForm { try PHPForm(urlEncoded: Array(text.utf8)) }

    private func json(_ text: String) throws -> JSONValue { try JSONValue(.array(form(text).fields), "") }

    @Test(
        "Names and values are PHP's",
        arguments: [
            ("a=1&b=2", ["a": "1", "b": "2"]), ("", [:]), ("&&a=1&&", ["a": "1"]), ("a=1&a=2", ["a": "2"]),
            ("a", ["a": ""]), ("a=b=c", ["a": "b=c"]), ("=1", [:]), ("a.b c=1", ["a_b_c": "1"]), ("++a=1", ["a": "1"]),
            ("a+b=c+d%2Be", ["a_b": "c d+e"]), ("a=%zz%4&b=%", ["a": "%zz%4", "b": "%"]), ("a[=1", ["a_": "1"]),
            ("a[b=1", ["a_b": "1"]), ("[a]=1", [:]), ("a%5Bb=日本", ["a_b": "日本"]), ("a%00b=1", ["a": "1"]),
            ("a=%E6%97%A5", ["a": "日"]), ("a=\r\n", ["a": "\r\n"]),
        ]
    )
    func texts(_ body: String, _ expected: [String: String]) throws {
        let form = try form(body)
        #expect(Set(form.fields.names) == Set(expected.keys))
        for (name, value) in expected { #expect((try form.text(name) ?? "") == value, "\(name)") }
    }

    @Test("Brackets make lists and objects, also nested")
    func arrays() throws {
        #expect(try json("c[]=1&c[]=2") == ["c": ["1", "2"]])
        #expect(try json("c%5B%5D=1&c%5B%5D=2") == ["c": ["1", "2"]])
        #expect(try json("c[2][]=a&c[2][]=b&c[4][]=d") == ["c": ["2": ["a", "b"], "4": ["d"]]])
        #expect(try json("c[1]=a&c[]=b") == ["c": ["1": "a", "2": "b"]])
        #expect(try json("c[x]=1&c[]=2&c[x]=3") == ["c": ["x": "3", "0": "2"]])
        #expect(try json("c=1&c[]=2") == ["c": ["2"]])
        #expect(try json("c[]=1&c=2") == ["c": "2"])
        #expect(try json("c[ ]=1&c[a]b[c]=2&c[d][e=3") == ["c": ["0": "1", "a": "2", "d": "3"]])
        #expect(try json("c[0]=a&c[1]=b") == ["c": ["a", "b"]])
        #expect(try json("c[9223372036854775807]=a&c[]=b") == ["c": ["9223372036854775807": "a"]])
        #expect(throws: PHPForm.Failure(field: "c", problem: "must be one text, no list")) {
            try form("c[]=1").text("c")
        }
    }

    @Test("Values that are no UTF-8 stay bytes, and are refused when a text is read")
    func bytes() throws {
        let form = try form("a=%ff&b=1")
        #expect(form["a"] == .text([0xFF]))
        #expect(throws: PHPForm.Failure(field: "a", problem: "must be UTF-8")) { try form.text("a") }
        #expect(try form.text("b") == "1")
    }

    @Test("There are at most a thousand fields and eight brackets")
    func limits() throws {
        let many = (0..<1_000).map { "a[]=\($0)" }.joined(separator: "&")
        #expect(try form(many)["a"] != nil)
        #expect(throws: PHPForm.Failure.self) { try form(many + "&b=1") }
        let deep = "a" + String(repeating: "[x]", count: 8)
        #expect(try form(deep + "=1")["a"] != nil)
        #expect(throws: PHPForm.Failure.self) { try form(deep + "[x]=1") }
        #expect(throws: PHPForm.Failure.self) { try form("a" + String(repeating: "[x]", count: 10_000) + "=1") }
    }

    // MARK: multipart/form-data

    private func multipart(_ body: String, _ boundary: String = "b1") throws -> PHPForm {
        try PHPForm(multipart: Array(body.replacing("\n", with: "\r\n").utf8), boundary: boundary)
    }

    @Test("What PHP's curl sends for an array is read as the same fields")
    func multipartFields() throws {
        let form = try multipart(
            """
            --b1
            Content-Disposition: form-data; name="config_key"

            abc
            --b1
            Content-Disposition: form-data; name="c[]"

            1
            --b1
            Content-Type: text/plain
            Content-Disposition: form-data; name="a \\"q\\""

            line
            --b
            end&=+%41
            --b1--

            """
        )
        #expect(try form.text("config_key") == "abc")
        #expect(try JSONValue(#require(form["c"]), "c") == ["1"])
        #expect(try form.text("a_\"q\"") == "line\r\n--b\r\nend&=+%41")
        #expect(MultipartReader.boundary(of: "multipart/form-data; charset=x; Boundary=\"b 1\"") == "b 1")
        #expect(MultipartReader.boundary(of: "multipart/form-data") == nil)
    }

    @Test(
        "Files and malformed bodies are refused",
        arguments: [
            "--b1\nContent-Disposition: form-data; name=\"a\"; filename=\"x\"\n\n1\n--b1--\n",
            "--b1\nContent-Disposition: form-data\n\n1\n--b1--\n",
            "--b1\nContent-Disposition: form-data; name=\"a\"\n\n1",
            "--b1\n\n1\n--b1--", "--b2--", "", "--b1", "--b1x",
            "--b1\n" + String(repeating: "x", count: 2_000) + "\n\n",
        ]
    )
    func multipartErrors(_ body: String) {
        #expect(throws: PHPForm.Failure.self) { try multipart(body) }
    }

    // MARK: Properties

    @Test("Random bytes are read or refused, never more", arguments: [1, 2, 3, 4] as [UInt64])
    func randomBytes(_ seed: UInt64) {
        var random = Steps(state: seed)
        let letters = Array("a[]=&%+.-\r\n\" 0\0\u{FF}b1;:name".utf8)
        for _ in 0..<2_000 {
            let body = (0..<Int.random(in: 0...80, using: &random)).map { _ in
                Bool.random(using: &random)
                    ? letters.randomElement(using: &random) ?? 0 : UInt8.random(in: 0...255, using: &random)
            }
            if let form = try? PHPForm(urlEncoded: body) { #expect(form.fields.names.count <= 80) }
            let parts = Array("--b1\r\n".utf8) + body + Array("\r\n--b1--".utf8)
            _ = try? PHPForm(multipart: parts, boundary: "b1")
        }
    }

    @Test("Fields that are encoded are read as they were", arguments: [5, 6, 7] as [UInt64])
    func roundTrip(_ seed: UInt64) throws {
        var random = Steps(state: seed)
        for _ in 0..<300 {
            let fields = (0..<Int.random(in: 1...12, using: &random)).map { index in
                (
                    name: "n\(index)",
                    value: (0..<Int.random(in: 0...20, using: &random)).map { _ in
                        UInt8.random(in: 0...255, using: &random)
                    }
                )
            }
            let encoded = fields.map { "\($0.name)=" + $0.value.map { "%" + Self.hexadecimal($0) }.joined() }
            let form = try form(encoded.joined(separator: "&"))
            #expect(form.fields.names == fields.map(\.name))
            for field in fields { #expect(form[field.name] == .text(field.value)) }

            var parts: [UInt8] = []
            for field in fields {
                parts += "--=b=\r\nContent-Disposition: form-data; name=\"\(field.name)\"\r\n\r\n".utf8
                parts += field.value + Array("\r\n".utf8)
            }
            #expect(try PHPForm(multipart: parts + Array("--=b=--\r\n".utf8), boundary: "=b=").fields == form.fields)
        }
    }

    private static func hexadecimal(_ byte: UInt8) -> String {
        let text = String(byte, radix: 16)
        return text.count < 2 ? "0" + text : text
    }
}

/// A generator of numbers that are the same in each run.
private struct Steps: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = (state ^ state >> 30) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
        return mixed ^ mixed >> 31
    }
}
