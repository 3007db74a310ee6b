import CarillonBytes
package import CarillonModel
package import CarillonOperatorModel
import Crypto
import Foundation

/// An entry of the audit log without its place in the chain.
package struct AuditRecord: Hashable, Sendable {
    /// The actor: an API key's id, or one of the words below.
    package var actor: String
    package var address: String?
    package var action: String
    package var app: AppID?
    package var object: String?
    package var status: Int
    package var at: Timestamp
    /// The session of an Operator; `nil` for others.
    package var session: OperatorSessionID?
    /// What changed, before → after, without secrets; at most 1,000 characters.
    package var change: String?

    /// A command that works on the store itself.
    package static let command = "command"
    /// A caller with an invalid key.
    package static let unknown = "unknown"
    /// The server itself, when it deletes old entries.
    package static let retention = "retention"

    /// Records that all entries up to one were deleted by age: the chain begins after it.
    ///
    ///   - Parameters:
    ///   - hash: The last deleted entry's hash.
    ///   - now: The time.
    /// - Returns: The record that retention writes.
    package static func dropping(through hash: String, at now: Timestamp) -> AuditRecord {
        AuditRecord(actor: retention, action: "drop audit entries", object: hash, at: now)
    }

    package init(
        actor: String,
        address: String? = nil,
        action: String,
        app: AppID? = nil,
        object: String? = nil,
        status: Int = 0,
        at: Timestamp,
        session: OperatorSessionID? = nil,
        change: String? = nil
    ) {
        self.session = session
        self.change = change
        self.actor = actor
        self.address = address
        self.action = action
        self.app = app
        self.object = object
        self.status = status
        self.at = at
    }
}

extension AuditEntry {
    /// The hash before the first entry.
    package static let origin = String(repeating: "0", count: 64)

    /// Appends a record to the chain.
    ///
    /// - Parameters:
    ///   - record: The record.
    ///   - last: The last entry's id and hash; `nil` for the first one.
    package init(_ record: AuditRecord, after last: (id: AuditEntryID, hash: String)?) {
        let own = AuditEntryID(milliseconds: record.at.rawValue, sequence: 0)
        let next = last.map { AuditEntryID(rawValue: $0.id.rawValue + 1) } ?? own
        self.init(
            id: max(own, next),
            at: record.at,
            actor: record.actor,
            action: record.action,
            status: record.status,
            previousHash: last?.hash ?? Self.origin,
            hash: ""
        )
        address = record.address
        app = record.app
        object = record.object
        session = record.session
        change = record.change.map { String($0.prefix(Self.changeLimit)) }
        hash = computedHash
    }

    /// Maximum length of a change, in characters.
    package static let changeLimit = 1_000

    /// SHA-256 over the previous hash and all other fields.
    ///
    /// Each field is its length in bytes, a colon, its text and a line feed; a missing one is a minus sign and a line
    /// feed. Times are milliseconds since 1970. Session and change follow only where there is one of them: entries of
    /// versions that did not know them keep their hashes.
    package var computedHash: String {
        var hash = SHA256()
        var fields: [String?] = [
            previousHash, id.description, String(at.rawValue), actor, address, action, app?.description, object,
            String(status),
        ]
        if session != nil || change != nil { fields += [session?.description, change] }
        for field in fields {
            hash.update(data: Data((field.map { "\($0.utf8.count):\($0)" } ?? "-").utf8))
            hash.update(data: Data("\n".utf8))
        }
        return Hexadecimal.encode(hash.finalize())
    }
}
