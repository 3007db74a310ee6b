package import CarillonModel

/// Where a dispatcher finds what an App's receipts are made with.
package protocol ReceiptKeys: Sendable {
    /// The App's key as it is now; a caller may ask for every chunk, the answer is cached.
    func receiptKey(for app: AppID) async throws(EngineError) -> ReceiptKey
}

extension Apps: ReceiptKeys {}
