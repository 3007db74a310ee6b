import CarillonBytes
package import CarillonModel
import CarillonOperatorModel
import Foundation

/// Phones that are only Devices, for an App that uses the simulated APNs: to see what a notification looks like before there
/// is a key of Apple's and an app.
package struct SimulatedPhones: Sendable {
    /// The model of such a Device.
    package static let model = "Carillon simulated phone"

    let apps: Apps
    let devices: Devices
    let campaigns: Campaigns
    let events: Events

    /// Registers a phone that allows everything.
    ///
    /// - Parameters:
    ///   - app: The App.
    ///   - language: Its language; `nil` for none.
    ///   - timeZone: Its IANA zone; `nil` for none.
    /// - Returns: The Device.
    /// - Throws: ``EngineError/conflict(_:)`` when the App does not use the simulator, or has too many new Devices.
    package func add(
        to app: AppID,
        language: String?,
        timeZone: String?
    ) async throws(EngineError) -> DeviceRecord {
        guard try await apps.app(app).usesSimulator else {
            throw .conflict("The App has no simulated phones: it does not use the simulator.")
        }
        guard let token = DeviceToken(bytes: apps.random(32)) else { preconditionFailure("32 bytes make a token.") }
        let consent = Consent(notifications: true, ads: true, nightAds: true)
        var registration = Registration(token: token, consent: consent)
        registration.permission = .authorized
        (registration.language, registration.timeZone) = (language, timeZone)
        registration.model = Self.model
        // Nobody needs its secret: there is no phone that would say it.
        let secret = Base64URL.encode(apps.random(32))
        let id = DeviceID(rawValue: UUID())
        switch try await devices.register(app: app, device: id, secret: secret, registration) {
        case .created(let record), .updated(let record): return record
        case .limited: throw .conflict("The App has too many new Devices: wait a minute.")
        }
    }

    /// Reports that a person opened a notification on such a phone, as an app reports it.
    ///
    /// - Parameters:
    ///   - occurrence: The notification's Occurrence.
    ///   - device: The phone.
    ///   - app: Its App.
    /// - Throws: ``EngineError/notFound(_:)`` when the App has no such phone.
    package func open(
        _ occurrence: OccurrenceID,
        on device: DeviceID,
        of app: AppID
    ) async throws(EngineError) {
        let record = try await devices.device(app: app, device: device, secret: nil)
        guard try await apps.app(app).usesSimulator, record.model == Self.model,
            let sample = try await stored(try await campaigns.store.sample(device, of: app))
        else { throw .notFound(.device) }
        let receipt = try await apps.receiptKey(for: app).receipt(occurrence: occurrence, device: sample.number)
        let now = devices.clock.now()
        _ = try await events.record(
            app: app,
            [Event.Kind.received, .opened].map { Event($0, occurrence: occurrence, receipt: receipt, at: now) }
        )
    }
}

extension Engine {
    /// Phones of Apps that use the simulated APNs.
    package var simulatedPhones: SimulatedPhones {
        SimulatedPhones(apps: apps, devices: devices, campaigns: campaigns, events: events)
    }
}
