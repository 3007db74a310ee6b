package import CarillonModel

/// Decides what an inbox shows and what is uploaded of it.
///
/// It holds the server's last answer beside the marks that are not uploaded: a message that was read stays read, whatever an
/// older answer says. A change of user empties the inbox. It has no clock, no disk and no network.
package struct InboxMachine: Equatable, Sendable {
    /// What outlives the process.
    package struct Memory: Codable, Equatable, Sendable {
        /// Whose inbox it is.
        package var owner: String?
        package var messages: [InboxMessage] = []
        package var fetchedAt: Timestamp?
        /// What was read here and is not uploaded, oldest first.
        package var marks: [OccurrenceID] = []
        /// Whether everything was marked as read before anything was fetched.
        package var marksAll = false

        package init() {}
    }

    /// The maximum of marks in one request.
    package static let batchSize = 100
    /// The maximum of marks that wait; the oldest are dropped first.
    package static let maximumMarks = 1_000

    package private(set) var memory: Memory
    package var retry = Retry()

    package init(_ memory: Memory = Memory()) { self.memory = memory }

    /// Sets the owner; another owner's inbox is removed.
    package mutating func belong(to owner: String) {
        guard memory.owner != owner else { return }
        memory = Memory()
        memory.owner = owner
        retry = Retry()
    }

    /// What the app sees.
    package var view: InboxView { InboxView(messages: memory.messages, fetchedAt: memory.fetchedAt) }

    /// Replaces the messages by the server's answer.
    package mutating func replace(with inbox: Inbox, at now: Timestamp) {
        let marks = Set(memory.marks)
        memory.messages = inbox.messages.prefix(100).map { message in
            var message = message
            message.isRead = message.isRead || memory.marksAll || marks.contains(message.occurrence)
            return message
        }
        memory.fetchedAt = now
    }

    /// Marks messages as read; those that are read already are ignored.
    package mutating func mark(_ occurrences: [OccurrenceID]) {
        for occurrence in occurrences {
            let index = memory.messages.firstIndex { $0.occurrence == occurrence }
            if let index, memory.messages[index].isRead { continue }
            if let index { memory.messages[index].isRead = true }
            if !memory.marks.contains(occurrence) { memory.marks.append(occurrence) }
        }
        memory.marks = Array(memory.marks.suffix(Self.maximumMarks))
        retry.retryNow()
    }

    /// Marks all messages as read that were fetched, or all of the server's when none were.
    package mutating func markAll() {
        guard memory.fetchedAt != nil else {
            memory.marksAll = true
            return
        }
        mark(memory.messages.map(\.occurrence))
    }

    /// The marks to upload; `nil`: none.
    package var reading: InboxReading? {
        if memory.marksAll { return .everything }
        return memory.marks.isEmpty ? nil : InboxReading(occurrences: Array(memory.marks.prefix(Self.batchSize)))
    }

    /// Removes marks that the server accepted or refused.
    package mutating func finish(_ reading: InboxReading) {
        if reading.all { memory.marksAll = false }
        let done = Set(reading.occurrences ?? [])
        memory.marks.removeAll { done.contains($0) }
    }
}
