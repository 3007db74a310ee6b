/// Strings that repeat from row to row (languages, time zones), stored once each and identified by a small number.
///
/// A row's bytes are compared in place: a `String` is created only for a new text.
package struct InternedTexts: Sendable {
    /// The texts; the first stands for none.
    package private(set) var texts: [String?] = [nil]
    private var hashes: [UInt64] = [0]
    /// A hash table with open addressing, its size a power of two; 0 marks a free slot.
    private var slots: [UInt16] = Array(repeating: 0, count: 64)
    private var last: UInt16 = 0

    package init() {}

    package var count: Int { texts.count }

    package subscript(number: UInt16) -> String? { texts[Int(number)] }

    /// Returns the number of a text, the same for equal bytes.
    ///
    /// - Parameter bytes: UTF-8; empty means none.
    /// - Returns: 0 for none, and for all texts after the first 65,534.
    package mutating func number(of bytes: UnsafeRawBufferPointer) -> UInt16 {
        guard !bytes.isEmpty else { return 0 }
        let hash = Self.hash(bytes)
        // Consecutive rows mostly share the text.
        if hashes[Int(last)] == hash, isText(last, bytes) { return last }
        var slot = Int(truncatingIfNeeded: hash) & (slots.count - 1)
        while slots[slot] != 0 {
            let number = slots[slot]
            if hashes[Int(number)] == hash, isText(number, bytes) {
                last = number
                return number
            }
            slot = (slot + 1) & (slots.count - 1)
        }
        return add(bytes, hash: hash, slot: slot)
    }

    private mutating func add(_ bytes: UnsafeRawBufferPointer, hash: UInt64, slot: Int) -> UInt16 {
        guard texts.count < Int(UInt16.max) else { return 0 }
        let number = UInt16(texts.count)
        texts.append(String(decoding: bytes, as: UTF8.self))
        hashes.append(hash)
        slots[slot] = number
        last = number
        if texts.count * 2 > slots.count { grow() }
        return number
    }

    private mutating func grow() {
        slots = Array(repeating: 0, count: slots.count * 2)
        for number in 1..<texts.count {
            var slot = Int(truncatingIfNeeded: hashes[number]) & (slots.count - 1)
            while slots[slot] != 0 { slot = (slot + 1) & (slots.count - 1) }
            slots[slot] = UInt16(number)
        }
    }

    private func isText(_ number: UInt16, _ bytes: UnsafeRawBufferPointer) -> Bool {
        guard let text = texts[Int(number)] else { return false }
        return text.utf8.elementsEqual(bytes)
    }

    /// FNV-1a, for few short texts; deliberate collisions only cost comparisons.
    private static func hash(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
        return hash
    }
}
