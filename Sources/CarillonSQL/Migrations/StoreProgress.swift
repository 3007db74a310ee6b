/// The progress of work that a store does before it can be used, when that takes long.
package enum StoreProgress: Hashable, Sendable {
    /// Receives progress; it must not block.
    package typealias Handler = @Sendable (StoreProgress) -> Void

    /// A migration begins.
    case migrating(step: String)
    /// An index is built, without which the store would be wrong.
    case building(index: String)
    /// The work waits for transactions that use its tables; they do not wait for it.
    case waiting(what: String, elapsed: Duration)

    /// Waits without a limit, and reports that repeatedly.
    package static func patience(for what: String, _ progress: @escaping Handler) -> LockPatience {
        var patience = LockPatience()
        patience.onWait = { wait in
            // The pauses double up to ten seconds, which makes about ten reports in the first minute.
            progress(.waiting(what: what, elapsed: wait.elapsed))
        }
        return patience
    }
}
