/// One page of a listing.
public struct Page<Item: Codable & Sendable & Hashable>: Hashable, Sendable, Codable {
    /// The rows.
    public var items: [Item]
    /// The cursor of the next page (`?cursor=`); missing on the last one.
    public var nextCursor: String?

    /// Creates a page.
    ///
    /// - Parameters:
    ///   - items: The rows.
    ///   - nextCursor: The cursor of the next page; `nil` on the last one.
    public init(items: [Item], nextCursor: String?) {
        self.items = items
        self.nextCursor = nextCursor
    }
}
