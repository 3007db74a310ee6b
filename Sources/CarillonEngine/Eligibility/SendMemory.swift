import CarillonModel
import Crypto
import Foundation

/// What was sent of late, as far as it keeps some of a chunk's Devices from getting more.
package struct SendMemory: Hashable, Sendable {
    /// Devices whose cap is reached.
    package var capped: Set<DeviceNumber> = []
    /// What was said of late: hashes of message and token.
    package var said: Set<Int64> = []
    /// Devices of the App's control group.
    package var controlled: Set<DeviceNumber> = []

    package init() {}
}

/// Tells messages apart for the duplicate guard: kind, content and the wording of an ad, and the token it went to.
package struct MessageHash: Hashable, Sendable {
    private let start: UInt64

    package init(_ facts: OccurrenceFacts) {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys]
        var hash = SHA256()
        // A message was read from JSON, so that it can be written.
        hash.update(data: (try? encoder.encode(facts.message)) ?? Data())
        hash.update(data: [facts.isAd ? 1 : 0])
        // Contact, guide and their place are part of what an ad says, and so are its variants.
        if let wording = facts.content.adWording { hash.update(data: (try? encoder.encode(wording)) ?? Data()) }
        if !facts.content.variants.isEmpty {
            hash.update(data: (try? encoder.encode(facts.content.variants)) ?? Data())
        }
        start = hash.finalize().withUnsafeBytes { UInt64(littleEndian: $0.loadUnaligned(as: UInt64.self)) }
    }

    /// The hash of the message to a token (FNV-1a, continued): 64 bits, kept for an hour at most.
    package func value(token: ArraySlice<UInt8>) -> Int64 {
        var hash = start
        for byte in token { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
        return Int64(bitPattern: hash)
    }
}
