import CarillonModel
package import CarillonOperatorModel

/// What is wrong with a chain of audit entries.
package enum AuditFault: Error, Hashable, Sendable, CustomStringConvertible {
    /// The entry's fields are not those that its hash was made of.
    case isChanged(AuditEntryID)
    /// The entry does not follow the one before it: entries between them are missing, or the earlier one was changed.
    case isBroken(after: AuditEntryID, before: AuditEntryID)
    /// Entries before the first one are missing, and no later entry tells that retention dropped them.
    case beginsLate(AuditEntryID)
    /// An entry that was noted earlier is not there, or has another hash.
    case lacks(AuditEntryID)

    package var description: String {
        switch self {
        case .isChanged(let id): "\(id) was changed: its hash is not that of its fields."
        case .isBroken(let after, let before):
            "\(before) does not follow \(after): entries between them are missing, or were written anew."
        case .beginsLate(let id):
            "Entries before \(id) are missing, and no entry tells that they were dropped by their age."
        case .lacks(let id): "\(id) is not there with the hash that was noted: the log was written anew since."
        }
    }
}

/// Goes through the audit log, the latest entry first, and finds out whether it is as it was written.
package struct AuditChain: Sendable {
    /// How many entries were looked at.
    package private(set) var count = 0
    /// The latest entry; noted elsewhere, it shows later whether the log was written anew.
    package private(set) var latest: AuditEntry?
    /// The earliest entry so far.
    package private(set) var earliest: AuditEntry?
    /// An entry that was noted earlier.
    private let noted: (id: AuditEntryID, hash: String)?
    private var hasFoundNoted = false
    /// The hashes of the last entries that steps of retention dropped.
    private var dropped: Set<String> = []

    /// - Parameter noted: An entry's id and hash as an earlier run told them.
    package init(noted: (id: AuditEntryID, hash: String)? = nil) { self.noted = noted }

    /// Looks at the next earlier entry.
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

    /// Notes what an entry behind the latest one tells of entries that retention dropped meanwhile.
    package mutating func addDropped(by entry: AuditEntry) {
        guard entry.computedHash == entry.hash, entry.actor == AuditRecord.retention, let hash = entry.object else {
            return
        }
        dropped.insert(hash)
    }

    /// Looks at the beginning, when there are no more entries.
    package func end() throws(AuditFault) {
        let isWhole = earliest.map { $0.previousHash == AuditEntry.origin } ?? true
        if let earliest, !isWhole, !dropped.contains(earliest.previousHash) { throw .beginsLate(earliest.id) }
        guard let noted, !hasFoundNoted else { return }
        // One before all that is kept was dropped by its age.
        if let earliest, !isWhole, noted.id < earliest.id { return }
        throw .lacks(noted.id)
    }
}
