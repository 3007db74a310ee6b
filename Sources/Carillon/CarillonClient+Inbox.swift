public import CarillonModel

extension CarillonClient {
    /// Asks the server for the inbox: the latest messages, at most 100, newest first.
    ///
    /// What was read on this phone, also offline, stays read; the server is told first.
    ///
    /// - Returns: What the inbox shows.
    /// - Throws: ``CarillonError``; ``storedInbox()`` has what was fetched last.
    @discardableResult
    public func inbox() async throws(CarillonError) -> InboxView {
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

    /// The inbox as it was fetched last, with what was read since; the server is not asked.
    ///
    /// - Returns: What the inbox shows; no messages when nothing was fetched for this user.
    /// - Throws: ``CarillonError`` when the phone's storage cannot be read.
    public func storedInbox() async throws(CarillonError) -> InboxView { try await inboxes.view() }

    /// Marks messages as read: here at once, at the server as soon as it can be reached.
    ///
    /// - Parameter occurrences: Which messages; those that are read already do not matter.
    /// - Returns: What the inbox shows now.
    /// - Throws: ``CarillonError`` when it cannot be kept.
    @discardableResult
    public func markRead(_ occurrences: [OccurrenceID]) async throws(CarillonError) -> InboxView {
        defer { signal.wake() }
        return try await inboxes.change { $0.mark(occurrences) }
    }

    /// Marks a message as read: here at once, at the server as soon as it can be reached.
    ///
    /// - Parameter occurrence: Which message.
    /// - Returns: What the inbox shows now.
    /// - Throws: ``CarillonError`` when it cannot be kept.
    @discardableResult
    public func markRead(_ occurrence: OccurrenceID) async throws(CarillonError) -> InboxView {
        try await markRead([occurrence])
    }

    /// Marks everything that the inbox shows as read: here at once, at the server as soon as it can be reached.
    ///
    /// What comes meanwhile, and the person has not seen, stays unread.
    ///
    /// - Returns: What the inbox shows now.
    /// - Throws: ``CarillonError`` when it cannot be kept.
    @discardableResult
    public func markAllRead() async throws(CarillonError) -> InboxView {
        defer { signal.wake() }
        return try await inboxes.change { $0.markAll() }
    }

    /// How many messages are unread among those that were fetched last.
    ///
    /// - Throws: ``CarillonError`` when the phone's storage cannot be read.
    public var unreadCount: Int {
        get async throws(CarillonError) { try await inboxes.view().unreadCount }
    }
}
