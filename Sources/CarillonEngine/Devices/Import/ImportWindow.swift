import CarillonModel
import Foundation

/// Lines of an import, in the order that is fastest for a store.
struct ImportWindow: Sendable {
    /// Lines that share no key with another one of the window.
    ///
    /// Sorted by token, they reach the index's pages one after another, so that a page is written once for many lines.
    let plain: [ImportedDevice]
    /// The others, in the order of the file.
    let repeated: [ImportedDevice]
    /// The tags of the plain lines, without repetition, in the store's order; by the index of their lines instead of
    /// numbers.
    let tags: [ImportedTag]
    /// Whether the store has no indexes, so that the order of tokens does not matter.
    let isBulk: Bool

    /// Sorts lines.
    ///
    /// - Parameters:
    ///   - lines: The lines, in the order of the file.
    ///   - at: The time of the import; new ids ascend with it.
    init(_ lines: [ImportedDevice], at: Timestamp) {
        let isRepeated = RepeatedLines(lines).isRepeated
        let places = lines.indices.filter { !isRepeated[$0] }
            .map { (key: lines[$0].token.prefix, place: $0) }
            .sorted { $0.key < $1.key }
        plain = zip(places, DeviceID.ascending(places.count, at: at)).map { lines[$0.place].with($1) }
        repeated = zip(lines, isRepeated).filter { $1 }.map { $0.0 }
        tags = plain.tags
        isBulk = false
    }

    /// Sorts lines for a store without indexes: plain lines are those that share no key with any line before.
    ///
    /// - Parameters:
    ///   - lines: The lines, in the order of the file.
    ///   - keys: The keys of earlier lines.
    ///   - at: The time of the import; new ids ascend with it.
    init(_ lines: [ImportedDevice], newTo keys: inout ImportKeys, at: Timestamp) {
        var plain: [ImportedDevice] = []
        var repeated: [ImportedDevice] = []
        plain.reserveCapacity(lines.count)
        for (line, id) in zip(lines, DeviceID.ascending(lines.count, at: at)) {
            if keys.insert(line), line.isSimple { plain.append(line.with(id)) } else { repeated.append(line) }
        }
        self.plain = plain
        self.repeated = repeated
        tags = plain.tags
        isBulk = true
    }
}

extension [ImportedDevice] {
    /// The tags of all lines, sorted, by the index of the line.
    fileprivate var tags: [ImportedTag] {
        var tags: [ImportedTag] = []
        tags.reserveCapacity(count * 2)
        for (place, line) in enumerated() {
            guard let numbers = line.tags else { continue }
            let facets = line.registration.facets
            for (index, tag) in numbers.enumerated() where !numbers[..<index].contains(tag) {
                tags.append(ImportedTag(tag: tag, device: DeviceNumber(rawValue: Int64(place)), facets: facets))
            }
        }
        tags.sort()
        return tags
    }
}

extension ImportedTag {
    /// Returns the tag with its index turned into a number.
    package func moved(by first: DeviceNumber) -> ImportedTag {
        ImportedTag(tag: tag, device: DeviceNumber(rawValue: first.rawValue + device.rawValue), facets: facets)
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
    /// Its first eight bytes, by which tokens are sorted; ties are rare.
    fileprivate var prefix: UInt64 { bytes.prefix(8).reduce(0) { $0 << 8 | UInt64($1) } }
}

extension DeviceID {
    /// Ids that begin with the time and are otherwise random (UUID version 7, RFC 9562 section 5.7), in ascending
    /// order: an index inserts them at its end, which fills its pages.
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
