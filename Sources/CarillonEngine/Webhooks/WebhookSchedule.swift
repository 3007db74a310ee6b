import CarillonModel
import CarillonOperatorModel

/// When a webhook is tried again: ever later, for a day.
package struct WebhookSchedule: Hashable, Sendable {
    /// After the first failure; it doubles with each.
    package var first = Duration.seconds(5)
    /// At most.
    package var longest = Duration.seconds(3_600)
    /// After this time a message is dead, and a webhook disabled that has taken none meanwhile.
    package var lifetime = Duration.seconds(86_400)

    package init() {}

    /// How long to wait.
    ///
    /// - Parameters:
    ///   - failures: How many attempts failed in a row, 1 or more.
    ///   - asked: What the address asked for; more than the longest wait is cut.
    ///   - random: A number from 0 up to 1: waits are spread over their second half.
    /// - Returns: The wait.
    package func wait(failures: Int, asked: Duration?, random: Double) -> Duration {
        let whole = min(longest, first * (1 << min(max(0, failures - 1), 20)))
        return max(whole * (0.5 + random / 2), min(asked ?? .zero, longest))
    }
}

extension WebhookSchedule {
    /// What follows from an answer.
    func completion(
        of answer: WebhookAnswer,
        _ work: WebhookWork,
        at now: Timestamp,
        random: Double
    ) -> WebhookCompletion {
        let status: Int?
        let error: String?
        var asked: Duration?
        switch answer {
        case .answered(200..<300, _): return .taken
        case .answered(410, _):
            return .disabled(alarm: "The address answered 410 Gone.", isDead: false, status: 410, error: nil)
        case .answered(let number, let after): (status, error, asked) = (number, nil, after)
        case .failed(let words): (status, error) = (nil, words)
        }
        let webhook = work.webhook.webhook
        let resumeAt = now.advanced(by: wait(failures: webhook.failures + 1, asked: asked, random: random))
        let isDead = work.message.createdAt.duration(to: now) >= lifetime
        if let since = work.webhook.failingSince, since.duration(to: now) >= lifetime {
            return .disabled(alarm: "Nothing was taken for a day.", isDead: isDead, status: status, error: error)
        }
        if isDead { return .dead(resumeAt: resumeAt, status: status, error: error) }
        let own = now.advanced(by: wait(failures: work.message.attempts + 1, asked: asked, random: random))
        return .again(resumeAt: resumeAt, messageAt: own, status: status, error: error)
    }
}
