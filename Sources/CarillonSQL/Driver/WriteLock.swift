import Foundation

/// What writes take turns at, where several may run at once.
///
/// It is a number, made of the words and ids that name the thing; two things that share a number by chance only wait for
/// each other. Whoever takes several takes them before the first row is written, and always in the same order.
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

    /// A thing that texts name.
    ///
    /// - Parameters:
    ///   - kind: What sort of thing it is.
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

    /// A thing that has a text or an id of bytes within an owner.
    ///
    /// - Parameters:
    ///   - kind: What sort of thing it is.
    ///   - owner: Whose it is.
    ///   - bytes: Which one.
    package init(_ kind: StaticString, _ owner: Int64, bytes: some Sequence<UInt8>) {
        var hash = Hash()
        kind.withUTF8Buffer { for byte in $0 { hash.add(UInt64(byte)) } }
        hash.add(UInt64(bitPattern: owner))
        for byte in bytes { hash.add(UInt64(byte)) }
        number = hash.value
    }

    /// The tables themselves.
    package static let schema = WriteLock("schema")

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
