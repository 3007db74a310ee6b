package import CarillonModel

extension RegistrationMachine {
    /// The part of the state that outlives the process.
    package struct Memory: Codable, Equatable, Sendable {
        /// The Device that the intent is about; `nil` before it has an identity.
        package var device: DeviceID?
        /// What the server is to know.
        package var registration = Registration(consent: Consent(notifications: false))
        package var intent = Intent.none

        package init() {}

        /// Reads what this SDK or an earlier one wrote.
        package init(from decoder: any Decoder) throws {
            let fields = try decoder.container(keyedBy: CodingKeys.self)
            device = try fields.decodeIfPresent(DeviceID.self, forKey: .device)
            registration = try fields.decode(Registration.self, forKey: .registration)
            intent = try fields.decodeIfPresent(Intent.self, forKey: .intent) ?? Intent(flags: decoder)
        }
    }
}

extension RegistrationMachine.Intent {
    /// The names of the flags that earlier SDKs wrote beside each other.
    private enum Flags: String, CodingKey {
        case isWanted, isLeaving, mayBeKnown, isSilent, forgetting, confirmed, confirmedAt, refreshAt, record
    }

    fileprivate init(flags decoder: any Decoder) throws {
        let flags = try decoder.container(keyedBy: Flags.self)
        let isSilent = try flags.decodeIfPresent(Bool.self, forKey: .isSilent) == true
        let isWanted = try flags.decode(Bool.self, forKey: .isWanted)
        let role: RegistrationMachine.Role? = isWanted ? isSilent ? .introduced : .registered : nil
        let confirmation = try Self.confirmation(flags)
        let standing = confirmation.map(Standing.confirmed) ?? .unconfirmed(last: nil)
        let last = isSilent ? nil : confirmation
        if try !flags.decode(Bool.self, forKey: .mayBeKnown) {
            self.init(role, .unsent)
        } else if try !flags.decode(Bool.self, forKey: .isLeaving) {
            self.init(role, standing)
        } else if let scope = try flags.decodeIfPresent(RegistrationMachine.Scope.self, forKey: .forgetting) {
            self = .erasing(scope, last, then: role)
        } else {
            self = role.map { Self($0, standing) } ?? .leaving(last)
        }
    }

    private static func confirmation(
        _ flags: KeyedDecodingContainer<Flags>
    ) throws -> RegistrationMachine.Confirmation? {
        guard let registration = try flags.decodeIfPresent(Registration.self, forKey: .confirmed),
            let at = try flags.decodeIfPresent(Timestamp.self, forKey: .confirmedAt),
            let refreshAt = try flags.decodeIfPresent(Timestamp.self, forKey: .refreshAt)
        else { return nil }
        // A record that this SDK cannot read counts as none.
        let record = try? flags.decodeIfPresent(DeviceRecord.self, forKey: .record)
        return RegistrationMachine.Confirmation(
            registration: registration,
            at: at,
            refreshAt: refreshAt,
            record: record
        )
    }
}
