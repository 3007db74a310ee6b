import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import CarillonStore
import Foundation
import Logging
import NIOConcurrencyHelpers
import TestStores
import Testing

struct NewDeviceLimitTests {
    private let secret = String(repeating: "s", count: 43)

    private func registration() -> Registration {
        Registration(consent: Consent(notifications: true))
    }

    @Test("S1-C1 the number of new Devices of an App per minute is limited; existing ones can register")
    func boundsNewDevices() async throws {
        let registry = try await Registry()
        let app = try await registry.app().app.id
        let other = try await registry.app().app.id
        let now = NIOLockedValueBox(ContinuousClock.now)
        let log = CollectedLog()
        let devices = Devices(
            store: registry.stores.devices,
            apps: registry.apps,
            inboxes: registry.inboxes,
            clock: registry.clock,
            newDevices: NewDeviceLimiter(perMinute: 2, logger: log.logger) { now.withLockedValue { $0 } }
        )
        func register(_ device: DeviceID, of app: AppID) async throws -> RegisterResult {
            try await devices.register(app: app, device: device, secret: secret, registration())
        }
        let first = DeviceID(rawValue: UUID())

        _ = try await register(first, of: app)
        _ = try await register(DeviceID(rawValue: UUID()), of: app)
        for _ in 0..<3 {
            #expect(try await register(DeviceID(rawValue: UUID()), of: app) == .limited(.seconds(30)))
        }
        guard case .updated = try await register(first, of: app) else { throw Unexpected() }
        guard case .created = try await register(DeviceID(rawValue: UUID()), of: other) else { throw Unexpected() }
        #expect(log.lines(.warning).count == 1)
        now.withLockedValue { $0 += .seconds(30) }
        guard case .created = try await register(DeviceID(rawValue: UUID()), of: app) else { throw Unexpected() }
    }

    private struct Unexpected: Error {}
}
