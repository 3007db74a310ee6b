/// A row of a table: the bytes of its fields.
package struct TableRow {
    /// The line on which it begins, from 1.
    package private(set) var line = 1
    private var bytes: [UInt8] = []
    /// Where each field ends.
    private var ends: [Int] = []

    /// The number of fields.
    package var count: Int { ends.count }

    /// Whether all of its text is ASCII or other valid UTF-8.
    package var isText: Bool { isASCII || String(validating: bytes, as: UTF8.self) != nil }

    /// Whether it has only ASCII.
    package var isASCII: Bool {
        // Without an early end it takes many bytes at once.
        bytes.withUnsafeBufferPointer { $0.reduce(0) { $0 | $1 } } < 0x80
    }

    /// The bytes of a field; empty when the row does not have it.
    package func bytes(_ index: Int) -> ArraySlice<UInt8> {
        guard ends.indices.contains(index) else { return [] }
        return bytes[(index == 0 ? 0 : ends[index - 1])..<ends[index]]
    }

    /// The text of a field; `nil` when it is empty, or the row does not have it.
    package func text(_ index: Int) -> String? {
        let field = bytes(index)
        return field.isEmpty ? nil : String(decoding: field, as: UTF8.self)
    }

    var isFieldEmpty: Bool { bytes.count == (ends.last ?? 0) }

    mutating func append(_ byte: UInt8) { bytes.append(byte) }

    mutating func append(_ some: UnsafeBufferPointer<UInt8>) { bytes.append(contentsOf: some) }

    mutating func endField() { ends.append(bytes.count) }

    mutating func removeLastCarriageReturn() {
        if bytes.count > (ends.last ?? 0), bytes.last == 0x0D { bytes.removeLast() }
    }

    mutating func removeAll(line: Int) {
        bytes.removeAll(keepingCapacity: true)
        ends.removeAll(keepingCapacity: true)
        self.line = line
    }

    /// Reads a line that is a row by itself, as ``TableReader`` reads it byte by byte.
    ///
    /// - Parameters:
    ///   - line: The line without its end and without NUL characters; the row is empty.
    ///   - maximumFieldCount: Maximum number of fields.
    /// - Returns: False when the line is not well formed, or ends within a quoted field; the row is empty then.
    mutating func read(_ line: UnsafeBufferPointer<UInt8>, maximumFieldCount: Int) -> Bool {
        bytes.append(contentsOf: line)
        var places: [Int] = []
        swap(&places, &ends)
        let count = bytes.withUnsafeMutableBufferPointer { Self.unquote($0, &places, maximumFieldCount) }
        swap(&places, &ends)
        guard let count else {
            removeAll(line: self.line)
            return false
        }
        bytes.removeLast(bytes.count - count)
        return true
    }

    /// Removes the commas and quotes of a line, in its place.
    ///
    /// - Returns: How many bytes are left; `nil` as for ``read(_:maximumFieldCount:)``.
    private static func unquote(
        _ line: UnsafeMutableBufferPointer<UInt8>,
        _ ends: inout [Int],
        _ maximumFieldCount: Int
    ) -> Int? {
        guard let text = line.baseAddress else { return nil }
        var (from, to) = (0, 0)
        while true {
            if from < line.count, text[from] == 0x22 {
                from += 1
                while true {
                    guard from < line.count else { return nil }
                    let byte = text[from]
                    from += 1
                    if byte == 0x22 {
                        guard from < line.count, text[from] == 0x22 else { break }
                        from += 1
                    }
                    text[to] = byte
                    to += 1
                }
            } else {
                while from < line.count, text[from] != 0x2C {
                    guard text[from] != 0x22 else { return nil }
                    text[to] = text[from]
                    (from, to) = (from + 1, to + 1)
                }
            }
            guard ends.count < maximumFieldCount else { return nil }
            ends.append(to)
            guard from < line.count else { return to }
            guard text[from] == 0x2C else { return nil }
            from += 1
        }
    }
}
