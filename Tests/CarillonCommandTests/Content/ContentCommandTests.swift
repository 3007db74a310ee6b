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

    @Test("A campaign is decoded strictly before any request is sent") func decodesCampaignsFirst() throws {
        let fine = #"{"audience":{"all":true},"message":{"content":{"default":{"body":"{{name}}"}}}}"#
        let request = try withFile(fine) { try OperatorInput.decode(CampaignRequest.self, from: $0) }
        #expect(request.message.content["default"]?.body == "{{name}}")

        let wrong = #"{"audience":{"all":true},"message":{"content":{"default":{"body":"{{nome}}"}}}}"#
        let error = #expect(throws: ValidationError.self) {
            try withFile(wrong) { try OperatorInput.decode(CampaignRequest.self, from: $0) }
        }
        #expect(error?.message.contains("message.content.default.body at character 3") == true)
        #expect(throws: ValidationError.self) {
            try withFile("{}") { try OperatorInput.decode(CampaignRequest.self, from: $0) }
        }
    }

    @Test("The commands parse") func commandsParse() throws {
        #expect(try DryRunCommand.parse(["--device", "d", "file"]).campaign == "file")
        #expect(try TemplatesCommand.Create.parse(["--name", "n", "--message", "m"]).name == "n")
        #expect(throws: (any Error).self) { try TemplatesCommand.Replace.parse(["--name", "n"]) }
        #expect(try TemplatesCommand.Delete.parse(["tpl_1"]).template == "tpl_1")
    }

    @Test("An encoded request with a template has no message") func encodesOnlyTheTemplate() throws {
        let json = #"{"audience":{"all":true},"template":"tpl_000000000001","values":{"a":1}}"#
        let request = try JSONDecoder().decode(CampaignRequest.self, from: Data(json.utf8))

        #expect(try JSONDecoder().decode(CampaignRequest.self, from: try JSONEncoder().encode(request)) == request)
    }
}
