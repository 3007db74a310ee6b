import CarillonModel
import Foundation

/// The records of several runs in one order; of equal ids those of the first run come first.
struct AttributeMerge {
    private var runs: [AttributeRun]
    /// Indices of runs that have a record, as a binary heap with the lowest one first.
    private var heap: [Int] = []

    init(_ runs: [AttributeRun]) {
        self.runs = runs
        heap = runs.indices.filter { runs[$0].head != nil }
        for place in heap.indices.reversed() { sink(place) }
    }

    /// Takes the lowest record; `nil` when there is none left.
    mutating func next() throws -> (user: UserID, attributes: [String: JSONValue])? {
        try nextBytes().map(AttributeRecord.read)
    }

    /// Takes the bytes of the lowest record; `nil` when there is none left.
    mutating func nextBytes() throws -> ArraySlice<UInt8>? {
        guard let lowest = heap.first, let head = runs[lowest].head else { return nil }
        try runs[lowest].advance()
        if runs[lowest].head == nil {
            heap.swapAt(0, heap.count - 1)
            heap.removeLast()
        }
        sink(0)
        return head.bytes
    }

    private mutating func sink(_ start: Int) {
        var place = start
        while true {
            var lowest = place
            for child in [2 * place + 1, 2 * place + 2] where child < heap.count && isLower(child, lowest) {
                lowest = child
            }
            guard lowest != place else { return }
            heap.swapAt(place, lowest)
            place = lowest
        }
    }

    private func isLower(_ left: Int, _ right: Int) -> Bool {
        let (first, second) = (heap[left], heap[right])
        guard let left = runs[first].head, let right = runs[second].head else { return false }
        if AttributeRecord.isLower(left, right) { return true }
        return first < second && !AttributeRecord.isLower(right, left)
    }
}

/// Sorted records, from memory or from a file that is read part by part.
struct AttributeRun {
    /// A record that is next.
    struct Head {
        var prefix: UInt64
        var bytes: ArraySlice<UInt8>
    }

    private static let partSize = 1 << 16

    private let file: FileHandle?
    private var bytes: [UInt8]
    private var position = 0
    private(set) var head: Head?

    /// - Throws: When the first record is cut off.
    init(_ bytes: [UInt8]) throws {
        file = nil
        self.bytes = bytes
        try advance()
    }

    /// - Throws: When the file cannot be read, or its first record is cut off.
    init(_ url: URL) throws {
        file = try FileHandle(forReadingFrom: url)
        bytes = []
        try advance()
    }

    /// Adds a record as a run has it: its length, and its bytes.
    static func append(_ record: ArraySlice<UInt8>, to bytes: inout [UInt8]) {
        withUnsafeBytes(of: UInt32(record.count).littleEndian) { bytes.append(contentsOf: $0) }
        bytes.append(contentsOf: record)
    }

    /// Goes on to the next record.
    mutating func advance() throws {
        head = nil
        guard try has(4) else {
            try file?.close()
            return
        }
        let count = (0..<4).reduce(0) { $0 | Int(bytes[position + $1]) << (8 * $1) }
        guard try has(4 + count) else { throw CocoaError(.fileReadCorruptFile) }
        let record = bytes[(position + 4)..<(position + 4 + count)]
        position += 4 + count
        head = Head(prefix: AttributeRecord.prefix(of: AttributeRecord.id(record)), bytes: record)
    }

    /// Reads on until there are so many bytes; false when there are no more.
    private mutating func has(_ count: Int) throws -> Bool {
        while bytes.count - position < count {
            guard let part = try file?.read(upToCount: max(Self.partSize, count)), !part.isEmpty else { return false }
            bytes.removeSubrange(..<position)
            position = 0
            bytes.append(contentsOf: part)
        }
        return true
    }
}
