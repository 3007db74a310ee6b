import Carillon
import Foundation
import XCTest

/// The SDK's client on Apple's Foundation, without an app: in the iOS simulator or on the Mac.
///
/// A test without an app has no keychain, no token and no notifications; those are for `UITests`.
final class ServerTests: XCTestCase {
    func testRefusesUnencryptedServer() throws {
        let url = try XCTUnwrap(URL(string: "http://push.example.com"))

        XCTAssertThrowsError(try CarillonClient(CarillonConfiguration(server: url, appKey: "ak_1"))) { error in
            XCTAssertEqual((error as? CarillonError)?.code, .invalidConfiguration)
        }
    }

    /// Needs `CARILLON_SERVER_URL` and `CARILLON_APP_KEY`.
    func testRegistersAndIsForgotten() async throws {
        let environment = ProcessInfo.processInfo.environment
        guard let server = environment["CARILLON_SERVER_URL"].flatMap(URL.init(string:)),
            let appKey = environment["CARILLON_APP_KEY"]
        else { throw XCTSkip("there is no server") }
        var configuration = CarillonConfiguration(server: server, appKey: appKey)
        configuration.storage = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        let client = try CarillonClient(configuration, secrets: MemorySecretStore())

        let registered = try await client.register(consent: Consent(notifications: true))
        let record = try await client.fetchRecord()
        try await client.erase(.user)

        XCTAssertEqual(record.device, registered.device)
        XCTAssertTrue(record.consent.notifications)
    }
}

/// Unchecked: `lock` protects `identity`.
private final class MemorySecretStore: SecretStore, @unchecked Sendable {
    private let lock = NSLock()
    private var identity: DeviceIdentity?

    func load() throws -> DeviceIdentity? {
        lock.lock()
        defer { lock.unlock() }
        return identity
    }

    func save(_ identity: DeviceIdentity) throws { replace(by: identity) }

    func remove() throws { replace(by: nil) }

    private func replace(by new: DeviceIdentity?) {
        lock.lock()
        defer { lock.unlock() }
        identity = new
    }
}
