/// When so many of a chunk's tokens belong elsewhere that the mistake is likely ours.
///
/// The key, the topic or the environment is wrong then: the tokens are kept, and the Campaign pauses.
package struct HaltRule: Hashable, Sendable {
    /// The share of the chunk's answers, above which it halts.
    package var share = 0.5
    /// How many it takes at least.
    package var minimumCount = 100

    package init() {}

    /// Whether to halt.
    ///
    /// - Parameters:
    ///   - quarantined: How many of the chunk's tokens the push service said to belong elsewhere.
    ///   - answered: How many of the chunk's notifications were answered for.
    /// - Returns: Whether the Campaign pauses.
    package func halts(quarantined: Int, of answered: Int) -> Bool {
        quarantined >= minimumCount && Double(quarantined) > share * Double(answered)
    }
}
