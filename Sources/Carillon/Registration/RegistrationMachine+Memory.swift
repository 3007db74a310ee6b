package import CarillonModel

extension RegistrationMachine {
    /// The part of the state that outlives the process.
    package struct Memory: Codable, Equatable, Sendable {
        /// The Device that the intent is about; `nil` before it has an identity.
        package var device: DeviceID?
        package var intent = Intent.none
        private var wanted = Wanted.registration(Registration(consent: Consent(notifications: false)))

        /// What the server is to know.
        package var registration: Registration {
            get {
                switch wanted {
                case .registration(let registration): registration
                }
            }
            set { wanted = .registration(newValue) }
        }

        /// A place of its own, as the registration is large: code that copies it is a large part of an SDK's bytes.
        private indirect enum Wanted: Equatable {
            case registration(Registration)
        }

        package init() {}

        /// Reads what this SDK or an earlier one wrote.
        package init(from decoder: any Decoder) throws {
            let fields = try decoder.container(keyedBy: AnyKey.self)
            device = try fields.decodeIfPresent(DeviceID.self, forKey: "device")
            wanted = .registration(try fields.decode(Registration.self, forKey: "registration"))
            intent = try fields.decodeIfPresent(Intent.self, forKey: "intent") ?? Intent(flags: fields)
        }

        package func encode(to encoder: any Encoder) throws {
            var fields = encoder.container(keyedBy: AnyKey.self)
            try fields.encodeIfPresent(device, forKey: "device")
            try fields.encode(registration, forKey: "registration")
            try fields.encode(intent, forKey: "intent")
        }
    }
}

extension RegistrationMachine.Intent {
    /// Reads the flags that earlier SDKs wrote beside each other.
    fileprivate init(flags: KeyedDecodingContainer<AnyKey>) throws {
        let isSilent = try flags.decodeIfPresent(Bool.self, forKey: "isSilent") == true
        let isWanted = try flags.decode(Bool.self, forKey: "isWanted")
        let role: RegistrationMachine.Role? = isWanted ? isSilent ? .introduced : .registered : nil
        let confirmation = try Self.confirmation(flags)
        let standing = confirmation.map(Standing.confirmed) ?? .unconfirmed(last: nil)
        let last = isSilent ? nil : confirmation
        if try !flags.decode(Bool.self, forKey: "mayBeKnown") {
            self.init(role, .unsent)
        } else if try !flags.decode(Bool.self, forKey: "isLeaving") {
            self.init(role, standing)
        } else if let scope = try flags.decodeIfPresent(RegistrationMachine.Scope.self, forKey: "forgetting") {
            self = .erasing(scope, last, then: role)
        } else {
            self = role.map { Self($0, standing) } ?? .leaving(last)
        }
    }

    private static func confirmation(
        _ flags: KeyedDecodingContainer<AnyKey>
    ) throws -> RegistrationMachine.Confirmation? {
        guard let registration = try flags.decodeIfPresent(Registration.self, forKey: "confirmed"),
            let at = try flags.decodeIfPresent(Timestamp.self, forKey: "confirmedAt"),
            let refreshAt = try flags.decodeIfPresent(Timestamp.self, forKey: "refreshAt")
        else { return nil }
        // A record that this SDK cannot read counts as none.
        let record = try? flags.decodeIfPresent(DeviceRecord.self, forKey: "record")
        return RegistrationMachine.Confirmation(
            registration: registration,
            at: at,
            refreshAt: refreshAt,
            record: record
        )
    }
}
