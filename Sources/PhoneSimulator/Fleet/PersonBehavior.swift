import Carillon
import UserNotifications

/// What persons do with notifications.
package struct PersonBehavior: Hashable, Sendable {
    /// The share of notifications that are tapped, 0 through 1.
    package var tapRate: Double
    /// The share that are dismissed, 0 through 1.
    package var dismissRate: Double
    /// The share whose first button is pressed, 0 through 1.
    package var pressRate: Double
    /// The longest time until a person reacts, in seconds.
    package var slowestReaction: Double

    package init(tapRate: Double = 0.3, dismissRate: Double = 0.2, pressRate: Double = 0.1, slowestReaction: Double = 2)
    {
        self.tapRate = tapRate
        self.dismissRate = dismissRate
        self.pressRate = pressRate
        self.slowestReaction = slowestReaction
    }

    /// What a person does.
    enum Choice: Hashable, Sendable {
        case nothing, tap, dismiss, press
    }

    /// Decides for one notification.
    func choose(_ random: any RandomSource) -> (choice: Choice, delay: Double) {
        let jitter = random.fraction()
        let delay = random.fraction() * slowestReaction
        if jitter < tapRate { return (.tap, delay) }
        if jitter < tapRate + dismissRate { return (.dismiss, delay) }
        if jitter < tapRate + dismissRate + pressRate { return (.press, delay) }
        return (.nothing, 0)
    }
}
