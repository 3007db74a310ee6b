import ApplePush

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What a pool has counted since it was made.
///
/// An acceptance costs one addition; the others look up their reason.
struct PoolCounts {
    /// Maximum number of different reasons; further ones are counted together.
    private static let wordLimit = 64

    var accepted = 0
    var rejected: [RejectionReason: Int] = [:]
    var notSent: [Failure: Int] = [:]
    var unknown: [Failure: Int] = [:]
    var goAways: [RejectionReason: Int] = [:]
    var closures: [ConnectionClosure.Cause: Int] = [:]
    var connects = 0
    var tokenIssuedAt: Date?

    @inline(__always)
    mutating func count(_ outcome: Outcome, _ number: Int = 1) {
        if case .accepted = outcome {
            accepted += number
        } else {
            countRest(outcome, number)
        }
    }

    private mutating func countRest(_ outcome: Outcome, _ number: Int) {
        switch outcome {
        case .accepted: accepted += number
        case .rejected(let rejection): rejected[Self.word(rejection.reason, rejected), default: 0] += number
        case .notSent(let failure): notSent[failure, default: 0] += number
        case .unknown(let failure): unknown[failure, default: 0] += number
        }
    }

    mutating func count(_ closure: ConnectionClosure) {
        closures[closure.cause, default: 0] += 1
        guard closure.cause == .goAway else { return }
        goAways[Self.word(closure.reason ?? .unstated, goAways), default: 0] += 1
    }

    mutating func record(_ token: ProviderToken) {
        tokenIssuedAt = token.issuedAt
    }

    /// Reasons come from the peer, which must not be able to fill our memory with new ones.
    private static func word(_ reason: RejectionReason, _ known: [RejectionReason: Int]) -> RejectionReason {
        known.count < wordLimit || known[reason] != nil ? reason : ConnectionPool.Metrics.otherReason
    }
}
