import CLibpq
import Foundation
package import StoreErrors

/// A prepared statement of one session, with its bound values and the result of its last run.
///
/// All values use PostgreSQL's binary form.
package final class PostgreSQLStatement: SQLStatement {
    /// A parameter's bytes, at a stable address.
    private struct Slot {
        var type: PostgreSQLType
        var memory: UnsafeMutableRawPointer?
        var capacity = 0
        var count = 0
        var isNull = true
        /// Some values are sent as text, where the type differs from the bound value's.
        var isText = false
    }

    let name: String
    let text: String
    /// Whether running it may write.
    let isReadOnly: Bool
    private unowned let connection: PostgreSQLConnection
    private var slots: [Slot]
    private let columns: [PostgreSQLType]
    private var pointers: [UnsafePointer<CChar>?]
    private var lengths: [Int32]
    private var formats: [Int32]
    private var result: OpaquePointer?
    private var row: Int32 = -1
    private var rowCount: Int32 = 0

    /// Creates a statement with the types of a `PQdescribePrepared` result.
    init(
        _ name: String,
        _ text: String,
        isReadOnly: Bool,
        description: OpaquePointer,
        of connection: PostgreSQLConnection
    ) {
        self.name = name
        self.text = text
        self.isReadOnly = isReadOnly
        self.connection = connection
        slots = (0..<PQnparams(description)).map { Slot(type: PostgreSQLType(PQparamtype(description, $0))) }
        columns = (0..<PQnfields(description)).map { PostgreSQLType(PQftype(description, $0)) }
        pointers = Array(repeating: nil, count: slots.count)
        lengths = Array(repeating: 0, count: slots.count)
        formats = Array(repeating: 1, count: slots.count)
    }

    deinit {
        for slot in slots { slot.memory?.deallocate() }
        PQclear(result)
    }

    var isReading: Bool { result != nil }

    /// Passes the statement with its bound values to libpq, which copies them.
    ///
    /// - Returns: libpq's answer, 1 on success.
    func send(on session: OpaquePointer) -> Int32 {
        for index in slots.indices {
            let slot = slots[index]
            pointers[index] =
                slot.isNull ? nil : slot.memory.map { UnsafePointer($0.assumingMemoryBound(to: CChar.self)) }
            lengths[index] = Int32(slot.count)
            formats[index] = slot.isText ? 0 : 1
        }
        return PQsendQueryPrepared(session, name, Int32(slots.count), pointers, lengths, formats, 1)
    }

    // MARK: - Binding

    package func bind(_ value: Int64, at index: Int) {
        switch slots[index - 1].type {
        case .int8: put(value, at: index)
        case .int4:
            if let value = Int32(exactly: value) { put(value, at: index) } else { putText("\(value)", at: index) }
        case .int2:
            if let value = Int16(exactly: value) { put(value, at: index) } else { putText("\(value)", at: index) }
        case .float8: put(Double(value).bitPattern, at: index)
        case .float4: put(Float(value).bitPattern, at: index)
        case .bool: put(UInt8(value == 0 ? 0 : 1), at: index)
        case .numeric, .text, .bytes, .other: putText("\(value)", at: index)
        }
    }

    package func bind(_ value: Double, at index: Int) {
        switch slots[index - 1].type {
        case .float8: put(value.bitPattern, at: index)
        case .float4: put(Float(value).bitPattern, at: index)
        case .int8, .int4, .int2, .bool, .numeric, .text, .bytes, .other: putText("\(value)", at: index)
        }
    }

    package func bind(_ value: String, at index: Int) {
        var value = value
        switch slots[index - 1].type {
        // The one character that PostgreSQL cannot store in a text is replaced by its symbol.
        case .text where value.utf8.contains(0): value = value.replacingOccurrences(of: "\0", with: "\u{2400}")
        case .text, .bytes: break
        case .int8, .int4, .int2, .float8, .float4, .bool, .numeric, .other: return putText(value, at: index)
        }
        value.withUTF8 { put(UnsafeRawBufferPointer($0), at: index) }
    }

    package func bind(_ bytes: UnsafeRawBufferPointer, at index: Int) { put(bytes, at: index) }

    package func bindNull(at index: Int) { slots[index - 1].isNull = true }

    package func bind(_ values: some Collection<Int64>, at index: Int) {
        let width = slots[index - 1].type.elementWidth
        let count = values.count
        var place = room(20 + count * (4 + width), at: index)
        func write<Word: FixedWidthInteger>(_ word: Word) {
            place.storeBytes(of: word.bigEndian, as: Word.self)
            place += MemoryLayout<Word>.size
        }
        // Dimensions, no nulls, the elements' type, their number, the first index.
        for word in [count == 0 ? 0 : 1, 0, Int32(slots[index - 1].type.elementID)] as [Int32] { write(word) }
        slots[index - 1].count = 12
        guard count > 0 else { return }
        slots[index - 1].count = 20 + count * (4 + width)
        write(Int32(count))
        write(Int32(1))
        for value in values {
            write(Int32(width))
            switch width {
            case 2: write(Int16(truncatingIfNeeded: value))
            case 4: write(Int32(truncatingIfNeeded: value))
            default: write(value)
            }
        }
    }

    package func bind(_ values: some Collection<[UInt8]>, at index: Int) {
        let size = values.reduce(20) { $0 + 4 + $1.count }
        var place = room(size, at: index)
        func write(_ word: Int32) {
            place.storeBytes(of: word.bigEndian, as: Int32.self)
            place += 4
        }
        for word in [values.isEmpty ? 0 : 1, 0, Int32(slots[index - 1].type.elementID)] as [Int32] { write(word) }
        slots[index - 1].count = values.isEmpty ? 12 : size
        guard !values.isEmpty else { return }
        write(Int32(values.count))
        write(1)
        for value in values {
            write(Int32(value.count))
            value.withUnsafeBytes {
                if let address = $0.baseAddress { place.copyMemory(from: address, byteCount: $0.count) }
            }
            place += value.count
        }
    }

    // MARK: - Running

    package func next() throws(StoreError) -> Bool {
        if result == nil {
            let result = try connection.run(self)
            self.result = result
            row = -1
            rowCount = PQntuples(result)
        }
        row += 1
        guard row < rowCount else {
            reset()
            return false
        }
        return true
    }

    package func send() throws(StoreError) { try connection.send(self) }

    package func reset() {
        PQclear(result)
        result = nil
    }

    // MARK: - Reading

    package func isNull(_ column: Int) -> Bool { PQgetisnull(result, row, Int32(column)) == 1 }

    package func int64(_ column: Int) -> Int64 {
        let bytes = bytes(column)
        guard !bytes.isEmpty else { return 0 }
        return columns[column].int64(bytes)
    }

    package func double(_ column: Int) -> Double {
        let bytes = bytes(column)
        guard !bytes.isEmpty else { return 0 }
        return columns[column].double(bytes)
    }

    package func string(_ column: Int) -> String {
        let bytes = bytes(column)
        switch columns[column] {
        case .text, .bytes, .other: return String(decoding: bytes, as: UTF8.self)
        case .int8, .int4, .int2, .bool: return isNull(column) ? "" : "\(int64(column))"
        case .float8, .float4, .numeric: return isNull(column) ? "" : "\(double(column))"
        }
    }

    package func bytes(_ column: Int) -> UnsafeRawBufferPointer {
        let count = Int(PQgetlength(result, row, Int32(column)))
        return UnsafeRawBufferPointer(start: PQgetvalue(result, row, Int32(column)), count: count)
    }

    // MARK: - Private

    private func put<Word: FixedWidthInteger>(_ word: Word, at index: Int) {
        room(MemoryLayout<Word>.size, at: index).storeBytes(of: word.bigEndian, as: Word.self)
    }

    private func put(_ bytes: UnsafeRawBufferPointer, at index: Int) {
        let place = room(bytes.count, at: index)
        if let address = bytes.baseAddress { place.copyMemory(from: address, byteCount: bytes.count) }
    }

    private func putText(_ text: String, at index: Int) {
        var text = text + "\0"
        text.withUTF8 { put(UnsafeRawBufferPointer($0), at: index) }
        slots[index - 1].isText = true
    }

    /// The parameter's memory, with room for a number of bytes.
    private func room(_ count: Int, at index: Int) -> UnsafeMutableRawPointer {
        let place = index - 1
        slots[place].isNull = false
        slots[place].isText = false
        slots[place].count = count
        if let memory = slots[place].memory, slots[place].capacity >= count { return memory }
        slots[place].memory?.deallocate()
        let capacity = max(16, count + count / 2)
        let memory = UnsafeMutableRawPointer.allocate(byteCount: capacity, alignment: 8)
        slots[place].memory = memory
        slots[place].capacity = capacity
        return memory
    }
}
