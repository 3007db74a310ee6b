/// What happened in a span of time.
///
/// An outcome is booked at the time at which the push service's answer was kept, an event at the phone's own time of it
/// (between the push and its arrival at the server, whatever the phone's clock says). An event counts once a Device and
/// kind.
public struct Figures: Hashable, Sendable, Codable {
    /// Notifications that got an outcome: accepted, failed and skipped ones.
    public var targeted = 0
    /// Notifications that a rule kept back, by reason.
    public var skipped: [String: Int] = [:]
    /// Notifications that the push service took.
    public var accepted = 0
    /// Notifications that are over without being taken, by cause.
    public var failed: [String: Int] = [:]
    /// How many of ``failed`` are the device token's fault: it is dead, malformed or another app's.
    public var failedByToken = 0
    /// How many of ``failed`` have any other cause.
    public var failedOtherwise = 0
    /// Notifications that reached a phone whose service extension said so.
    public var received = 0
    /// Notifications that were tapped.
    public var opened = 0
    /// Notifications that were thrown away.
    public var dismissed = 0
    /// Notifications that launched the app.
    public var launched = 0
    /// Buttons pressed and other actions of the app's.
    public var actions = 0
    /// Texts typed under a button that asks for one; they are among ``actions`` too.
    public var replies = 0

    /// Makes figures of nothing.
    public init() {}

    /// Whether nothing happened.
    public var isEmpty: Bool { self == Figures() }

    /// Adds what happened elsewhere.
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
