/// When so many of a Chunk's tokens belong elsewhere that the App's settings are the likely cause.
///
/// The key, the topic or the environment is wrong then: the tokens stay active, and the Campaign pauses. Anyone with
/// the public App key can register invented tokens, so once the key is confirmed only tokens count to which a
/// notification was accepted before. Imported tokens count as such.
package struct HaltRule: Hashable, Sendable {
    /// The answers to a Chunk's notifications.
    package struct Answers: Hashable, Sendable {
        /// All answers.
        package private(set) var all = Share()
        /// Answers for tokens to which a notification was accepted before.
        package private(set) var confirmed = Share()
        /// Whether some were accepted.
        package private(set) var hasAcceptance = false

        package init() {}

        /// Adds an answer; a refusal of key or topic does not count, since it does not concern the token.
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
        /// How many tokens belong elsewhere.
        package var quarantined = 0

        fileprivate mutating func add(_ isQuarantined: Bool) {
            answered += 1
            if isQuarantined { quarantined += 1 }
        }
    }

    /// The share of the Chunk's answers above which it halts.
    package var share = 0.5
    /// The minimum number of such answers.
    package var minimumCount = 100

    package init() {}

    /// Decides whether to halt.
    ///
    /// - Parameters:
    ///   - answers: The answers to the Chunk's notifications.
    ///   - isKeyConfirmed: Whether the push service has accepted notifications of the App's key.
    /// - Returns: Whether the Campaign pauses.
    package func halts(_ answers: Answers, isKeyConfirmed: Bool) -> Bool {
        let judged = isKeyConfirmed ? answers.confirmed : answers.all
        return judged.quarantined >= minimumCount && Double(judged.quarantined) > share * Double(judged.answered)
    }
}
