package import CarillonModel
package import CarillonOperatorModel
import Crypto
import Foundation

/// What is to be written into the audit log, before it has its place in the chain.
package struct AuditRecord: Hashable, Sendable {
    /// Who: an API key's id, or one of the words below.
    package var actor: String
    package var address: String?
    package var action: String
    package var app: AppID?
    package var object: String?
    package var status: Int
    package var at: Timestamp

    /// A command that works on the store itself.
    package static let command = "command"
    /// Somebody with a key that is none.
    package static let unknown = "unknown"
    /// The server itself, when it drops old entries.
    package static let retention = "retention"

    /// Tells that all entries through one were dropped by their age: the chain begins behind it.
    ///
    /// - Parameters:
    ///   - hash: The last dropped entry's hash.
    ///   - now: The time.
    /// - Returns: What retention writes.
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
        at: Timestamp
    ) {
        self.actor = actor
        self.address = address
        self.action = action
        self.app = app
        self.object = object
        self.status = status
        self.at = at
    }

    static func hexadecimal(_ bytes: some Sequence<UInt8>) -> String {
        bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    }
}

extension AuditEntry {
    /// The hash before the first entry.
    package static let origin = String(repeating: "0", count: 64)

    /// Puts a record at the end of the chain.
    ///
    /// - Parameters:
    ///   - record: What is written.
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
        hash = computedHash
    }

    /// SHA-256 over the hash before and all other fields.
    ///
    /// Each is its length in bytes, a colon, its text and a line feed; one that is missing is a minus sign and a line
    /// feed. Times count in milliseconds since 1970.
    package var computedHash: String {
        var hash = SHA256()
        let fields: [String?] = [
            previousHash, id.description, String(at.rawValue), actor, address, action, app?.description, object,
            String(status),
        ]
        for field in fields {
            hash.update(data: Data((field.map { "\($0.utf8.count):\($0)" } ?? "-").utf8))
            hash.update(data: Data("\n".utf8))
        }
        return AuditRecord.hexadecimal(hash.finalize())
    }
}
