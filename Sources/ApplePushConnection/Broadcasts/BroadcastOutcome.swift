public import ApplePush

/// What became of a request about channels, or of a broadcast.
///
/// Only ``unknown(_:)`` leaves open whether APNs did it. Reading and listing can be asked again; a channel whose creation
/// is unknown may show up in the list.
public enum BroadcastOutcome<Value: Sendable>: Sendable {
    /// APNs did it.
    case accepted(Value)
    /// APNs answered, and refused.
    case rejected(Rejection)
    /// APNs has not processed it and will not: it is safe to send again.
    case notSent(Failure)
    /// It was sent, and no answer came, or none that can be read.
    case unknown(Failure)
}

extension BroadcastOutcome: Equatable where Value: Equatable {}
extension BroadcastOutcome: Hashable where Value: Hashable {}

extension BroadcastOutcome {
    /// Reads an answer.
    ///
    /// - Parameters:
    ///   - outcome: What became of the request.
    ///   - value: Reads what a 2xx carries; `nil` when it cannot be read.
    init(_ outcome: APIOutcome, _ value: (APIAnswer) -> Value?) {
        switch outcome {
        case .notSent(let failure): self = .notSent(failure)
        case .unknown(let failure): self = .unknown(failure)
        case .answered(let answer) where (200...299).contains(answer.status):
            self = value(answer).map(Self.accepted) ?? .unknown(.malformedAnswer)
        case .answered(let answer):
            // A 200 is handled above, and every other status gives a rejection.
            guard case .rejected(let rejection) = Answer(status: answer.status, body: answer.body) else {
                self = .unknown(.malformedAnswer)
                return
            }
            self = .rejected(rejection)
        }
    }
}
