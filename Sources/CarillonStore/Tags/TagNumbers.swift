import CarillonSQL
import StoreErrors

/// Which tags a User has, by their numbers, as `devices.tags` and `user_tags.tags` keep them.
///
/// A number counts only while its tag is there.
struct TagNumbers: Hashable, Sendable {
    /// Ascending, each once.
    let numbers: [Int64]

    static let none = TagNumbers([])

    init(_ numbers: some Sequence<Int64>) {
        let numbers = Array(numbers)
        let isInOrder = zip(numbers, numbers.dropFirst()).allSatisfy { $0 < $1 }
        self.numbers = isInOrder ? numbers : Set(numbers).sorted()
    }

    /// Reads a column; null means none, and what is no number is passed over.
    init(stored text: String?) {
        self.init(text?.split(separator: ",").compactMap { Int64($0) } ?? [])
    }

    /// The text for the column; `nil` for none.
    var stored: String? { numbers.isEmpty ? nil : numbers.map(String.init).joined(separator: ",") }
}

extension TagNumbers: SQLReadable {
    static func read(_ row: any SQLStatement, at column: Int) throws(StoreError) -> TagNumbers {
        TagNumbers(stored: try String?.read(row, at: column))
    }
}
