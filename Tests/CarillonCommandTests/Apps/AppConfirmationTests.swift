import ArgumentParser
import Testing

@testable import CarillonCommand

struct AppConfirmationTests {
    @Test("An App is deleted when its name is typed, and not otherwise")
    func confirms() throws {
        let confirmation = AppConfirmation(name: "Bus")
        var asked = ""
        try confirmation.confirm(ask: { asked += $0 }, answer: { "Bus" })
        #expect(asked.contains("Bus"))
        for answer in ["bus", "", nil, "Bus "] {
            #expect(throws: ValidationError.self) { try confirmation.confirm(ask: { _ in }, answer: { answer }) }
        }
    }
}
