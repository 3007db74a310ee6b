public import ApplePush

/// The outcome of a channel request or a broadcast.
///
/// Only ``unknown(_:)`` leaves open whether APNs executed it. Reading and listing may be repeated; a channel whose
/// creation is unknown may appear in the list.
public enum BroadcastOutcome<Value: Sendable>: Sendable {
    /// APNs executed it.
    case accepted(Value)
    /// APNs answered, and refused.
    case rejected(Rejection)
    /// APNs did not process it and will not: it is safe to send again.
    case notSent(Failure)
    /// It was sent, and there was no readable answer.
    case unknown(Failure)
}

extension BroadcastOutcome: Equatable where Value: Equatable {}
extension BroadcastOutcome: Hashable where Value: Hashable {}

extension BroadcastOutcome {
    /// Maps the outcome of a request.
    ///
    /// - Parameters:
    ///   - outcome: The outcome of the request.
    ///   - value: Parses a 2xx answer; `nil` when it is malformed.
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
