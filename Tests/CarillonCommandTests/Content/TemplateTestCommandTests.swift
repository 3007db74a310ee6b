import ArgumentParser
import CarillonModel
import CarillonOperatorModel
import Foundation
import Testing

@testable import CarillonCommand

/// `carillon templates test`.
struct TemplateTestCommandTests {
    @Test("A test send has template, device and values, and reports invalid ones")
    func builds() throws {
        let device = "3f2504e0-4f89-41d3-9a0c-0305e82c3301"
        let command = try TemplatesCommand.Test.parse(
            ["tpl_000000000001", "--device", device, "--values", #"{"line": 5}"#, "--app", "app_000000000001"]
        )
        let body = try #require(try command.request().body)
        #expect(body["template"]?.string == "tpl_000000000001" && body["device"]?.string == device)
        #expect(body["values"] == .object(["line": .integer(5)]))
        let data = try JSONEncoder().encode(body)
        #expect(try JSONDecoder().decode(TestSendRequest.self, from: data).values == TemplateValues(["line": "5"]))

        for arguments in [
            ["tpl_1", "--device", device], ["tpl_000000000001", "--device", "x"],
            ["tpl_000000000001", "--device", device, "--values", "[]"],
            ["tpl_000000000001", "--device", device, "--values", "line"],
        ] {
            let command = try TemplatesCommand.Test.parse(arguments)
            #expect(throws: ValidationError.self) { try command.request() }
        }
    }
}
