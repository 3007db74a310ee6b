import ApplePush
import NIOCore

/// Slows a pool down when too many device tokens are invalid.
///
/// Apple slows down and then disconnects a sender with many errors, soonest for `BadDeviceToken` (Apple: "Sending
/// notification requests to APNs"). Such a burst means a wrong environment or a corrupt list.
public struct BadTokenBrake: Hashable, Sendable {
    /// The share of `BadDeviceToken` among the latest answers from which the pool is slow, above 0 through 1.
    public var share = 0.3
    /// The approximate number of answers that count; from 10.
    public var window = 1000
    /// How many notifications a second are sent while the pool is slow, from 1.
    public var rate = 100

    /// Creates the defaults.
    public init() {}

    /// Creates the defaults with another rate, from 1.
    public init(rate: Int) { self.rate = rate }
}

/// Measures the share of `BadDeviceToken`, and limits the rate while it is too high.
struct BadTokenGauge {
    private let brake: BadTokenBrake
    private var answers = 0
    private var bad = 0
    /// How many notifications may be sent now; used only while slow.
    private var credit = 0.0
    private var refilled: NIODeadline?

    init(_ brake: BadTokenBrake) {
        self.brake = brake
    }

    /// Whether the rate is limited.
    var isSlow: Bool {
        answers >= max(brake.window, 10) / 2 && Double(bad) >= max(brake.share, 0.001) * Double(answers)
    }

    /// Whether nothing may be sent now.
    var isExhausted: Bool { isSlow && credit < 1 }

    /// How many may be sent now.
    var allowance: Int { isSlow ? Int(credit) : .max }

    /// Counts an answer; failures say nothing about tokens.
    @inline(__always)
    mutating func count(_ outcome: Outcome) {
        switch outcome {
        case .accepted: answers += 1
        case .rejected(let rejection):
            answers += 1
            if rejection.reason == .badDeviceToken { bad += 1 }
        case .notSent, .unknown: return
        }
        guard answers >= max(brake.window, 10) else { return }
        answers /= 2
        bad /= 2
    }

    mutating func refill(at now: NIODeadline) {
        defer { refilled = now }
        guard isSlow, let refilled, now > refilled else { return }
        let rate = Double(max(1, brake.rate))
        credit = min(rate, credit + rate * Double((now - refilled).nanoseconds) / 1e9)
    }

    mutating func spend(_ count: Int) {
        if isSlow { credit = max(0, credit - Double(count)) }
    }
}
