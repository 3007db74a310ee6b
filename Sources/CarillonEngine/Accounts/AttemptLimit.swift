package import CarillonModel
import Crypto

/// How many attempts something may make: a number at once, and one more after each interval.
package struct AttemptLimit: Hashable, Sendable {
    /// How many at once, at least 1.
    package var burst: Int64
    /// After how many milliseconds there is one more, at least 1.
    package var interval: Int64

    package init(burst: Int64, interval: Duration) {
        self.burst = burst
        self.interval = interval.components.seconds * 1_000 + interval.components.attoseconds / 1_000_000_000_000_000
    }

    /// As many at once as in an hour, and never more in an hour after that.
    init(perHour count: Int) {
        burst = Int64(count)
        interval = (3_600_000 + burst - 1) / burst
    }
}

/// The limits of attempts.
package struct AttemptLimits: Hashable, Sendable {
    /// Wrong passwords for a name, whether it exists or not.
    package var name = AttemptLimit(burst: 10, interval: .seconds(60))
    /// Wrong passwords of an address, for any name.
    package var address = AttemptLimit(burst: 60, interval: .seconds(10))
    /// Sign-ups of an address.
    package var signUps = AttemptLimit(burst: 20, interval: .seconds(30))
    /// Guests of an address: phones of a mobile network share one.
    package var guests = AttemptLimit(burst: 100, interval: .seconds(10))

    package init() {}
}

/// An attempt that counts against a limit.
package struct AttemptCharge: Hashable, Sendable {
    /// Whose attempts are counted: 16 bytes of a keyed hash, from which neither name nor address can be read.
    package var subject: [UInt8]
    package var limit: AttemptLimit

    package init(subject: [UInt8], limit: AttemptLimit) {
        self.subject = subject
        self.limit = limit
    }

    /// Counts an attempt.
    ///
    /// The store has one time of a subject: when all of its attempts are forgotten.
    ///
    /// - Parameters:
    ///   - forgottenAt: That time; `nil` or past when there are none.
    ///   - now: The time.
    /// - Returns: The new time, or how many milliseconds to wait.
    package func counted(_ forgottenAt: Timestamp?, at now: Timestamp) -> Result<Timestamp, AttemptWait> {
        let next = max(now.rawValue, forgottenAt?.rawValue ?? 0) + limit.interval
        let wait = next - now.rawValue - limit.burst * limit.interval
        return wait <= 0 ? .success(Timestamp(rawValue: next)) : .failure(AttemptWait(milliseconds: wait))
    }

    /// The time after one attempt was right, and does not count.
    package func forgiven(_ forgottenAt: Timestamp) -> Timestamp {
        Timestamp(rawValue: forgottenAt.rawValue - limit.interval)
    }
}

/// How long a further attempt has to wait.
package struct AttemptWait: Error, Hashable, Sendable {
    package var milliseconds: Int64

    package init(milliseconds: Int64) { self.milliseconds = milliseconds }
}

/// Whose attempts are counted.
enum AttemptSubject {
    case name(String), address(String), signUps(String), guests(String), allGuests

    private var text: String {
        switch self {
        case .name(let key): "name\n\(key)"
        case .address(let network): "address\n\(network)"
        case .signUps(let network): "sign-ups\n\(network)"
        case .guests(let network): "guests\n\(network)"
        case .allGuests: "all-guests"
        }
    }

    /// A charge of one attempt.
    ///
    /// - Parameters:
    ///   - limit: The limit of such attempts.
    ///   - key: A secret of the App's.
    /// - Returns: The charge.
    func charge(_ limit: AttemptLimit, key: SymmetricKey) -> AttemptCharge {
        let code = HMAC<SHA256>.authenticationCode(for: Array("sign-in-attempts\n\(text)".utf8), using: key)
        return AttemptCharge(subject: Array(code.prefix(16)), limit: limit)
    }
}
