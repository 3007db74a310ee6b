/// One page of a listing.
public struct Page<Item: Codable & Sendable & Hashable>: Hashable, Sendable, Codable {
    /// The rows.
    public var items: [Item]
    /// What to ask for the next page with (`?cursor=`); missing on the last one.
    public var nextCursor: String?

    /// Makes a page.
    ///
    /// - Parameters:
    ///   - items: The rows.
    ///   - nextCursor: What to ask for the next page with; `nil` on the last one.
    public init(items: [Item], nextCursor: String?) {
        self.items = items
        self.nextCursor = nextCursor
    }
}
