/// Why the store could not do what it was asked; nothing was kept then.
package enum StoreError: Error, Hashable, Sendable {
    /// The disk is full.
    case full
    /// The database cannot be reached or did not answer in time.
    case unavailable(String)
    /// A request with the same idempotency key was answered first; its answer is kept.
    case repeated
    /// The database refused what we asked, which is a bug of ours or damage of its.
    case failed(String)
}
