import ApplePush

/// Encodes the header blocks of requests (HPACK, RFC 7541).
///
/// The first request of a batch inserts the common fields into the dynamic table, after which each costs one byte. Only
/// path and `apns-id` differ; they are raw literals that are not indexed. So a block is two constant pieces around the
/// path, followed by the id, and writing one is copying bytes.
struct HeaderBlockEncoder {
    private typealias Field = (name: String, value: String)

    /// The block up to the index of the name `:path`, inclusive.
    private(set) var beforePath: [UInt8] = []
    /// The block after the path's value up to the length of the id's value, inclusive.
    private(set) var afterPath: [UInt8] = []
    /// The size of the header list by RFC 9113 §6.5.2, without the device token's digits.
    private(set) var listSize = 0
    /// Whether the pieces may be used repeatedly; if not, call ``blockWasSent()`` after one use.
    private(set) var isSteady = false

    private static let sampleID = String(repeating: "0", count: 36)

    private let devicePath = Array(ProviderAPI.devicePath.utf8)
    private let authority: String
    /// The peer's table now, and after the prepared block has arrived.
    private var sentTable = HeaderTable()
    private var table = HeaderTable()
    private var headers: RequestHeaders?
    private var token: ProviderToken?
    private var fields: [Field] = []
    /// The smallest size of the table since the last block, if it changed: the next block must announce it.
    private var smallestSize: Int?

    init(authority: String) {
        self.authority = authority
    }

    /// Prepares for requests with these headers; cheap when they are unchanged.
    mutating func select(_ newHeaders: RequestHeaders, _ newToken: ProviderToken?) {
        if headers == newHeaders, token == newToken { return }
        headers = newHeaders
        token = newToken
        fields = (newToken.map { [("authorization", "bearer " + $0.rawValue)] } ?? []) + newHeaders.fields
        let constant: [Field] = [(":method", "POST"), (":scheme", "https"), (":authority", authority)] + fields
        let varying: [Field] = [(":path", ProviderAPI.devicePath), ("apns-id", Self.sampleID)]
        listSize = (constant + varying).reduce(0) { $0 + HeaderTable.size($1.name, $1.value) }
        encode()
    }

    /// Switches to the short form after the long one was sent.
    mutating func blockWasSent() {
        sentTable = table
        smallestSize = nil
        encode()
    }

    /// Applies the peer's `SETTINGS_HEADER_TABLE_SIZE`.
    mutating func resizeTable(limit: Int) {
        let size = min(limit, HeaderTable.preferredSize)
        guard size != sentTable.maximumSize else { return }
        smallestSize = min(smallestSize ?? size, size)
        sentTable.resize(to: size)
        if headers != nil { encode() }
    }

    /// Calls a closure with the bytes before the path's value, the constant prefix of that value, and the bytes after
    /// it.
    func withPieces<Result>(
        _ body: (UnsafeRawBufferPointer, UnsafeRawBufferPointer, UnsafeRawBufferPointer) -> Result
    ) -> Result {
        beforePath.withUnsafeBytes { beforePath in
            devicePath.withUnsafeBytes { devicePath in
                afterPath.withUnsafeBytes { afterPath in body(beforePath, devicePath, afterPath) }
            }
        }
    }

    // MARK: - Private

    /// Builds the two pieces from the current table.
    ///
    /// When a field must be inserted, the pieces may be used once, and the insertion takes effect only when they were
    /// sent.
    private mutating func encode() {
        table = sentTable
        var writer = HPACKWriter()
        isSteady = writeSizeUpdates(&writer)
        writer.writeIndexed(3)  // :method POST
        writer.writeIndexed(7)  // :scheme https
        write((":authority", authority), staticName: 1, &writer)
        writer.writeInteger(4, prefix: 4, flags: 0)  // :path, literal without indexing
        beforePath = writer.bytes

        writer = HPACKWriter()
        for field in fields {
            write(field, staticName: field.name == "authorization" ? 23 : nil, &writer)
        }
        writeIDName(&writer)
        writer.writeInteger(36, prefix: 7, flags: 0)
        afterPath = writer.bytes
    }

    /// Announces a changed table size (RFC 7541 §4.2); returns whether there was none to announce.
    private func writeSizeUpdates(_ writer: inout HPACKWriter) -> Bool {
        guard let smallestSize else { return true }
        if smallestSize < table.maximumSize { writer.writeInteger(smallestSize, prefix: 5, flags: 0x20) }
        writer.writeInteger(table.maximumSize, prefix: 5, flags: 0x20)
        return false
    }

    private mutating func write(_ field: Field, staticName: Int?, _ writer: inout HPACKWriter) {
        if let index = table.index(of: field.name, field.value) {
            writer.writeIndexed(index)
        } else if HeaderTable.size(field.name, field.value) <= table.maximumSize / 2 {
            writer.writeLiteral(field, nameIndex: staticName ?? table.index(of: field.name), prefix: 6, flags: 0x40)
            table.insert(field.name, field.value)
            isSteady = false
        } else {
            writer.writeLiteral(field, nameIndex: staticName ?? table.index(of: field.name), prefix: 4, flags: 0)
        }
    }

    /// The name of `apns-id` is indexed once, its values never, as Apple advises.
    private mutating func writeIDName(_ writer: inout HPACKWriter) {
        if let index = table.index(of: "apns-id") {
            writer.writeInteger(index, prefix: 4, flags: 0)
        } else if isSteady || HeaderTable.size("apns-id", Self.sampleID) > table.maximumSize / 2 {
            writer.writeInteger(0, prefix: 4, flags: 0)
            writer.write(string: "apns-id")
        } else {
            // The caller writes a real id here; its value is never looked up, so our table need not have it.
            writer.writeInteger(0, prefix: 6, flags: 0x40)
            writer.write(string: "apns-id")
            table.insert("apns-id", Self.sampleID)
        }
    }
}

/// Writes HPACK's representations, without Huffman coding: it would save bytes once but cost time for each block.
struct HPACKWriter {
    private(set) var bytes: [UInt8] = []

    mutating func writeIndexed(_ index: Int) {
        writeInteger(index, prefix: 7, flags: 0x80)
    }

    mutating func writeLiteral(_ field: (name: String, value: String), nameIndex: Int?, prefix: Int, flags: UInt8) {
        writeInteger(nameIndex ?? 0, prefix: prefix, flags: flags)
        if nameIndex == nil { write(string: field.name) }
        write(string: field.value)
    }

    mutating func write(string: String) {
        writeInteger(string.utf8.count, prefix: 7, flags: 0)
        bytes.append(contentsOf: string.utf8)
    }

    /// RFC 7541 §5.1.
    mutating func writeInteger(_ value: Int, prefix: Int, flags: UInt8) {
        let limit = (1 << prefix) - 1
        guard value >= limit else {
            bytes.append(flags | UInt8(value))
            return
        }
        bytes.append(flags | UInt8(limit))
        var rest = value - limit
        while rest >= 128 {
            bytes.append(UInt8(rest & 127 | 128))
            rest >>= 7
        }
        bytes.append(UInt8(rest))
    }
}
