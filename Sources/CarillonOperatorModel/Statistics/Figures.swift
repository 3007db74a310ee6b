/// Counts in a span of time.
///
/// An outcome counts at the time at which it was committed, an event at its own time by the phone's clock (clamped
/// between the push and its arrival at the server). An event counts once per Device and kind.
public struct Figures: Hashable, Sendable, Codable {
    /// Notifications with an outcome: accepted, failed and skipped ones.
    public var targeted = 0
    /// Notifications that a rule excluded, by reason.
    public var skipped: [String: Int] = [:]
    /// Notifications that the push service accepted.
    public var accepted = 0
    /// Notifications that failed permanently, by cause.
    public var failed: [String: Int] = [:]
    /// How many of ``failed`` were caused by the device token: it is invalid, malformed or another app's.
    public var failedByToken = 0
    /// How many of ``failed`` have any other cause.
    public var failedOtherwise = 0
    /// Notifications whose arrival a service extension reported.
    public var received = 0
    /// Notifications that were tapped.
    public var opened = 0
    /// Notifications that were dismissed.
    public var dismissed = 0
    /// Notifications that launched the app.
    public var launched = 0
    /// Buttons pressed and other actions of the app's.
    public var actions = 0
    /// Replies; they are part of ``actions`` too.
    public var replies = 0

    /// Creates counts of zeros.
    public init() {}

    /// Whether all counts are zero.
    public var isEmpty: Bool { self == Figures() }

    /// Adds other counts.
    public static func += (sum: inout Figures, other: Figures) {
        sum.targeted += other.targeted
        sum.skipped.merge(other.skipped) { $0 + $1 }
        sum.accepted += other.accepted
        sum.failed.merge(other.failed) { $0 + $1 }
        sum.failedByToken += other.failedByToken
        sum.failedOtherwise += other.failedOtherwise
        sum.received += other.received
        sum.opened += other.opened
        sum.dismissed += other.dismissed
        sum.launched += other.launched
        sum.actions += other.actions
        sum.replies += other.replies
    }
}
