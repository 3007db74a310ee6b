#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// Distinguishes public addresses from those that must never be posted to: this machine's, its networks', and the
/// cloud's metadata service, which issues credentials.
///
/// The blocks are those of IANA's special-purpose registries (RFC 6890 and its successors).
package struct PublicAddress: Hashable, Sendable {
    /// Four bytes or sixteen.
    package let bytes: [UInt8]

    /// Creates an address of 4 or 16 bytes; `nil` for any other number.
    package init?(_ bytes: [UInt8]) {
        guard bytes.count == 4 || bytes.count == 16 else { return nil }
        self.bytes = bytes
    }

    /// Parses an address; `nil` for a name.
    package init?(text: String) {
        var four = [UInt8](repeating: 0, count: 4)
        var sixteen = [UInt8](repeating: 0, count: 16)
        if inet_pton(AF_INET, text, &four) == 1 {
            bytes = four
        } else if inet_pton(AF_INET6, text, &sixteen) == 1 {
            bytes = sixteen
        } else {
            return nil
        }
    }

    package var isPublic: Bool {
        guard bytes.count == 16 else { return !Self.special4.contains { $0.holds(bytes) } }
        // Only global unicast; addresses that embed an IPv4 address (mapped, 6to4, Teredo, NAT64) are never public.
        return Self.global6.holds(bytes) && !Self.special6.contains { $0.holds(bytes) }
    }

    // MARK: - Private

    private struct Block {
        var bytes: [UInt8]
        var bits: Int

        init(_ bytes: [UInt8], _ bits: Int) {
            self.bytes = bytes
            self.bits = bits
        }

        func holds(_ address: [UInt8]) -> Bool {
            for bit in 0..<bits {
                let (index, mask) = (bit / 8, UInt8(0x80) >> (bit % 8))
                let own = index < bytes.count ? bytes[index] : 0
                guard own & mask == address[index] & mask else { return false }
            }
            return true
        }
    }

    private static let special4 = [
        Block([0], 8), Block([10], 8), Block([100, 64], 10), Block([127], 8), Block([169, 254], 16),
        Block([172, 16], 12), Block([192, 0, 0], 24), Block([192, 0, 2], 24), Block([192, 88, 99], 24),
        Block([192, 168], 16), Block([198, 18], 15), Block([198, 51, 100], 24), Block([203, 0, 113], 24),
        Block([224], 4), Block([240], 4),
    ]
    private static let global6 = Block([0x20], 3)
    private static let special6 = [
        Block([0x20, 0x01, 0x00], 23), Block([0x20, 0x01, 0x0D, 0xB8], 32), Block([0x20, 0x02], 16),
        Block([0x3F, 0xFF], 20),
    ]
}
