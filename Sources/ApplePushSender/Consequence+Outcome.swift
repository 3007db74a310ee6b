import ApplePush
import ApplePushConnection
import CarillonEngine
import CarillonModel

extension Consequence {
    /// Maps the outcome of a notification at APNs to its consequence.
    init(_ outcome: Outcome) {
        switch outcome {
        case .accepted: self = .accepted
        case .rejected(let rejection): self = Self(rejection)
        case .notSent: self = .retryLater(.notSent, after: nil)
        case .unknown: self = .retryLater(.noAnswer, after: nil)
        }
    }

    /// Maps a refusal to its consequence.
    init(_ rejection: Rejection) {
        let reason = FailureReason(rejection)
        switch rejection.meaning {
        case .invalidToken(let since): self = .dropDeviceToken(reason, since: since.map { Timestamp($0) })
        case .misdirectedToken: self = .quarantineDeviceToken(reason)
        case .badNotification: self = .dropMessage(reason)
        case .badCredentials: self = .halt(reason)
        case .temporary(let delay): self = .retryLater(reason, after: delay)
        }
    }
}

extension FailureReason {
    /// Whether the device token is the cause of the refusals that have this reason.
    ///
    /// Only the reason is stored: one that Apple does not document concerns no token.
    var concernsToken: Bool {
        Rejection(RejectionReason(rawValue: rawValue), status: 400).meaning.concernsToken
    }

    /// Apple's reason, or the status when there is none.
    init(_ rejection: Rejection) {
        self.init(
            rawValue: rejection.reason == .unstated ? "Status\(rejection.status)" : rejection.reason.rawValue
        )
    }
}
