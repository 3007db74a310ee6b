package import CarillonModel

/// Where a dispatcher finds the key of an App's receipts.
package protocol ReceiptKeys: Sendable {
    /// Returns the App's current key; it is cached, so a caller may ask for every Chunk.
    func receiptKey(for app: AppID) async throws(EngineError) -> ReceiptKey
}

extension Apps: ReceiptKeys {}
