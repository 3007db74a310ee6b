public import ApplePush

/// The outcome of one notification.
///
/// Only ``unknown(_:)`` leaves open whether APNs accepted it: resend it with the same id and a collapse id, or not at
/// all.
public enum Outcome: Hashable, Sendable {
    /// APNs accepted it. `uniqueID` is the sandbox's `apns-unique-id`; production sends none.
    case accepted(uniqueID: String?)
    /// APNs answered, and refused it.
    case rejected(Rejection)
    /// APNs did not process it and will not: it is safe to send again.
    case notSent(Failure)
    /// It was sent, and there was no answer.
    case unknown(Failure)

    init(_ answer: Answer) {
        switch answer {
        case .accepted(let uniqueID): self = .accepted(uniqueID: uniqueID)
        case .rejected(let rejection): self = .rejected(rejection)
        }
    }
}
