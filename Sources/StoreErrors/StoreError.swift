/// Why the store could not do what it was asked; nothing was kept then.
package enum StoreError: Error, Hashable, Sendable {
    /// The disk is full.
    case full
    /// The database cannot be reached or did not answer in time.
    case unavailable(String)
    /// The store has a master key that this node lacks: nothing is sealed here, nobody could open it.
    case staleMasterKey
    /// A request with the same idempotency key was answered first; its answer is kept.
    case repeated
    /// The database refused what we asked, which is a bug of ours or damage of its.
    case failed(String)

    /// What whoever runs a node does about ``staleMasterKey``.
    package static let staleMasterKeyAdvice = """
        The store's master key is another one than this node's. Copy the master key file from the node where the new key was \
        made: this node reads it by itself within seconds.
        """
}
