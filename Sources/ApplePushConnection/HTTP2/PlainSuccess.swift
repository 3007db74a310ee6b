/// Recognizes the header block of nearly every answer without decoding it.
///
/// It is status 200, by its index in the static table, followed only by fields that are not read and do not change the
/// decoder's table: literals without indexing or never indexed, each named `apns-id` or by the static table. All else,
/// including `apns-unique-id` and malformed blocks, is left to the decoder, which would spend most of its time on the
/// Huffman code of an id that we sent ourselves.
enum PlainSuccess {
    private static let indexedStatus200: UInt8 = 0x88
    /// The last entry of the static table.
    private static let lastStatic = 61

    @inline(__always)
    static func matches(_ block: UnsafeRawBufferPointer) -> Bool {
        guard let first = block.first, first == indexedStatus200 else { return false }
        var offset = 1
        while offset < block.count {
            guard skipName(block, &offset), skipString(block, &offset) else { return false }
        }
        return true
    }

    /// Skips the representation's first byte and the name.
    @inline(__always)
    private static func skipName(_ block: UnsafeRawBufferPointer, _ offset: inout Int) -> Bool {
        let first = block[offset]
        // 0000xxxx: without indexing; 0001xxxx: never indexed (RFC 7541 §6.2.2 and §6.2.3).
        guard first & 0xE0 == 0 else { return false }
        offset += 1
        switch first & 0x0F {
        case 0: return skipIDName(block, &offset)
        case 15:
            guard offset < block.count, Int(block[offset]) + 15 <= lastStatic else { return false }
            offset += 1
            return true
        default: return false  // A second pseudo-header: the decoder's business.
        }
    }

    /// Skips the name `apns-id`, plain or in Huffman code.
    @inline(__always)
    private static func skipIDName(_ block: UnsafeRawBufferPointer, _ offset: inout Int) -> Bool {
        guard block.count - offset >= 8 else { return false }
        let head = block.loadUnaligned(fromByteOffset: offset, as: UInt64.self).bigEndian
        if head == 0x07_61_70_6E_73_2D_69_64 {  // 7, "apns-id"
            offset += 8
            return true
        }
        if head >> 16 == 0x85_1D_75_21_63_49 {  // Huffman, 5, the code of RFC 7541, appendix B
            offset += 6
            return true
        }
        return false
    }

    /// Skips a string whose length takes one byte.
    @inline(__always)
    private static func skipString(_ block: UnsafeRawBufferPointer, _ offset: inout Int) -> Bool {
        guard offset < block.count else { return false }
        let length = Int(block[offset] & 0x7F)
        guard length < 0x7F, block.count - offset - 1 >= length else { return false }
        offset += 1 + length
        return true
    }
}
