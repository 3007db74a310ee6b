package import CarillonModel
import CarillonOperatorModel

/// The result of a registration.
package enum RegisterResult: Hashable, Sendable {
    case created(DeviceRecord)
    case updated(DeviceRecord)
    /// The App has too many new Devices; this one may retry after a delay.
    case limited(Duration)
}

/// Installations of Apps on phones.
package struct Devices: Sendable {
    /// The allowed size of a Device's secret in bytes.
    package static let secretLength = 20...256
    /// Maximum number of Devices of a User where Users are verified, which limits the use of a proof that was passed
    /// on.
    package static let maximumPerUser = 100

    let store: any DeviceStore
    let apps: Apps
    let inboxes: Inboxes
    let clock: any WallClock
    private let newDevices: NewDeviceLimiter?
    private let locale = DeviceLocale()

    /// Creates the service.
    ///
    /// - Parameters:
    ///   - store: Stores Devices.
    ///   - apps: Decides how an App's Users are claimed.
    ///   - inboxes: Erase a Device's history.
    ///   - clock: The time of a registration.
    ///   - newDevices: Limits the new Devices of an App; `nil` does not.
    package init(
        store: any DeviceStore,
        apps: Apps,
        inboxes: Inboxes,
        clock: any WallClock,
        newDevices: NewDeviceLimiter? = nil
    ) {
        self.newDevices = newDevices
        self.store = store
        self.apps = apps
        self.inboxes = inboxes
        self.clock = clock
    }

    /// Registers a Device; creates it if it does not exist.
    ///
    /// The same registration again changes only the time. A time zone that is unknown here, and a malformed language, are
    /// not stored: a phone's time zones may be newer than the server's. The record's warnings name them.
    ///
    /// - Throws: ``EngineError/refused(_:)`` when the secret is not the Device's, or the User changes without the
    ///   required proof; ``EngineError/invalid(_:)`` when the secret is too short or long.
    package func register(
        app: AppID,
        device: DeviceID,
        secret: String,
        _ registration: Registration
    ) async throws(EngineError) -> RegisterResult {
        guard Self.secretLength.contains(secret.utf8.count) else {
            let problem = "must have \(Self.secretLength.lowerBound) through \(Self.secretLength.upperBound) bytes"
            throw .invalid(FieldError(field: "deviceSecret", problem: problem))
        }
        let facts = try await apps.facts(app)
        let now = clock.now()
        let change = DeviceChange(
            app: app,
            device: device,
            secretHash: SecretHash(of: secret),
            content: .registration(registration),
            claim: facts.claim(registration.user, proof: registration.userProof, app: app, now: now),
            tokensPerUser: facts.tokensPerUser,
            at: now
        )
        return try await apply(change, facts)
    }

    /// Applies a registration, within the App's limits.
    func apply(_ registration: DeviceChange, _ facts: AppFacts) async throws(EngineError) -> RegisterResult {
        let (app, now) = (registration.app, registration.at)
        var change = registration
        let warnings = locale.removeInvalid(from: &change.content)
        change.devicesPerUser = facts.identity == .signed ? Self.maximumPerUser : nil
        let delay = newDevices?.delay(of: app)
        change.mayCreate = delay == nil
        let limited = change
        switch try await stored(try await store.apply(limited)) {
        case .created(let record):
            newDevices?.count(app)
            return .created(facts.applyingRules(to: record, at: now).with(warnings))
        case .updated(let record): return .updated(facts.applyingRules(to: record, at: now).with(warnings))
        case .refused(.tooManyNewDevices):
            newDevices?.warn(app)
            return .limited(delay ?? .zero)
        case .refused(let refusal): throw .refused(refusal)
        case .unknown: throw .notFound(.device)
        }
    }

    /// Changes some fields of a registration.
    ///
    /// - Throws: As ``register(app:device:secret:_:)``, and ``EngineError/notFound(_:)`` when there is no such Device.
    package func update(
        app: AppID,
        device: DeviceID,
        secret: String,
        _ update: RegistrationUpdate
    ) async throws(EngineError) -> DeviceRecord {
        let facts = try await apps.facts(app)
        let now = clock.now()
        var update = update
        let warnings = locale.removeInvalid(from: &update)
        var change = DeviceChange(
            app: app,
            device: device,
            secretHash: SecretHash(of: secret),
            content: .update(update),
            claim: facts.claim(update.user.applied(to: nil), proof: update.userProof, app: app, now: now),
            tokensPerUser: facts.tokensPerUser,
            at: now
        )
        change.devicesPerUser = facts.identity == .signed ? Self.maximumPerUser : nil
        switch try await stored(try await store.apply(change)) {
        case .created(let record), .updated(let record):
            return facts.applyingRules(to: record, at: now).with(warnings)
        case .refused(let refusal): throw .refused(refusal)
        case .unknown: throw .notFound(.device)
        }
    }

    /// Returns a Device.
    ///
    /// - Parameters:
    ///   - app: The App.
    ///   - device: The Device.
    ///   - secret: The Device's secret; `nil` for a caller with an API key.
    /// - Returns: The Device, without its token.
    /// - Throws: ``EngineError/notFound(_:)``; ``EngineError/refused(_:)`` when the secret is not the Device's.
    package func device(app: AppID, device: DeviceID, secret: String?) async throws(EngineError) -> DeviceRecord {
        let found = try await stored(try await store.device(app: app, device: device))
        guard let found else { throw .notFound(.device) }
        if let secret, found.secretHash != SecretHash(of: secret) { throw .refused(.wrongDeviceSecret) }
        return try await apps.facts(app).applyingRules(to: found.record(device, app: app), at: clock.now())
    }

    /// Deletes a Device and its tokens; its events still count.
    ///
    /// - Parameters:
    ///   - app: The App.
    ///   - device: The Device.
    ///   - secret: The Device's secret; `nil` for a caller with an API key.
    /// - Throws: ``EngineError/notFound(_:)``; ``EngineError/refused(_:)`` when the secret is not the Device's.
    package func delete(app: AppID, device: DeviceID, secret: String?) async throws(EngineError) {
        let hash = secret.map { SecretHash(of: $0) }
        let deletion = try await stored(
            try await store.delete(app: app, device: device, secretHash: hash, at: clock.now())
        )
        switch deletion {
        case .deleted: return
        case .refused: throw .refused(.wrongDeviceSecret)
        case .unknown: throw .notFound(.device)
        }
    }
}
