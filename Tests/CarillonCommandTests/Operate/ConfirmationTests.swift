import ArgumentParser
import Testing

@testable import CarillonCommand

/// What is deleted for good is deleted when its name is typed, or with `--yes`.
struct ConfirmationTests {
    @Test("An App is deleted when its name is typed, and not otherwise")
    func confirms() throws {
        let confirmation = Confirmation(name: "Bus", kind: "App's name", loss: "all its devices")
        var asked = ""
        try confirmation.confirm(ask: { asked += $0 }, answer: { "Bus" })
        #expect(asked == "This deletes Bus with all its devices. Type the App's name: ")
        for answer in ["bus", "", nil, "Bus "] {
            #expect(throws: ValidationError.self) { try confirmation.confirm(ask: { _ in }, answer: { answer }) }
        }
    }

    @Test(
        "Without a terminal nothing is deleted unless --yes says so, and what was deleted is told",
        arguments: [
            ["apps delete app_000000000001", "The App is deleted."],
            ["accounts delete u-1", "The account is deleted, and so are its user's devices and all other data."],
            ["users erase u-1", "The user is erased, with their devices, account and all other data."],
        ]
    )
    func needsATerminal(pair: [String]) async throws {
        let arguments = pair[0].split(separator: " ").map(String.init)
        try await StubAPI.run({ _ in StubAPI.Response(status: 204, body: "") }) { stub, address in
            let more = ["--server", address, "--app", "app_000000000001"]
            let key = ["CARILLON_API_KEY": "k"]
            let refused = try await Program.run(arguments + more, environment: key)
            #expect(refused.status == 64)
            #expect(refused.errors.contains("nothing was deleted: confirm with --yes."))
            #expect(stub.recorded == [])

            let done = try await Program.run(arguments + more + ["--yes"], environment: key)
            #expect(done.status == 0)
            #expect(done.output == pair[1] + "\n")
            #expect(stub.recorded.map(\.method) == ["DELETE"])
        }
    }
}
