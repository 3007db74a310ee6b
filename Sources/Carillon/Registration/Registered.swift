public import CarillonModel

extension CarillonClient {
    /// The registration that the server confirmed last.
    public struct Registered: Hashable, Sendable {
        /// The Device's public id.
        public let device: DeviceID
        /// What the SDK sent.
        public var registration: Registration { confirmation.registration }
        /// The server's record; `nil` when this SDK cannot read it, as one of a newer server.
        public var record: DeviceRecord? { confirmation.record }
        /// When, by the phone's clock.
        public var at: Timestamp { confirmation.at }

        let confirmation: RegistrationMachine.Confirmation

        /// Whether two are the same in everything that can be read of them.
        public static func == (lhs: Registered, rhs: Registered) -> Bool {
            lhs.device == rhs.device && lhs.registration == rhs.registration && lhs.record == rhs.record
                && lhs.at == rhs.at
        }

        /// Hashes the Device and the time, by which registrations differ.
        public func hash(into hasher: inout Hasher) {
            hasher.combine(device)
            hasher.combine(at)
        }
    }
}
