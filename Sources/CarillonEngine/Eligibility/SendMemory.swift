import CarillonModel
import Crypto
import Foundation

/// Recent sends, as far as rules skip some of a Chunk's Devices because of them.
package struct SendMemory: Hashable, Sendable {
    /// Devices whose frequency cap is reached.
    package var capped: Set<DeviceNumber> = []
    /// Hashes of recent messages and their tokens.
    package var said: Set<Int64> = []
    /// Devices of the App's control group.
    package var controlled: Set<DeviceNumber> = []

    package init() {}
}

/// Distinguishes messages for the duplicate guard: by kind, content, labels of an ad, and token.
package struct MessageHash: Hashable, Sendable {
    private let start: UInt64

    package init(_ facts: OccurrenceFacts) {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys]
        var hash = SHA256()
        // The message was decoded from JSON, so encoding cannot fail.
        hash.update(data: (try? encoder.encode(facts.message)) ?? Data())
        hash.update(data: [facts.isAd ? 1 : 0])
        // The labels of an ad are part of its content, and so are its variants.
        if let wording = facts.content.adWording { hash.update(data: (try? encoder.encode(wording)) ?? Data()) }
        if !facts.content.variants.isEmpty {
            hash.update(data: (try? encoder.encode(facts.content.variants)) ?? Data())
        }
        start = hash.finalize().withUnsafeBytes { UInt64(littleEndian: $0.loadUnaligned(as: UInt64.self)) }
    }

    /// The hash of the message to a token (FNV-1a, continued): 64 bits, stored for an hour at most.
    package func value(token: ArraySlice<UInt8>) -> Int64 {
        var hash = start
        for byte in token { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
        return Int64(bitPattern: hash)
    }
}
