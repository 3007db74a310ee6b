import Carillon
import Foundation
import PhoneSimulator
import Testing

@Suite("What errors say")
struct ErrorTextTests {
    @Test("Each error has a text that says what happened, in every form that an app prints")
    func describesItself() throws {
        let error = try #require(throws: CarillonError.self) { try CarillonConfiguration(bundle: .main) }
        #expect("\(error)" == "invalidConfiguration: " + error.detail)
        #expect(error.localizedDescription == error.detail)
        #expect(error.detail.contains("CarillonServerURL"))
    }

    @Test("An error without details of its own has those of its code, with the cause")
    func hasDetails() async throws {
        let test = try TestPhone()
        let error = await #expect(throws: CarillonError.self) {
            try await test.phone.inside { phone in
                var configuration = CarillonConfiguration(server: URL(string: "https://push.example.com")!, appKey: "k")
                configuration.storage = test.folder.url
                let client = try CarillonClient(configuration, transport: NoNetwork())
                try await client.register(consent: Sample.consent)
            }
        }
        #expect(error?.detail == "The server could not be reached: there is no network. What was saved is sent later.")
    }
}

/// A phone in flight mode.
private struct NoNetwork: Transport {
    func send(_ request: TransportRequest) async throws -> TransportAnswer { throw URLError(.notConnectedToInternet) }
}
