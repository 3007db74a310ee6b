/// Numbers as cursors of lists that are in their order.
extension DeviceNumber {
    /// The text of a page's cursor.
    var cursor: String { "d." + String(rawValue, radix: 36) }

    /// The number after which a page begins.
    ///
    /// - Parameter cursor: The cursor of the page before; `nil` for the first.
    /// - Returns: The number; one before all others for the first page.
    /// - Throws: ``EngineError/invalid(_:)`` for an invalid cursor.
    static func position(of cursor: String?) throws(EngineError) -> DeviceNumber {
        guard let cursor else { return DeviceNumber(rawValue: -1) }
        guard cursor.hasPrefix("d."), cursor.utf8.count <= 16, let number = Int64(cursor.dropFirst(2), radix: 36),
            number >= 0
        else { throw .wrong("cursor", "must be the nextCursor of a page") }
        return DeviceNumber(rawValue: number)
    }
}
