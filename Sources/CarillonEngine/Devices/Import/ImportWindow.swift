import CarillonModel
import Foundation

/// Lines of an import, in the order in which a store takes them best.
struct ImportWindow: Sendable {
    /// Lines that share nothing with another one of the window.
    ///
    /// Sorted by their tokens, they fall on the index's pages one after another, so that a page is written once for many
    /// of them.
    let plain: [ImportedDevice]
    /// The others, in the order of the file.
    let repeated: [ImportedDevice]
    /// Whether the plain ones are in the order of their tokens.
    let isSorted: Bool

    /// Puts lines in order.
    ///
    /// - Parameters:
    ///   - lines: As they come in the file.
    ///   - isSorted: Whether there are indexes, for which the order matters.
    ///   - at: When they are imported; new ids ascend with it.
    init(_ lines: [ImportedDevice], isSorted: Bool, at: Timestamp) {
        self.isSorted = isSorted
        let ids = DeviceID.ascending(lines.count, at: at)
        guard isSorted else {
            var plain = lines
            for (place, id) in ids.enumerated() { plain[place].newID = id }
            self.plain = plain
            repeated = []
            return
        }
        let isRepeated = RepeatedLines(lines).isRepeated
        let places = lines.indices.filter { !isRepeated[$0] }
            .map { (key: lines[$0].token.prefix, place: $0) }
            .sorted { $0.key < $1.key }
        plain = zip(places, ids).map { lines[$0.place].with($1) }
        repeated = zip(lines, isRepeated).filter { $1 }.map { $0.0 }
    }

    /// The tags of the plain lines, each once, in the order in which a store keeps them.
    ///
    /// - Parameter first: The number of the first line's Device.
    /// - Returns: The tags.
    func tags(from first: DeviceNumber) -> [ImportedTag] {
        var tags: [ImportedTag] = []
        tags.reserveCapacity(plain.count * 2)
        for (place, line) in plain.enumerated() {
            let number = DeviceNumber(rawValue: first.rawValue + Int64(place))
            let facets = line.registration.facets
            for tag in Set(line.tags ?? []) { tags.append(ImportedTag(tag: tag, device: number, facets: facets)) }
        }
        tags.sort()
        return tags
    }
}

extension ImportedDevice {
    fileprivate func with(_ id: DeviceID) -> ImportedDevice {
        var line = self
        line.newID = id
        return line
    }
}

extension DeviceToken {
    /// Its first eight bytes; tokens are in the order of this but for a few.
    fileprivate var prefix: UInt64 { bytes.prefix(8).reduce(0) { $0 << 8 | UInt64($1) } }
}

extension DeviceID {
    /// Ids that begin with the time and are random otherwise (UUID version 7, RFC 9562 section 5.7), in ascending order:
    /// an index takes them at its end, on pages that are full then.
    fileprivate static func ascending(_ count: Int, at: Timestamp) -> [DeviceID] {
        let bytes = RandomBytes.system(count * 16)
        let time = UInt64(bitPattern: at.rawValue) << 16 | 0x7000
        let pairs = bytes.withUnsafeBytes { bytes in
            (0..<count).map { place in
                let words = bytes.loadUnaligned(fromByteOffset: place * 16, as: (UInt64, UInt64).self)
                return (high: time | words.0 & 0x0FFF, low: words.1 & 0x3FFF_FFFF_FFFF_FFFF | 0x8000_0000_0000_0000)
            }
        }
        return pairs.sorted { $0 < $1 }.map { pair in
            withUnsafeBytes(of: (pair.high.bigEndian, pair.low.bigEndian)) { bytes in
                DeviceID(rawValue: UUID(uuid: bytes.loadUnaligned(as: uuid_t.self)))
            }
        }
    }
}
