import CarillonModel
package import CarillonOperatorModel

/// What is wrong with a chain of audit entries.
package enum AuditFault: Error, Hashable, Sendable, CustomStringConvertible {
    /// The entry's fields do not match its hash.
    case isChanged(AuditEntryID)
    /// The entry does not follow the one before it: entries between them are missing, or the earlier one was changed.
    case isBroken(after: AuditEntryID, before: AuditEntryID)
    /// Entries before the first one are missing, and no later entry records that retention deleted them.
    case beginsLate(AuditEntryID)
    /// An entry that was recorded earlier is missing, or has another hash.
    case lacks(AuditEntryID)

    package var description: String {
        switch self {
        case .isChanged(let id): "\(id) was changed: its hash is not that of its fields."
        case .isBroken(let after, let before):
            "\(before) does not follow \(after): entries between them are missing, or were rewritten."
        case .beginsLate(let id):
            "Entries before \(id) are missing, and no entry records that they were deleted by age."
        case .lacks(let id): "\(id) is missing, or has another hash than the noted one: the log was rewritten since."
        }
    }
}

/// Verifies the audit log, the latest entry first.
package struct AuditChain: Sendable {
    /// The number of verified entries.
    package private(set) var count = 0
    /// The latest entry; recorded elsewhere, it shows later whether the log was rewritten.
    package private(set) var latest: AuditEntry?
    /// The earliest entry so far.
    package private(set) var earliest: AuditEntry?
    /// An entry that was recorded earlier.
    private let noted: (id: AuditEntryID, hash: String)?
    private var hasFoundNoted = false
    /// The hashes of the last entries of each deletion by retention.
    private var dropped: Set<String> = []

    /// - Parameter noted: An entry's id and hash from an earlier run.
    package init(noted: (id: AuditEntryID, hash: String)? = nil) { self.noted = noted }

    /// Verifies the next earlier entry.
    package mutating func add(_ entry: AuditEntry) throws(AuditFault) {
        guard entry.computedHash == entry.hash else { throw .isChanged(entry.id) }
        if let earliest, earliest.previousHash != entry.hash {
            throw .isBroken(after: entry.id, before: earliest.id)
        }
        if let noted, noted.id == entry.id {
            guard noted.hash == entry.hash else { throw .lacks(noted.id) }
            hasFoundNoted = true
        }
        if entry.actor == AuditRecord.retention, let hash = entry.object { dropped.insert(hash) }
        latest = latest ?? entry
        earliest = entry
        count += 1
    }

    /// Records that an entry after the latest one reports a deletion by retention.
    package mutating func addDropped(by entry: AuditEntry) {
        guard entry.computedHash == entry.hash, entry.actor == AuditRecord.retention, let hash = entry.object else {
            return
        }
        dropped.insert(hash)
    }

    /// Verifies the beginning, when there are no more entries.
    package func end() throws(AuditFault) {
        let isWhole = earliest.map { $0.previousHash == AuditEntry.origin } ?? true
        if let earliest, !isWhole, !dropped.contains(earliest.previousHash) { throw .beginsLate(earliest.id) }
        guard let noted, !hasFoundNoted else { return }
        // An entry before all stored ones was deleted by its age.
        if let earliest, !isWhole, noted.id < earliest.id { return }
        throw .lacks(noted.id)
    }
}
