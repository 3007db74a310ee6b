/// Rows in the binary form of PostgreSQL's COPY.
///
/// A header, then for each row the number of its fields and each field's length and bytes, then a trailer; integers are
/// big-endian. See PostgreSQL's page on COPY, "Binary Format".
package struct CopiedRows {
    private var bytes: [UInt8] = Array("PGCOPY\n".utf8) + [0xFF, 0x0D, 0x0A, 0, 0, 0, 0, 0, 0, 0, 0, 0]
    private let fieldCount: Int16

    /// - Parameters:
    ///   - fieldCount: The number of fields of each row.
    ///   - capacity: The approximate number of bytes.
    package init(fieldCount: Int16, capacity: Int) {
        self.fieldCount = fieldCount
        bytes.reserveCapacity(capacity)
    }

    package mutating func beginRow() { append(fieldCount) }

    /// A `BIGINT`.
    package mutating func add(_ number: Int64) {
        append(Int32(8))
        append(number)
    }

    /// A `BIGINT`; null for `nil`.
    package mutating func add(_ number: Int64?) {
        guard let number else { return add(nil as String?) }
        add(number)
    }

    /// A `SMALLINT`.
    package mutating func add(small number: Int64) {
        append(Int32(2))
        append(Int16(truncatingIfNeeded: number))
    }

    /// A `TEXT`; null for `nil`.
    package mutating func add(_ text: String?) {
        guard var text else { return append(Int32(-1)) }
        text.withUTF8 { text in
            append(Int32(text.count))
            bytes.append(contentsOf: text)
        }
    }

    /// A `BYTEA`; null for `nil`.
    package mutating func add(_ value: [UInt8]?) {
        guard let value else { return append(Int32(-1)) }
        append(Int32(value.count))
        bytes.append(contentsOf: value)
    }

    /// All bytes, with the trailer.
    consuming func finished() -> [UInt8] {
        append(Int16(-1))
        return bytes
    }

    private mutating func append(_ number: some FixedWidthInteger) {
        withUnsafeBytes(of: number.bigEndian) { bytes.append(contentsOf: $0) }
    }
}
