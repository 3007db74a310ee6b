public import CarillonModel

extension CarillonClient {
    /// Fetches the inbox: the latest messages, at most 100, newest first.
    ///
    /// Messages that were read on this phone, also offline, stay read: they are marked on the server first.
    ///
    /// - Returns: The inbox.
    /// - Throws: ``CarillonError``; ``storedInbox`` returns what was fetched last.
    @discardableResult
    public func fetchInbox() async throws(CarillonError) -> InboxView {
        let facts = facts()
        return try await withDeadline(of: configuration.deadline, time) {
            [registrations, inboxes] () throws(CarillonError) in
            let identity = try await registrations.introduce(facts, needsUser: false)
            do throws(CarillonError) {
                return try await inboxes.fetch(as: identity)
            } catch {
                guard error.problem?.code == ProblemCode.unknownDevice else { throw error }
                try await registrations.markUnknown()
                return try await inboxes.fetch(as: registrations.introduce(facts, needsUser: false))
            }
        }
    }

    /// The inbox as it was fetched last, with what was read since; without messages when none were fetched for this user.
    ///
    /// - Throws: ``CarillonError`` when the phone's storage cannot be read.
    public var storedInbox: InboxView {
        get async throws(CarillonError) { try await inboxes.view() }
    }

    /// Marks messages as read, here at once and on the server as soon as it can be reached.
    ///
    /// - Parameter occurrences: The messages; those that are read already are ignored.
    /// - Returns: The inbox after that.
    /// - Throws: ``CarillonError`` when it cannot be saved.
    @discardableResult
    public func markRead(_ occurrences: [OccurrenceID]) async throws(CarillonError) -> InboxView {
        defer { signal.wake() }
        return try await inboxes.change { $0.mark(occurrences) }
    }

    /// Marks a message as read, here at once and on the server as soon as it can be reached.
    ///
    /// - Parameter occurrence: The message.
    /// - Returns: The inbox after that.
    /// - Throws: ``CarillonError`` when it cannot be saved.
    @discardableResult
    public func markRead(_ occurrence: OccurrenceID) async throws(CarillonError) -> InboxView {
        try await markRead([occurrence])
    }

    /// Marks all messages of the inbox as read, here at once and on the server as soon as it can be reached.
    ///
    /// Messages that arrive later stay unread.
    ///
    /// - Returns: The inbox after that.
    /// - Throws: ``CarillonError`` when it cannot be saved.
    @discardableResult
    public func markAllRead() async throws(CarillonError) -> InboxView {
        defer { signal.wake() }
        return try await inboxes.change { $0.markAll() }
    }

    /// How many of the messages that were fetched last are unread.
    ///
    /// - Throws: ``CarillonError`` when the phone's storage cannot be read.
    public var unreadCount: Int {
        get async throws(CarillonError) { try await inboxes.view().unreadCount }
    }
}
