/// Where a model's moves come from: bytes, so that a generator's and a fuzzer's runs are the same, and can be kept.
struct Choices {
    private var bytes: ArraySlice<UInt8>

    init(_ bytes: some Sequence<UInt8>) {
        self.bytes = ArraySlice(Array(bytes))
    }

    var isEmpty: Bool { bytes.isEmpty }

    /// The next byte; 0 when there is none left.
    mutating func byte() -> Int { Int(bytes.popFirst() ?? 0) }

    /// A number from 0 to below `limit`, at most 256.
    mutating func below(_ limit: Int) -> Int { byte() % max(limit, 1) }

    /// One of some values.
    mutating func pick<Value>(_ values: [Value]) -> Value { values[below(values.count)] }

    mutating func number() -> UInt32 {
        (0..<4).reduce(0) { number, _ in number << 8 | UInt32(byte()) }
    }

    /// True `chance` times in 256.
    mutating func isTrue(_ chance: Int) -> Bool { byte() < chance }

    mutating func take(_ count: Int) -> [UInt8] {
        let taken = bytes.prefix(count)
        bytes = bytes.dropFirst(count)
        return Array(taken)
    }
}
