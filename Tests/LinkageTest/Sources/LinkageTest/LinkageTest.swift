import Carillon
import Foundation

/// Uses the SDK as an app would, with one import, so that the linker has something to link.
@main
enum LinkageTest {
    static func main() async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("linkage-" + UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: folder) }
        guard let server = URL(string: "https://push.example.com") else { return }
        var configuration = CarillonConfiguration(server: server, appKey: "pk_linkage")
        configuration.storage = folder
        let carillon = try CarillonClient(configuration, transport: Offline())
        let userInfo: [AnyHashable: Any] = [
            "carillon": ["o": "occ_000000000001", "r": "AAAAAAAAAAAAAAAAAAAAAAAA"]
        ]
        guard let push = ReceivedPush(userInfo: userInfo) else { throw Failure() }
        await carillon.report(.opened, of: push)
        do {
            try await carillon.register(consent: Consent(notifications: true), user: UserID(rawValue: "u-17"))
            throw Failure()
        } catch let error as CarillonError where error.code == .unreachable {
            guard await carillon.waitingEventCount == 1 else { throw Failure() }
            print("the SDK works alone")
        }
    }

    struct Failure: Error {}

    /// No network.
    struct Offline: Transport {
        func send(_ request: TransportRequest) async throws -> TransportAnswer { throw Failure() }
    }
}
