import CarillonModel
import CarillonOperatorModel

/// When a message to a webhook is retried: with growing delays, for a day.
package struct WebhookSchedule: Hashable, Sendable {
    /// The delay after the first failure; it doubles with each.
    package var first = Duration.seconds(5)
    /// The longest delay.
    package var longest = Duration.seconds(3_600)
    /// After this time a message is undeliverable, and a webhook disabled that has accepted none meanwhile.
    package var lifetime = Duration.seconds(86_400)

    package init() {}

    /// Returns the delay.
    ///
    /// - Parameters:
    ///   - failures: The number of failed attempts in a row, at least 1.
    ///   - asked: The delay that the address asked for, cut at the longest delay.
    ///   - random: A number from 0 up to 1; the jitter covers the second half of the delay.
    /// - Returns: The delay.
    package func wait(failures: Int, asked: Duration?, random: Double) -> Duration {
        let whole = min(longest, first * (1 << min(max(0, failures - 1), 20)))
        return max(whole * (0.5 + random / 2), min(asked ?? .zero, longest))
    }
}

extension WebhookSchedule {
    /// Returns the result of an attempt by its answer.
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
            return .disabled(alarm: "Nothing was accepted for a day.", isDead: isDead, status: status, error: error)
        }
        if isDead { return .dead(resumeAt: resumeAt, status: status, error: error) }
        let own = now.advanced(by: wait(failures: work.message.attempts + 1, asked: asked, random: random))
        return .again(resumeAt: resumeAt, messageAt: own, status: status, error: error)
    }
}
