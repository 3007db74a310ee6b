#if os(Linux)
import ArgumentParser
import PhoneSimulator

/// How often simulated people react to a notification.
struct ReactionRates: ParsableArguments {
    private static let usual = (tap: 0.3, dismiss: 0.2, press: 0.1)

    @Option(help: "The share of notifications that are tapped, 0 through 1. (default: 0.3, less beside other rates)")
    var tapRate: Double?

    @Option(help: "The share that are thrown away, 0 through 1. (default: 0.2, less beside other rates)")
    var dismissRate: Double?

    @Option(
        help: "The share of phones that press the first button, 0 through 1. (default: 0.1, less beside other rates)"
    )
    var pressRate: Double?

    func validate() throws {
        let given = [tapRate, dismissRate, pressRate].compactMap(\.self)
        guard given.allSatisfy({ (0...1).contains($0) }), given.reduce(0, +) <= 1 else {
            throw ValidationError("Each rate is 0 through 1, and together they are at most 1.")
        }
    }

    /// The rates that were not given share what the given ones leave, at most their usual ones.
    func behavior(slowestReaction: Double) -> PersonBehavior {
        let rest = 1 - [tapRate, dismissRate, pressRate].compactMap(\.self).reduce(0, +)
        let wanted =
            (tapRate == nil ? Self.usual.tap : 0) + (dismissRate == nil ? Self.usual.dismiss : 0)
            + (pressRate == nil ? Self.usual.press : 0)
        let share = wanted > rest ? max(0, rest) / wanted : 1
        return PersonBehavior(
            tapRate: tapRate ?? Self.usual.tap * share,
            dismissRate: dismissRate ?? Self.usual.dismiss * share,
            pressRate: pressRate ?? Self.usual.press * share,
            slowestReaction: slowestReaction
        )
    }
}
#endif
