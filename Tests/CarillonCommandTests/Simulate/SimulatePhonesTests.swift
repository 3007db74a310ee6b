#if os(Linux)
import ArgumentParser
import Foundation
import PhoneSimulator
import Testing

@testable import CarillonCommand

struct SimulatePhonesTests {
    private static let needed = ["--app-key", "key", "--topic", "org.example.app"]
    private let folder = FileManager.default.temporaryDirectory

    private func server(_ arguments: [String], _ environment: [String: String]) throws -> String {
        let command = try SimulatePhonesCommand.parse(Self.needed + arguments)
        return try command.plan(in: folder, environment: environment).server.absoluteString
    }

    @Test("The server's address comes from the option, or else from CARILLON_SERVER") func addresses() throws {
        let environment = ["CARILLON_SERVER": "http://127.0.0.1:18080"]
        #expect(try server([], environment) == "http://127.0.0.1:18080")
        #expect(try server(["--server", "http://localhost:9"], environment) == "http://localhost:9")
        #expect(try server([], [:]) == "http://127.0.0.1:8080")
        let error = #expect(throws: ValidationError.self) { try server([], ["CARILLON_SERVER": "push"]) }
        #expect(error?.message == "CARILLON_SERVER must be an http or https URL.")
    }

    @Test("Rates that were not given share what the given ones leave") func rates() throws {
        func behavior(_ arguments: [String]) throws -> PersonBehavior {
            try ReactionRates.parse(arguments).behavior(slowestReaction: 2)
        }
        #expect(try behavior([]) == PersonBehavior())
        #expect(try behavior(["--tap-rate", "1"]) == PersonBehavior(tapRate: 1, dismissRate: 0, pressRate: 0))
        let half = try behavior(["--dismiss-rate", "0.8"])
        #expect(half.dismissRate == 0.8 && abs(half.tapRate - 0.15) < 1e-9 && abs(half.pressRate - 0.05) < 1e-9)
        #expect(throws: (any Error).self) { try ReactionRates.parse(["--tap-rate", "0.7", "--press-rate", "0.5"]) }
    }
}
#endif
