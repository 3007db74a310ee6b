package import CarillonModel
package import CarillonOperatorModel
import Foundation

/// What writes take turns at, where several may run at once.
///
/// It is a number, made of the words and ids that name the thing; two things that share a number by chance only wait for
/// each other. Order, where a write needs several: schema, request, keys, app, wave, campaign, device, token, user; all of them
/// before the first row is written.
package struct WriteLock: Hashable, Comparable, Sendable {
    /// What the database is asked to lock.
    let number: Int64

    /// A thing of another kind.
    ///
    /// - Parameters:
    ///   - kind: What sort of thing it is.
    ///   - ids: Which one.
    package init(_ kind: StaticString, _ ids: Int64...) {
        var hash = Hash()
        kind.withUTF8Buffer { for byte in $0 { hash.add(UInt64(byte)) } }
        for id in ids { hash.add(UInt64(bitPattern: id)) }
        number = hash.value
    }

    /// The order in which locks of one kind are taken.
    package static func < (lhs: Self, rhs: Self) -> Bool { lhs.number < rhs.number }

    private init(_ kind: StaticString, texts: [String]) {
        var hash = Hash()
        kind.withUTF8Buffer { for byte in $0 { hash.add(UInt64(byte)) } }
        for text in texts {
            hash.add(UInt64(text.utf8.count))
            for byte in text.utf8 { hash.add(UInt64(byte)) }
        }
        number = hash.value
    }

    private init(_ kind: StaticString, _ app: AppID, bytes: some Sequence<UInt8>) {
        var hash = Hash()
        kind.withUTF8Buffer { for byte in $0 { hash.add(UInt64(byte)) } }
        hash.add(UInt64(bitPattern: app.rawValue))
        for byte in bytes { hash.add(UInt64(byte)) }
        number = hash.value
    }

    /// The tables themselves.
    package static let schema = WriteLock("schema")
    /// The API keys of the server.
    package static let keys = WriteLock("keys")
    /// The end of the audit log, to which nothing else is written in one transaction.
    package static let auditLog = WriteLock("audit-log")

    /// A request that a caller may repeat under the same key.
    package static func request(principal: String, key: String) -> WriteLock {
        WriteLock("request", texts: [principal, key])
    }

    /// Everything that an App has few of: tags, categories, templates, settings.
    package static func app(_ app: AppID) -> WriteLock { WriteLock("app", app.rawValue) }

    /// A Campaign's state, and what its Occurrences wait for.
    package static func campaign(_ campaign: CampaignID) -> WriteLock { WriteLock("campaign", campaign.rawValue) }

    /// How far a Wave has been read.
    package static func wave(_ occurrence: OccurrenceID, _ wave: Int64) -> WriteLock {
        WriteLock("wave", occurrence.rawValue, wave)
    }

    /// A User's tags and attributes.
    package static func user(_ user: UserID, app: AppID) -> WriteLock {
        WriteLock("user", app, bytes: user.rawValue.utf8)
    }

    /// A Device by its public id, whether it exists or not.
    package static func device(_ device: DeviceID, app: AppID) -> WriteLock {
        withUnsafeBytes(of: device.rawValue.uuid) { WriteLock("device", app, bytes: $0) }
    }

    /// A device token, whoever has it.
    package static func token(_ token: DeviceToken, app: AppID) -> WriteLock {
        WriteLock("token", app, bytes: token.bytes)
    }

    /// The same on every node and in every version, unlike Swift's own.
    private struct Hash {
        private var state: UInt64 = 0xCBF2_9CE4_8422_2325

        mutating func add(_ word: UInt64) {
            state = (state ^ word) &* 0x9E37_79B9_7F4A_7C15
            state ^= state >> 29
        }

        var value: Int64 { Int64(bitPattern: (state ^ (state >> 32)) &* 0xD6E8_FEB8_6659_FD93) }
    }
}
