public import CarillonModel

/// An inbox: the server's latest messages, with what was read on this phone.
public struct InboxView: Hashable, Sendable {
    /// At most 100, newest first, in the server's order.
    public let messages: [InboxMessage]
    /// When they were fetched, by the phone's clock; `nil`: never.
    public let fetchedAt: Timestamp?

    package init(messages: [InboxMessage], fetchedAt: Timestamp?) {
        self.messages = messages
        self.fetchedAt = fetchedAt
    }

    /// How many of ``messages`` are unread.
    public var unreadCount: Int { messages.filter { !$0.isRead }.count }

    /// Whether the inbox has a message that is unread.
    ///
    /// - Parameter occurrence: The message.
    /// - Returns: False also when the inbox does not have the message.
    public func isUnread(_ occurrence: OccurrenceID) -> Bool {
        messages.contains { $0.occurrence == occurrence && !$0.isRead }
    }
}
