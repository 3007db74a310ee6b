/// When so many of a chunk's tokens belong elsewhere that the mistake is likely ours.
///
/// The key, the topic or the environment is wrong then: the tokens are kept, and the Campaign pauses. Whoever has the
/// public App key can register tokens that never were any, so that these do not count once the key has shown that it is
/// right: only tokens are judged by that a notification was taken for before. Imported ones count as such.
package struct HaltRule: Hashable, Sendable {
    /// How a chunk's notifications were answered.
    package struct Answers: Hashable, Sendable {
        /// Of all.
        package private(set) var all = Share()
        /// Of those to tokens for which a notification was taken before.
        package private(set) var confirmed = Share()
        /// Whether some were taken.
        package private(set) var hasAcceptance = false

        package init() {}

        /// Adds an answer; one for everybody says nothing of the token.
        package mutating func add(_ consequence: Consequence, isConfirmed: Bool) {
            var isQuarantined = false
            switch consequence {
            case .halt: return
            case .accepted: hasAcceptance = true
            case .quarantineDeviceToken: isQuarantined = true
            case .dropDeviceToken, .dropMessage, .retryLater: break
            }
            all.add(isQuarantined)
            if isConfirmed { confirmed.add(isQuarantined) }
        }
    }

    /// Some of the answers.
    package struct Share: Hashable, Sendable {
        package var answered = 0
        /// How many said that the token belongs elsewhere.
        package var quarantined = 0

        fileprivate mutating func add(_ isQuarantined: Bool) {
            answered += 1
            if isQuarantined { quarantined += 1 }
        }
    }

    /// The share of the chunk's answers, above which it halts.
    package var share = 0.5
    /// How many it takes at least.
    package var minimumCount = 100

    package init() {}

    /// Whether to halt.
    ///
    /// - Parameters:
    ///   - answers: How the chunk's notifications were answered.
    ///   - isKeyConfirmed: Whether the push service has taken notifications with the App's key.
    /// - Returns: Whether the Campaign pauses.
    package func halts(_ answers: Answers, isKeyConfirmed: Bool) -> Bool {
        let judged = isKeyConfirmed ? answers.confirmed : answers.all
        return judged.quarantined >= minimumCount && Double(judged.quarantined) > share * Double(judged.answered)
    }
}
