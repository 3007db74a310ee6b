package import CarillonModel

extension RegistrationMachine {
    /// What the server confirmed last.
    ///
    /// An object that does not change, as its parts are large: code that copies them is a large part of an SDK's bytes.
    package final class Confirmation: Codable, Equatable, Sendable {
        package let registration: Registration
        /// When, by the phone's clock.
        package let at: Timestamp
        /// When everything is sent again at the latest.
        package let refreshAt: Timestamp
        /// The server's record; `nil` when this SDK cannot read it.
        package let record: DeviceRecord?

        init(registration: Registration, at: Timestamp, refreshAt: Timestamp, record: DeviceRecord?) {
            self.registration = registration
            self.at = at
            self.refreshAt = refreshAt
            self.record = record
        }

        package init(from decoder: any Decoder) throws {
            let fields = try decoder.container(keyedBy: AnyKey.self)
            registration = try fields.decode(Registration.self, forKey: "registration")
            at = try fields.decode(Timestamp.self, forKey: "at")
            refreshAt = try fields.decode(Timestamp.self, forKey: "refreshAt")
            // An earlier or later SDK may have written a record that this one cannot read.
            record = try? fields.decodeIfPresent(DeviceRecord.self, forKey: "record")
        }

        package func encode(to encoder: any Encoder) throws {
            var fields = encoder.container(keyedBy: AnyKey.self)
            try fields.encode(registration, forKey: "registration")
            try fields.encode(at, forKey: "at")
            try fields.encode(refreshAt, forKey: "refreshAt")
            try fields.encodeIfPresent(record, forKey: "record")
        }

        package static func == (lhs: Confirmation, rhs: Confirmation) -> Bool {
            lhs.registration == rhs.registration && lhs.at == rhs.at && lhs.refreshAt == rhs.refreshAt
                && lhs.record == rhs.record
        }
    }
}

extension RegistrationMachine.Confirmation {
    private static let day: Int64 = 86_400_000

    /// The next registration is due after six to seven days, by the jitter, so that phones that registered together do not
    /// come back together.
    package convenience init(_ sent: Registration, _ record: DeviceRecord?, at now: Timestamp, jitter: Double) {
        var sent = sent
        // It was news once.
        sent.badge = nil
        let refreshAt = Timestamp(rawValue: now.rawValue + Int64((6 + jitter) * Double(Self.day)))
        self.init(registration: sent, at: now, refreshAt: refreshAt, record: record)
    }

    /// A clock that went back by more than a day must not delay the next registration beyond a week.
    func isRefreshDue(at now: Timestamp) -> Bool { now >= refreshAt || now.rawValue < at.rawValue - Self.day }
}
