import CarillonModel
import CarillonReaders

/// Answers of TDX, each a page of an array, put together into one file.
package struct TDXFile: Sendable {
    /// Why a page is not added.
    package struct Problem: Error, Hashable, Sendable {
        package var sentence: String
    }

    private let limit: Int
    private var kinds: [(name: String, elements: [UInt8])] = []
    private var size = 0

    /// - Parameter limit: Maximum bytes of all pages.
    package init(limit: Int) { self.limit = limit }

    /// Begins the array of a kind.
    package mutating func begin(_ kind: String) { kinds.append((kind, [])) }

    /// Adds a page to the array that was begun last.
    ///
    /// - Returns: How many elements it has.
    package mutating func append(_ page: [UInt8]) throws(Problem) -> Int {
        let isSpace = { (byte: UInt8) in byte == 0x20 || (0x09...0x0D).contains(byte) }
        let page = page.starts(with: [0xEF, 0xBB, 0xBF]) ? page[3...] : page[...]
        let text = page.drop(while: isSpace).reversed().drop(while: isSpace).reversed()
        guard text.first == UInt8(ascii: "["), text.last == UInt8(ascii: "]") else {
            throw Problem(sentence: "The answer is no array of JSON.")
        }
        let count = Self.count(Array(text))
        size += text.count
        guard size <= limit else { throw Problem(sentence: "The answers have more than \(limit) bytes.") }
        guard count > 0, let last = kinds.indices.last else { return count }
        if !kinds[last].elements.isEmpty { kinds[last].elements.append(UInt8(ascii: ",")) }
        kinds[last].elements += text.dropFirst().dropLast()
        return count
    }

    /// The array that was begun last.
    package var array: [UInt8] { Self.brackets(kinds.last?.elements ?? []) }

    /// An object with the arrays by kind.
    package var object: [UInt8] {
        var object: [UInt8] = [UInt8(ascii: "{")]
        for (index, kind) in kinds.enumerated() {
            object += (index == 0 ? "\"\(kind.name)\":" : ",\"\(kind.name)\":").utf8
            object += Self.brackets(kind.elements)
        }
        return object + [UInt8(ascii: "}")]
    }

    private static func brackets(_ elements: [UInt8]) -> [UInt8] {
        [UInt8(ascii: "[")] + elements + [UInt8(ascii: "]")]
    }

    /// How many objects an array has, broken ones included.
    private static func count(_ text: [UInt8]) -> Int {
        var reader = ObjectReader(wanted: [], envelopes: [])
        var count = 0
        func note(_ item: ObjectReader.Item) {
            if case .names = item { return }
            count += 1
        }
        text.withUnsafeBufferPointer { reader.read($0, note) }
        reader.finish(note)
        return count
    }
}
