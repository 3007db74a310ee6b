/// SHA-1 (FIPS 180-4).
///
/// Accounts of COIMOTION have passwords that every one of its SDKs hashed with it, so that no stronger function can take its
/// place; the server hashes what it receives once more, slowly. The system's own is not there on Linux.
enum SHA1 {
    /// The digest in 40 lower-case hexadecimal digits.
    static func hexadecimal(_ text: String) -> String {
        digest(Array(text.utf8)).map { byte in
            let digits = String(byte, radix: 16)
            return digits.count == 1 ? "0" + digits : digits
        }.joined()
    }

    /// The digest, 20 bytes.
    static func digest(_ message: [UInt8]) -> [UInt8] {
        var state: [UInt32] = [0x6745_2301, 0xEFCD_AB89, 0x98BA_DCFE, 0x1032_5476, 0xC3D2_E1F0]
        let bytes = padded(message)
        for start in stride(from: 0, to: bytes.count, by: 64) {
            let block = rounds(schedule(bytes[start..<start + 64]), state)
            for index in state.indices { state[index] &+= block[index] }
        }
        return state.flatMap(bigEndian)
    }

    /// The message, a one bit, zeros and the message's length in bits: a multiple of 64 bytes.
    private static func padded(_ message: [UInt8]) -> [UInt8] {
        var bytes = message + [0x80]
        while bytes.count % 64 != 56 { bytes.append(0) }
        let bits = UInt64(message.count) * 8
        return bytes + bigEndian(UInt32(bits >> 32)) + bigEndian(UInt32(truncatingIfNeeded: bits))
    }

    /// The 80 words of a block.
    private static func schedule(_ block: ArraySlice<UInt8>) -> [UInt32] {
        var words: [UInt32] = []
        words.reserveCapacity(80)
        for start in stride(from: block.startIndex, to: block.endIndex, by: 4) {
            words.append(block[start..<start + 4].reduce(0) { $0 << 8 | UInt32($1) })
        }
        for index in 16..<80 {
            words.append(rotated(words[index - 3] ^ words[index - 8] ^ words[index - 14] ^ words[index - 16], 1))
        }
        return words
    }

    private static func rounds(_ words: [UInt32], _ state: [UInt32]) -> [UInt32] {
        var (a, b, c, d, e) = (state[0], state[1], state[2], state[3], state[4])
        for (round, word) in words.enumerated() {
            let (mixed, constant): (UInt32, UInt32)
            switch round {
            case 0..<20: (mixed, constant) = (b & c | ~b & d, 0x5A82_7999)
            case 20..<40: (mixed, constant) = (b ^ c ^ d, 0x6ED9_EBA1)
            case 40..<60: (mixed, constant) = (b & c | b & d | c & d, 0x8F1B_BCDC)
            default: (mixed, constant) = (b ^ c ^ d, 0xCA62_C1D6)
            }
            let sum = rotated(a, 5) &+ mixed &+ e &+ constant &+ word
            (e, d, c, b, a) = (d, c, rotated(b, 30), a, sum)
        }
        return [a, b, c, d, e]
    }

    private static func rotated(_ word: UInt32, _ count: UInt32) -> UInt32 { word << count | word >> (32 - count) }

    private static func bigEndian(_ word: UInt32) -> [UInt8] {
        [UInt8(word >> 24), UInt8(word >> 16 & 0xFF), UInt8(word >> 8 & 0xFF), UInt8(word & 0xFF)]
    }
}
