import CarillonModel
import Foundation

/// Lines of an import, in the order in which a store takes them best.
struct ImportWindow: Sendable {
    /// Lines that share nothing with another one of the window.
    ///
    /// Sorted by their tokens, and with new ids that ascend in the same order, they fall on the indexes' pages one after
    /// another, so that a page is written once for many of them.
    let plain: [ImportedDevice]
    /// The others, in the order of the file.
    let repeated: [ImportedDevice]

    /// Puts lines in order.
    ///
    /// - Parameters:
    ///   - lines: As they come in the file.
    ///   - isSorted: Whether there are indexes, for which the order matters.
    init(_ lines: [ImportedDevice], isSorted: Bool) {
        let ids = DeviceID.random(lines.count)
        guard isSorted else {
            plain = zip(lines, ids).map { $0.with($1) }
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
}

/// How many Devices go into a transaction, so that it takes about as long as it may.
struct BatchPace: Sendable {
    /// Below this it is not the Devices that take the time, but the disk.
    private static let least = 250

    private(set) var size: Int
    private let limit: Int
    private let time: Duration?

    /// Begins with a few, where a time is given.
    init(limit: Int, time: Duration?) {
        self.limit = limit
        self.time = time
        size = time == nil ? limit : min(limit, Self.least)
    }

    /// Learns from a batch of the current size: half as many when it took too long, a quarter more when it took less than
    /// three quarters of the time.
    mutating func learn(_ taken: Duration) {
        guard let time else { return }
        if taken > time {
            size = max(min(limit, Self.least), size / 2)
        } else if taken * 4 < time * 3 {
            size = min(limit, size + size / 4 + 1)
        }
    }
}

/// Writes a window, batch by batch.
struct WindowWriter: Sendable {
    let store: any DeviceImportStore
    let app: AppID
    let at: Timestamp
    let timer: any DispatchClock
    var pace: BatchPace

    /// - Returns: What became of the lines; `nil` when there is no such App. Once cancelled, of those before.
    mutating func write(_ window: ImportWindow) async throws(StoreError) -> ImportCounts? {
        var counts = ImportCounts()
        for lines in [window.plain, window.repeated] {
            var rest = lines[...]
            while !rest.isEmpty, !Task.isCancelled {
                let batch = rest.prefix(pace.size)
                let begin = timer.now()
                guard let kept = try await store.importDevices(Array(batch), app: app, at: at) else { return nil }
                counts.add(kept)
                rest = rest.dropFirst(batch.count)
                if batch.count == pace.size { pace.learn(timer.now() - begin) }
            }
        }
        return counts
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
    /// Random ids (UUID version 4), in ascending order, which tells nobody anything.
    fileprivate static func random(_ count: Int) -> [DeviceID] {
        let bytes = RandomBytes.system(count * 16)
        let pairs = bytes.withUnsafeBytes { bytes in
            (0..<count).map { place in
                let words = bytes.loadUnaligned(fromByteOffset: place * 16, as: (UInt64, UInt64).self)
                return (high: words.0 & ~0xF000 | 0x4000, low: words.1 & 0x3FFF_FFFF_FFFF_FFFF | 0x8000_0000_0000_0000)
            }
        }
        return pairs.sorted { $0 < $1 }.map { pair in
            withUnsafeBytes(of: (pair.high.bigEndian, pair.low.bigEndian)) { bytes in
                DeviceID(rawValue: UUID(uuid: bytes.loadUnaligned(as: uuid_t.self)))
            }
        }
    }
}
