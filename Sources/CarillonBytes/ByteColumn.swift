/// Byte strings of any lengths in one buffer: nothing is allocated for a single one of them.
///
/// A column holds at most 2,147,483,647 bytes. All members that run once per notification are inlinable.
public struct ByteColumn: Hashable, Sendable, RandomAccessCollection {
    @usableFromInline var storage: [UInt8] = []
    @usableFromInline var ends: [Int32] = []

    /// Creates an empty column.
    @inlinable
    public init() {}

    /// Creates a column of elements.
    ///
    /// - Parameter elements: The elements; they are copied.
    @inlinable
    public init(_ elements: some Sequence<[UInt8]>) {
        for element in elements { append(element) }
    }

    /// Creates a column of concatenated elements; `nil` unless the ends ascend from 0 to the number of bytes.
    ///
    /// - Parameters:
    ///   - bytes: The concatenated elements.
    ///   - ends: The end of each element in `bytes`.
    @inlinable
    public init?(bytes: [UInt8], ends: [Int32]) {
        guard Int(ends.last ?? 0) == bytes.count, (ends.first ?? 0) >= 0,
            zip(ends, ends.dropFirst()).allSatisfy({ $0 <= $1 })
        else { return nil }
        (storage, self.ends) = (bytes, ends)
    }

    /// The concatenated elements.
    @inlinable
    public var bytes: [UInt8] { storage }
    /// 0.
    @inlinable
    public var startIndex: Int { 0 }
    /// Number of elements.
    @inlinable
    public var endIndex: Int { ends.count }

    /// The range of an element in ``bytes``.
    ///
    /// - Parameter index: 0 through `count - 1`.
    /// - Returns: The range.
    @inlinable
    public func range(of index: Int) -> Range<Int> { byteRange(of: index, ends) }

    /// The bytes of an element.
    @inlinable
    public subscript(index: Int) -> ArraySlice<UInt8> { storage[range(of: index)] }

    /// Reserves memory.
    ///
    /// - Parameters:
    ///   - count: Number of elements, in all.
    ///   - byteCount: Number of bytes, in all.
    @inlinable
    public mutating func reserveCapacity(_ count: Int, byteCount: Int) {
        ends.reserveCapacity(count)
        storage.reserveCapacity(byteCount)
    }

    /// Appends an element; its bytes are copied.
    @inlinable
    public mutating func append(_ element: some Collection<UInt8>) {
        storage.append(contentsOf: element)
        ends.append(Int32(storage.count))
    }

    /// Appends the elements of another column.
    @inlinable
    public mutating func append(contentsOf other: ByteColumn) {
        let start = Int32(storage.count)
        storage += other.storage
        ends += other.ends.lazy.map { start + $0 }
    }

    /// Appends an element that a closure writes.
    ///
    /// - Parameter write: Appends to ``bytes``, and leaves them unchanged when it throws.
    /// - Returns: The result of the closure.
    /// - Throws: The error of the closure; the column is unchanged then.
    @inlinable
    package mutating func append<Result, Failure: Error>(
        writing write: (inout [UInt8]) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let result = try write(&storage)
        ends.append(Int32(storage.count))
        return result
    }

    /// Replaces bytes by as many others.
    ///
    /// - Parameters:
    ///   - offset: Where they begin in ``bytes``.
    ///   - replacement: The new bytes.
    @inlinable
    package mutating func overwrite(at offset: Int, with replacement: ArraySlice<UInt8>) {
        storage.replaceSubrange(offset..<offset + replacement.count, with: replacement)
    }

    /// A column of some of the elements.
    ///
    /// - Parameter indices: The indices of the elements, each 0 through `count - 1`.
    /// - Returns: The column, in the order of the indices.
    public func picking(_ indices: [Int]) -> ByteColumn {
        var picked = ByteColumn()
        for index in indices { picked.append(self[index]) }
        return picked
    }
}

// MARK: - Memory

extension ByteColumn {
    /// The memory of a column, valid only in ``ByteColumn/withUnsafeView(_:)``.
    @usableFromInline
    package struct UnsafeView {
        @usableFromInline package let bytes: UnsafeRawBufferPointer
        @usableFromInline let ends: UnsafeBufferPointer<Int32>

        @usableFromInline
        init(bytes: UnsafeRawBufferPointer, ends: UnsafeBufferPointer<Int32>) {
            self.bytes = bytes
            self.ends = ends
        }

        /// Whether there are no elements.
        @inlinable
        package var isEmpty: Bool { ends.isEmpty }

        /// The range of an element in ``bytes``.
        @inlinable
        @inline(__always)
        package func range(of index: Int) -> Range<Int> { byteRange(of: index, ends) }
    }

    /// Calls a closure with the column's memory.
    @inlinable
    package func withUnsafeView(_ body: (UnsafeView) -> Void) {
        storage.withUnsafeBytes { bytes in
            ends.withUnsafeBufferPointer { ends in body(UnsafeView(bytes: bytes, ends: ends)) }
        }
    }
}

/// The range of an element, which begins where the one before it ends.
@inlinable
@inline(__always)
func byteRange<Ends: RandomAccessCollection<Int32>>(of index: Int, _ ends: Ends) -> Range<Int>
where Ends.Index == Int {
    (index == 0 ? 0 : Int(ends[index - 1]))..<Int(ends[index])
}
