public import ApplePush

/// What became of one notification.
///
/// Only ``unknown(_:)`` leaves open whether APNs took it: resend it with the same id and a collapse id, or not at all.
public enum Outcome: Hashable, Sendable {
    /// APNs took it. `uniqueID` is the sandbox's `apns-unique-id`; production sends none.
    case accepted(uniqueID: String?)
    /// APNs answered, and refused it.
    case rejected(Rejection)
    /// APNs has not processed it and will not: it is safe to send again.
    case notSent(Failure)
    /// It was sent, and no answer came.
    case unknown(Failure)

    init(_ answer: Answer) {
        switch answer {
        case .accepted(let uniqueID): self = .accepted(uniqueID: uniqueID)
        case .rejected(let rejection): self = .rejected(rejection)
        }
    }
}
