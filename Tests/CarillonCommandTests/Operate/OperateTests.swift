import ArgumentParser
import Foundation
import Testing

@testable import CarillonCommand

struct OperatorOptionsTests {
    @Test("The command prints its version") func printsItsVersion() {
        let error = #expect(throws: (any Error).self) { try CarillonCommand.parseAsRoot(["--version"]) }
        #expect(error.map { CarillonCommand.fullMessage(for: $0) } == "0.1.0")
    }

    @Test("Server and key come from the environment") func readsTheEnvironment() throws {
        let options = try OperatorOptions.parse([])
        let api = try options.api(environment: [
            "CARILLON_SERVER": "https://push.example.com/base/", "CARILLON_API_KEY": " secret\n",
        ])
        #expect(api.server.absoluteString == "https://push.example.com/base/")
        #expect(api.key == "secret")
    }

    @Test("A flag overrides the environment") func flagsOverrideTheEnvironment() throws {
        let options = try OperatorOptions.parse(["--server", "http://localhost:9"])
        let api = try options.api(environment: ["CARILLON_SERVER": "https://a.example", "CARILLON_API_KEY": "k"])
        #expect(api.server.absoluteString == "http://localhost:9")
    }

    @Test("Without a key the error says where to put it") func namesTheMissingKey() throws {
        let options = try OperatorOptions.parse([])
        let error = #expect(throws: ValidationError.self) { try options.api(environment: [:]) }
        #expect(error?.message.contains("CARILLON_API_KEY") == true)
    }

    @Test(
        "The server's address must be an HTTP URL",
        arguments: ["push.example.com", "ftp://push.example.com", "https://"]
    )
    func requiresHTTP(address: String) throws {
        let options = try OperatorOptions.parse(["--server", address])
        #expect(throws: ValidationError.self) { try options.api(environment: ["CARILLON_API_KEY": "k"]) }
    }

    @Test("Names are percent-encoded as path segments") func encodesPathSegments() {
        #expect(OperatorAPI.segment("a/../b?c#d e") == "a%2F..%2Fb%3Fc%23d%20e")
    }
}

struct TextTableTests {
    @Test("Columns are aligned also with wide characters") func alignsWideCharacters() {
        var table = TextTable("ID", "NAME", "COUNT")
        table.add("1", "神奈川", "12")
        table.add("22", nil, "3")
        #expect(table.lines == ["ID  NAME    COUNT", "1   神奈川  12", "22          3"])
    }

    @Test("Control characters are escaped") func escapesControlCharacters() {
        var table = TextTable("NAME")
        table.add("a\u{1B}[2Jb\u{202E}c")
        #expect(table.lines == ["NAME", #"a\u001b[2Jb\u202ec"#])
    }
}
