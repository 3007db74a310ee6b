import Foundation

/// A lock that serializes writes, where several may run at once.
///
/// It is a number, computed from the words and ids of the locked object; a collision only makes two objects wait for
/// each other. Take all locks before the first row is written, and always in the same order.
package struct WriteLock: Hashable, Comparable, Sendable {
    /// The number of the advisory lock.
    let number: Int64

    /// Creates a lock for an object with numeric ids.
    ///
    ///   - Parameters:
    ///   - kind: The kind of object.
    ///   - ids: Its ids.
    ///   - ids: Which one.
    package init(_ kind: StaticString, _ ids: Int64...) {
        var hash = Hash()
        kind.withUTF8Buffer { for byte in $0 { hash.add(UInt64(byte)) } }
        for id in ids { hash.add(UInt64(bitPattern: id)) }
        number = hash.value
    }

    /// The order of locks of one kind.
    package static func < (lhs: Self, rhs: Self) -> Bool { lhs.number < rhs.number }

    /// Creates a lock for an object with names.
    ///
    ///   - Parameters:
    ///   - kind: The kind of object.
    ///   - texts: Its names.
    package init(_ kind: StaticString, texts: [String]) {
        var hash = Hash()
        kind.withUTF8Buffer { for byte in $0 { hash.add(UInt64(byte)) } }
        for text in texts {
            hash.add(UInt64(text.utf8.count))
            for byte in text.utf8 { hash.add(UInt64(byte)) }
        }
        number = hash.value
    }

    /// Creates a lock for an object with a text or an id of bytes within an owner.
    ///
    ///   - Parameters:
    ///   - kind: The kind of object.
    ///   - owner: The owner.
    ///   - bytes: The id.
    package init(_ kind: StaticString, _ owner: Int64, bytes: some Sequence<UInt8>) {
        var hash = Hash()
        kind.withUTF8Buffer { for byte in $0 { hash.add(UInt64(byte)) } }
        hash.add(UInt64(bitPattern: owner))
        for byte in bytes { hash.add(UInt64(byte)) }
        number = hash.value
    }

    /// The lock of the schema.
    package static let schema = WriteLock("schema")

    /// A hash that is the same on every node and in every version, unlike Swift's own.
    private struct Hash {
        private var state: UInt64 = 0xCBF2_9CE4_8422_2325

        mutating func add(_ word: UInt64) {
            state = (state ^ word) &* 0x9E37_79B9_7F4A_7C15
            state ^= state >> 29
        }

        var value: Int64 { Int64(bitPattern: (state ^ (state >> 32)) &* 0xD6E8_FEB8_6659_FD93) }
    }
}
