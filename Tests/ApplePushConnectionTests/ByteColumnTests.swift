import CarillonBytes
import Testing

@Suite struct ByteColumnTests {
    @Test("A column has its elements, whichever way they came in")
    func elements() throws {
        let elements: [[UInt8]] = [[1, 2], [], [3], [4, 5, 6]]
        var column = ByteColumn(elements.prefix(1))
        column.append(contentsOf: ByteColumn(elements[1...2]))
        let offset = column.append { bytes in
            bytes += [4, 5, 7]
            return bytes.count
        }
        column.overwrite(at: offset - 1, with: [6])

        #expect(column.map(Array.init) == elements)
        #expect(column == ByteColumn(bytes: [1, 2, 3, 4, 5, 6], ends: [2, 2, 3, 6]))
        #expect(column.picking([3, 0, 1]) == ByteColumn([[4, 5, 6], [1, 2], []]))
        #expect(ByteColumn().isEmpty && ByteColumn(bytes: [], ends: []) == ByteColumn())
    }

    @Test("What fails to be written leaves the column as it was")
    func failure() {
        struct Refusal: Error {}
        var column = ByteColumn([[1], [2]])
        #expect(throws: Refusal.self) { try column.append { (_) throws(Refusal) in throw Refusal() } }
        #expect(column == ByteColumn([[1], [2]]))
    }

    @Test("Ends that do not ascend to the last byte are refused", arguments: [[2, 4], [-1, 5], [3, 2, 5], [6], []])
    func badEnds(ends: [Int32]) {
        #expect(ByteColumn(bytes: [1, 2, 3, 4, 5], ends: ends) == nil)
    }

    @Test("The memory of a column has the same ranges")
    func view() {
        let column = ByteColumn([[1, 2], [], [3]])
        column.withUnsafeView { view in
            #expect(!view.isEmpty && column.indices.allSatisfy { view.range(of: $0) == column.range(of: $0) })
            #expect(Array(view.bytes) == column.bytes)
        }
    }
}
