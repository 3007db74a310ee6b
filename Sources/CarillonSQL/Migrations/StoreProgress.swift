/// What a store does before it can be served from, when that takes long.
package enum StoreProgress: Hashable, Sendable {
    /// Is told of progress; it must not block.
    package typealias Handler = @Sendable (StoreProgress) -> Void

    /// A step of the schema begins.
    case migrating(step: String)
    /// An index is built; what needs it is not right without it.
    case building(index: String)
    /// Something waits for transactions that use its tables; they do not wait for it.
    case waiting(what: String, elapsed: Duration)

    /// Waits for ever, and tells so now and then.
    package static func patience(for what: String, _ progress: @escaping Handler) -> LockPatience {
        var patience = LockPatience()
        patience.onWait = { wait in
            // The pauses double up to ten seconds: this is told some ten times in the first minute.
            progress(.waiting(what: what, elapsed: wait.elapsed))
        }
        return patience
    }
}
