import CarillonBytes
package import CarillonModel
import Crypto

/// Creates and verifies an App's receipts.
///
/// A receipt is the Device's number (8 bytes, big-endian) and the first 80 bits of HMAC-SHA256, under the App's receipt
/// key, over the Occurrence's id and the number (8 bytes each, big-endian), in base64url: 24 characters. The hash
/// states that contain the key are computed once, so that a receipt costs two rounds of SHA-256.
package struct ReceiptKey: Sendable {
    /// The size of a key in bytes.
    package static let byteCount = 32

    private static let blockByteCount = 64

    private let inner: SHA256
    private let outer: SHA256

    /// Creates a key; `nil` unless it has 32 bytes.
    package init?(_ key: [UInt8]) {
        guard key.count == Self.byteCount else { return nil }
        let padded = key + Array(repeating: 0, count: Self.blockByteCount - key.count)
        var inner = SHA256()
        inner.update(data: padded.map { $0 ^ 0x36 })
        var outer = SHA256()
        outer.update(data: padded.map { $0 ^ 0x5C })
        self.inner = inner
        self.outer = outer
    }

    /// Writes a receipt, without allocations that outlive the call.
    ///
    /// - Parameters:
    ///   - occurrence: The Occurrence.
    ///   - device: The Device.
    ///   - destination: At least 24 bytes; the first 24 are written.
    package func write(
        occurrence: OccurrenceID,
        device: DeviceNumber,
        into destination: UnsafeMutableRawBufferPointer
    ) {
        precondition(destination.count >= Receipt.length, "A receipt has 24 characters.")
        let number = UInt64(bitPattern: device.rawValue)
        let tag = tag(occurrence, number)
        // Three times eight characters of 48 bits each: the number's 64 bits and the tag's 80.
        let high = number >> 16
        let middle = (number & 0xFFFF) << 32 | tag.high >> 32
        let low = (tag.high & 0xFFFF_FFFF) << 16 | tag.low
        write(high, to: destination, at: 0)
        write(middle, to: destination, at: 8)
        write(low, to: destination, at: 16)
    }

    /// Returns a receipt as text.
    package func receipt(occurrence: OccurrenceID, device: DeviceNumber) -> Receipt {
        let text = String(unsafeUninitializedCapacity: Receipt.length) { buffer in
            write(occurrence: occurrence, device: device, into: UnsafeMutableRawBufferPointer(buffer))
            return Receipt.length
        }
        guard let receipt = Receipt(rawValue: text) else {
            preconditionFailure("A receipt is 24 characters of base64url.")
        }
        return receipt
    }

    /// Returns the Device of a receipt; `nil` when the receipt is not of this App and Occurrence.
    ///
    /// Compares in constant time.
    package func device(of receipt: Receipt, occurrence: OccurrenceID) -> DeviceNumber? {
        guard let parts = Self.read(receipt) else { return nil }
        let number = parts.0 << 16 | parts.1 >> 32
        let high = (parts.1 & 0xFFFF_FFFF) << 32 | parts.2 >> 16
        let low = parts.2 & 0xFFFF
        let expected = tag(occurrence, number)
        let isTrue = (expected.high ^ high) | (expected.low ^ low) == 0
        let device = Int64(bitPattern: number)
        return isTrue && device > 0 ? DeviceNumber(rawValue: device) : nil
    }

    // MARK: - Private

    /// The first 64 bits of the hash, and the next 16.
    private func tag(_ occurrence: OccurrenceID, _ number: UInt64) -> (high: UInt64, low: UInt64) {
        let message = (occurrence.rawValue.bigEndian, number.bigEndian)
        var inner = inner
        withUnsafeBytes(of: message) { inner.update(bufferPointer: $0) }
        var outer = outer
        inner.finalize().withUnsafeBytes { outer.update(bufferPointer: $0) }
        return outer.finalize().withUnsafeBytes { digest in
            (
                UInt64(bigEndian: digest.loadUnaligned(as: UInt64.self)),
                UInt64(UInt16(bigEndian: digest.loadUnaligned(fromByteOffset: 8, as: UInt16.self)))
            )
        }
    }

    /// Writes 48 bits as eight characters.
    @inline(__always)
    private func write(_ bits: UInt64, to destination: UnsafeMutableRawBufferPointer, at offset: Int) {
        for index in 0..<8 {
            destination[offset + index] = Base64URL.character(bits >> UInt64(42 - 6 * index))
        }
    }

    /// Three times 48 bits.
    private static func read(_ receipt: Receipt) -> (UInt64, UInt64, UInt64)? {
        var parts: (UInt64, UInt64, UInt64) = (0, 0, 0)
        var index = 0
        for character in receipt.rawValue.utf8 {
            guard let digit = Base64URL.digit(character) else { return nil }
            switch index / 8 {
            case 0: parts.0 = parts.0 << 6 | UInt64(digit)
            case 1: parts.1 = parts.1 << 6 | UInt64(digit)
            default: parts.2 = parts.2 << 6 | UInt64(digit)
            }
            index += 1
        }
        return index == Receipt.length ? parts : nil
    }
}
