import CarillonOperatorModel

/// The counts of a Campaign as its page shows them.
///
/// A pure value, in which the parts add up whenever it is read: targeted is skipped, attempted and remaining; attempted
/// is accepted, refused and failed.
struct FunnelFigures: Hashable, Sendable {
    /// A step of the funnel, in the order of the page.
    enum Step: String, Hashable, Sendable, CaseIterable {
        case targeted
        case skipped
        case attempted
        case accepted
        case received
        case opened
        case acted

        /// The step that a share is of.
        var denominator: Step? {
            switch self {
            case .targeted: nil
            case .skipped, .attempted: .targeted
            case .accepted: .attempted
            // A phone without the service extension reports no receipt, so that receipts are no base for taps.
            case .received, .opened: .accepted
            case .acted: .opened
            }
        }
    }

    let targeted: Int
    let skipped: Int
    let accepted: Int
    /// The push service answered that it does not take them.
    let refused: Int
    /// There was no answer in time, or Carillon itself gave up.
    let failed: Int
    /// They will be attempted again.
    let remaining: Int
    let received: Int
    let opened: Int
    let acted: Int
    let dismissed: Int
    let replies: Int
    let launched: Int

    init(_ funnel: Funnel) {
        targeted = funnel.targeted
        skipped = funnel.skipped.values.reduce(0, +)
        accepted = funnel.accepted
        let answers = funnel.failed.filter { DeliveryReason.failure($0.key).isAnswer }.values.reduce(0, +)
        refused = answers
        failed = funnel.failed.values.reduce(0, +) - answers
        remaining = funnel.retrying
        received = funnel.received
        opened = funnel.opened
        acted = funnel.actions
        dismissed = funnel.dismissed
        replies = funnel.replies
        launched = funnel.launched
    }

    var attempted: Int { accepted + refused + failed }

    /// The number of a step.
    func number(of step: Step) -> Int {
        switch step {
        case .targeted: targeted
        case .skipped: skipped
        case .attempted: attempted
        case .accepted: accepted
        case .received: received
        case .opened: opened
        case .acted: acted
        }
    }
}
