import ArgumentParser
import CarillonModel
import CarillonOperatorModel
import Foundation
import Testing

@testable import CarillonCommand

struct ContentCommandTests {
    private func withFile<Result>(_ text: String, _ body: (String) throws -> Result) throws -> Result {
        let file = FileManager.default.temporaryDirectory.appending(path: "carillon-\(UUID().uuidString).json")
        try Data(text.utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        return try body(file.path)
    }

    @Test("A file must be an object of JSON, and the error has the position") func readsObjects() throws {
        let fine = #"{"audience":{"all":true},"message":{"content":{"default":{"body":"{{name}}"}}}}"#
        let object = try withFile(fine) { try OperatorInput.object(from: $0) }
        #expect(JSONValue.object(object).at("message.content.default.body") == .string("{{name}}"))

        for (text, expected) in [("{", "is not JSON"), ("[]", "must be an object"), ("", "is not JSON")] {
            let error = #expect(throws: CommandFailure.self) {
                try withFile(text) { try OperatorInput.object(from: $0) }
            }
            #expect(error?.kind == .data && error?.description.contains(expected) == true)
        }
    }

    @Test("A dry run shows problems, times and counts, sizes and payloads") func showsDryRuns() throws {
        let answer = """
            {"problems":[],"startsAt":"2026-11-01T00:00:00Z","estimate":{"devices":7},
             "renderings":[{"language":"ja","hasAdWords":true,"bytes":10,"mostBytes":20,"limit":4096,"payload":"{}"}],
             "sample":{"device":"d","reason":"NoConsent"}}
            """
        let lines = DryRunView(answer: try JSONValue(json: Data(answer.utf8))).lines
        #expect(
            lines == [
                "FIELD             VALUE", "estimate.devices  7", "startsAt          2026-11-01T00:00:00Z", "",
                "VARIANT  LANGUAGE  FOR ADS  BYTES  MOST  LIMIT", "         ja        yes      10     20    4096", "",
                "ja, for ads", "{}", "", "d: NoConsent",
            ]
        )
        let refused = #"{"problems":[{"field":"audience","problem":"is required"}],"renderings":[]}"#
        #expect(DryRunView(answer: try JSONValue(json: Data(refused.utf8))).lines == ["refused: audience is required"])
    }

    @Test("The commands parse") func commandsParse() throws {
        #expect(try DryRunCommand.parse(["--device", "d", "file"]).campaign == "file")
        #expect(try TemplatesCommand.Create.parse(["--name", "n", "--message", "m"]).name == "n")
        #expect(throws: (any Error).self) { try TemplatesCommand.Update.parse(["--name", "n"]) }
        #expect(try TemplatesCommand.Delete.parse(["tpl_1"]).template == "tpl_1")
    }

    @Test("An encoded request with a template has no message") func encodesOnlyTheTemplate() throws {
        let json = #"{"audience":{"all":true},"template":"tpl_000000000001","values":{"a":1}}"#
        let request = try JSONDecoder().decode(CampaignRequest.self, from: Data(json.utf8))

        #expect(try JSONDecoder().decode(CampaignRequest.self, from: try JSONEncoder().encode(request)) == request)
    }
}
