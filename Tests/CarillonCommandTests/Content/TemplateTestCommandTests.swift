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
            ["tpl_000000000001", "--device", device, "--values", #"{"line": 5}"#]
        )
        let request = try command.request()
        #expect(request.template == TemplateID(rawValue: 1) && request.device.description == device)
        #expect(request.values == TemplateValues(["line": "5"]))
        let data = try JSONEncoder().encode(request)
        #expect(try JSONDecoder().decode(TestSendRequest.self, from: data) == request)

        for arguments in [
            ["tpl_1", "--device", device], ["tpl_000000000001", "--device", "x"],
            ["tpl_000000000001", "--device", device, "--values", "[]"],
            ["tpl_000000000001", "--device", device, "--values", #"{"a b": 1}"#],
        ] {
            let command = try TemplatesCommand.Test.parse(arguments)
            #expect(throws: ValidationError.self) { try command.request() }
        }
    }
}
