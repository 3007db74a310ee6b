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
            intent = try fields.decodeIfPresent(Intent.self, forKey: .intent) ?? Flags(from: decoder).intent
        }
    }

    /// The intent as earlier SDKs wrote it: as flags beside each other.
    private struct Flags: Decodable {
        let isWanted: Bool
        let isLeaving: Bool
        let mayBeKnown: Bool
        let isSilent: Bool?
        let forgetting: Scope?
        let confirmed: Registration?
        let confirmedAt: Timestamp?
        let refreshAt: Timestamp?
        let record: Record?

        var intent: Intent {
            let role: Role? = isWanted ? isSilent == true ? .introduced : .registered : nil
            guard mayBeKnown else { return Intent(role, .unsent) }
            let standing = confirmation.map(Standing.confirmed) ?? .unconfirmed(last: nil)
            guard isLeaving else { return Intent(role, standing) }
            let last = isSilent == true ? nil : confirmation
            if let forgetting { return .erasing(forgetting, last, then: role) }
            return role.map { Intent($0, standing) } ?? .leaving(last)
        }

        /// A record that this SDK cannot read counts as none.
        struct Record: Decodable {
            let value: DeviceRecord?

            init(from decoder: any Decoder) { value = try? DeviceRecord(from: decoder) }
        }

        private var confirmation: Confirmation? {
            guard let confirmed, let confirmedAt, let refreshAt else { return nil }
            return Confirmation(registration: confirmed, at: confirmedAt, refreshAt: refreshAt, record: record?.value)
        }
    }
}
