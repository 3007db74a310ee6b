/// Finds the text in a file's bytes: decompresses gzip, skips a byte order mark, and refuses what is no UTF-8 text.
package struct TextInput {
    /// Why a file is not read at all.
    package enum Objection: Error, Hashable, Sendable, CustomStringConvertible {
        case zip
        case utf16
        /// Compressed otherwise than by gzip, or by gzip twice; the name of the program that unpacks it.
        case compressed(by: String)

        package var description: String {
            switch self {
            case .zip: "it is a zip archive; unpack it, and name the files inside"
            case .utf16: "it is in UTF-16; save it as UTF-8"
            case .compressed(let program): "it is compressed by \(program); unpack it, or compress it by gzip once"
            }
        }
    }

    private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]
    /// How files begin that are compressed otherwise; in a decompressed text, gzip's own mark says that it was done twice.
    private static let compressors: [(head: [UInt8], program: String)] = [
        ([0x1F, 0x8B], "gzip twice"), ([0x28, 0xB5, 0x2F, 0xFD], "zstd"), ([0xFD, 0x37, 0x7A, 0x58], "xz"),
        ([0x42, 0x5A, 0x68], "bzip2"),
    ]

    /// The bytes that decide, of the file and of its text, until there are enough of them.
    private var fileHead: [UInt8]? = []
    private var textHead: [UInt8]? = []
    private var gzip: GzipReader?

    package init() {}

    /// Reads the next bytes of the file.
    ///
    /// - Parameters:
    ///   - bytes: Any part of it.
    ///   - body: Receives text.
    /// - Throws: ``Objection``, ``GzipReader/Damage``, and errors of `body`.
    package mutating func read(
        _ bytes: UnsafeBufferPointer<UInt8>,
        _ body: (UnsafeBufferPointer<UInt8>) throws -> Void
    ) throws {
        guard !bytes.isEmpty else { return }
        guard var head = fileHead else { return try decode(bytes, body) }
        // Two bytes tell gzip from text, and a file may come byte by byte.
        let missing = max(0, 2 - head.count)
        head.append(contentsOf: bytes.prefix(missing))
        fileHead = head
        guard head.count >= 2 else { return }
        try release(head, body)
        try decode(UnsafeBufferPointer(rebasing: bytes.dropFirst(missing)), body)
    }

    /// Whether the file is compressed.
    package var isCompressed: Bool { gzip != nil }

    /// Reads the end of the file.
    ///
    /// - Throws: As ``read(_:_:)``; ``GzipReader/Damage/cutOff`` when the file ends too early.
    package mutating func finish(_ body: (UnsafeBufferPointer<UInt8>) throws -> Void) throws {
        if let head = fileHead { try release(head, body) }
        if let head = textHead, !head.isEmpty {
            textHead = nil
            if head != Self.byteOrderMark { try head.withUnsafeBufferPointer(body) }
        }
        try gzip?.finish()
    }

    // MARK: - Private

    private mutating func release(
        _ head: [UInt8],
        _ body: (UnsafeBufferPointer<UInt8>) throws -> Void
    ) throws {
        fileHead = nil
        if head.starts(with: [0x1F, 0x8B]) { gzip = GzipReader() }
        try head.withUnsafeBufferPointer { try decode($0, body) }
    }

    private mutating func decode(
        _ bytes: UnsafeBufferPointer<UInt8>,
        _ body: (UnsafeBufferPointer<UInt8>) throws -> Void
    ) throws {
        guard !bytes.isEmpty else { return }
        guard let gzip else { return try pass(bytes, body) }
        try gzip.read(bytes) { try pass($0, body) }
    }

    /// Passes text on, after a look at its first four bytes.
    private mutating func pass(
        _ text: UnsafeBufferPointer<UInt8>,
        _ body: (UnsafeBufferPointer<UInt8>) throws -> Void
    ) throws {
        guard var head = textHead else { return try body(text) }
        let missing = max(0, 4 - head.count)
        head.append(contentsOf: text.prefix(missing))
        textHead = head
        guard head.count >= 4 else { return }
        textHead = nil
        if head.starts(with: [0x50, 0x4B, 0x03, 0x04]) { throw Objection.zip }
        if let program = Self.compressors.first(where: { head.starts(with: $0.head) })?.program {
            throw Objection.compressed(by: program)
        }
        if head.starts(with: [0xFF, 0xFE]) || head.starts(with: [0xFE, 0xFF]) || head[..<2].contains(0) {
            throw Objection.utf16
        }
        if head.starts(with: Self.byteOrderMark) { head.removeFirst(3) }
        try head.withUnsafeBufferPointer(body)
        let rest = text.dropFirst(missing)
        if !rest.isEmpty { try body(UnsafeBufferPointer(rebasing: rest)) }
    }
}
