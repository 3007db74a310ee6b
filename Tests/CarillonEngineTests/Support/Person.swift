import CarillonEngine
import CarillonModel
import Foundation

/// A phone with the app, and its User.
struct Person {
    let registry: Registry
    let app: AppID
    let device = DeviceID(rawValue: UUID())
    let secret = "a secret of the device's own making"

    var caller: DeviceCaller { DeviceCaller(app: app, device: device, secret: secret) }

    /// Registers the phone as it is now.
    @discardableResult
    func register(
        _ user: String?,
        consent: Consent = Consent(notifications: true),
        _ change: (inout Registration) -> Void = { _ in }
    ) async throws -> DeviceRecord {
        var registration = Registration(consent: consent)
        registration.user = user.flatMap(UserID.init(rawValue:))
        change(&registration)
        switch try await registry.devices.register(app: app, device: device, secret: secret, registration) {
        case .created(let record), .updated(let record): return record
        case .limited: throw EngineError.refused(.tooManyNewDevices)
        }
    }

    func record() async throws -> DeviceRecord {
        try await registry.devices.device(app: app, device: device, secret: secret)
    }
}

extension DeviceToken {
    /// A token of 32 equal bytes.
    init(repeating byte: UInt8) {
        guard let token = DeviceToken(bytes: Array(repeating: byte, count: 32)) else {
            preconditionFailure("32 bytes make a token.")
        }
        self = token
    }
}
