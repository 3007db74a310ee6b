package import CarillonModel

/// How long an Operator waits after wrong passwords.
///
/// After five wrong ones in a row the account waits 1, 2, 4 … 60 seconds. An address that has to wait may try when its own
/// time has come, whatever others have tried meanwhile: nobody can be locked out by somebody else for longer.
package enum OperatorThrottle {
    /// What the store has about an account, or about an account and an address.
    package struct Count: Hashable, Sendable {
        package var failures: Int64
        /// Until when a further attempt waits.
        package var until: Timestamp
        /// When the count is over.
        package var forgottenAt: Timestamp

        package init(failures: Int64, until: Timestamp, forgottenAt: Timestamp) {
            self.failures = failures
            self.until = until
            self.forgottenAt = forgottenAt
        }
    }

    /// Whether an attempt may go on.
    package enum Decision: Hashable, Sendable {
        /// It may, and counts as wrong until it was right; the own count is to be deleted.
        case allowed(account: Count)
        /// It has to wait; the own count is to be stored.
        case wait(AttemptWait, own: Count)
    }

    /// The number of wrong attempts without a wait.
    package static let freeFailures: Int64 = 5
    /// The longest wait, in milliseconds.
    package static let longestWait: Int64 = 60_000
    /// For how long wrong attempts count, in milliseconds.
    static let memory: Int64 = 86_400_000

    /// The wait after a number of wrong attempts in a row, in milliseconds.
    package static func wait(after failures: Int64) -> Int64 {
        guard failures >= freeFailures else { return 0 }
        return min(longestWait, 1_000 << min(failures - freeFailures, 6))
    }

    /// The count without an attempt that was allowed and not made.
    package static func cancelled(_ count: Count, at now: Timestamp) -> Count {
        var count = count
        count.failures = max(0, count.failures - 1)
        count.until = min(count.until, now)
        return count
    }

    /// Decides about an attempt.
    ///
    /// - Parameters:
    ///   - account: The account's count; `nil` when there is none.
    ///   - own: The count of the account and the caller's address.
    ///   - now: The time.
    /// - Returns: The decision, with what is to be stored.
    package static func decide(_ account: Count?, own: Count?, at now: Timestamp) -> Decision {
        let account = account.flatMap { $0.forgottenAt > now ? $0 : nil }
        let own = own.flatMap { $0.forgottenAt > now ? $0 : nil }
        if let account, account.until > now, own.map({ $0.until > now }) ?? true {
            let until = min(account.until, own?.until ?? account.until)
            let kept = Count(failures: 0, until: until, forgottenAt: until.later(by: longestWait))
            return .wait(AttemptWait(milliseconds: until.rawValue - now.rawValue), own: own ?? kept)
        }
        let failures = (account?.failures ?? 0) + 1
        return .allowed(
            account: Count(
                failures: failures,
                until: now.later(by: wait(after: failures)),
                forgottenAt: now.later(by: memory)
            )
        )
    }
}

extension Timestamp {
    /// The time some milliseconds later.
    fileprivate func later(by milliseconds: Int64) -> Timestamp { Timestamp(rawValue: rawValue + milliseconds) }
}
