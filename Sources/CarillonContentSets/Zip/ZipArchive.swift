import CZip

/// Reads the files of a zip archive in memory, part by part, within limits.
///
/// Not safe to use from several threads at once; a `class`, because libzip keeps the address of its state.
package final class ZipArchive {
    /// How much an archive may contain.
    package struct Limits: Hashable, Sendable {
        /// Maximum number of entries.
        package var entryCount = 1_000
        /// Maximum bytes of an unpacked entry.
        package var entrySize: UInt64 = 1 << 30
        /// Maximum bytes that are unpacked of one archive.
        package var totalSize: UInt64 = 2 << 30
        /// How many times more bytes an entry may have unpacked, when it has more than ``freeSize``.
        package var ratio: UInt64 = 200
        /// Unpacked bytes for which no ratio holds.
        package var freeSize: UInt64 = 1 << 20

        package init() {}
    }

    /// Why an archive is not read, or not read further.
    package enum Failure: Error, Hashable, Sendable, CustomStringConvertible {
        /// It is no zip archive, or its directory is damaged.
        case damaged
        case tooManyEntries(limit: Int)
        case entryTooLarge(name: String, limit: UInt64)
        case archiveTooLarge(limit: UInt64)
        /// An entry unpacks to suspiciously many bytes.
        case ratioTooHigh(name: String, limit: UInt64)
        /// An entry is encrypted or has an unknown method.
        case unreadable(name: String)
        /// An entry's bytes or its checksum are wrong.
        case corrupt(name: String)

        package var description: String {
            switch self {
            case .damaged: "is no zip archive, or it is damaged"
            case .tooManyEntries(let limit): "has more than \(limit) files"
            case .entryTooLarge(let name, let limit): "has a file \(name) of more than \(limit) bytes"
            case .archiveTooLarge(let limit): "unpacks to more than \(limit) bytes"
            case .ratioTooHigh(let name, let limit):
                "has a file \(name) that unpacks to more than \(limit) times its size"
            case .unreadable(let name): "has a file \(name) that is encrypted or packed in an unknown way"
            case .corrupt(let name): "has a damaged file \(name)"
            }
        }
    }

    private static let partSize = 1 << 16

    private let archive: OpaquePointer
    /// Owned: libzip reads it until the archive is closed.
    private let bytes: UnsafeMutableBufferPointer<UInt8>
    private let limits: Limits
    private var unpacked: UInt64 = 0

    /// The entries' names as they are written, of files only.
    package let names: [String]
    private let indexes: [String: UInt64]

    /// Opens an archive.
    ///
    /// - Parameters:
    ///   - archive: The archive's bytes.
    ///   - limits: How much it may contain.
    /// - Throws: ``Failure``.
    package init(_ archive: some Collection<UInt8>, limits: Limits = Limits()) throws(Failure) {
        self.limits = limits
        let bytes = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: max(1, archive.count))
        _ = bytes.initialize(from: archive)
        self.bytes = bytes
        guard let opened = Self.open(bytes, count: archive.count) else {
            bytes.deallocate()
            throw .damaged
        }
        let count = zip_get_num_entries(opened, 0)
        guard count >= 0, count <= limits.entryCount else {
            zip_discard(opened)
            bytes.deallocate()
            throw count < 0 ? .damaged : .tooManyEntries(limit: limits.entryCount)
        }
        var names: [String] = []
        var indexes: [String: UInt64] = [:]
        for index in 0..<UInt64(count) {
            guard let text = zip_get_name(opened, index, zip_flags_t(ZIP_FL_ENC_GUESS)) else { continue }
            let name = String(cString: text)
            guard !name.hasSuffix("/"), indexes[name] == nil else { continue }
            names.append(name)
            indexes[name] = index
        }
        (self.archive, self.names, self.indexes) = (opened, names, indexes)
    }

    deinit {
        // Nothing was changed, so nothing is written.
        zip_discard(archive)
        bytes.deallocate()
    }

    /// Whether there is a file, also in one folder around all files.
    package func contains(_ name: String) -> Bool { index(of: name) != nil }

    /// Reads a file.
    ///
    /// - Parameters:
    ///   - name: Its name, at the top or in a folder.
    ///   - body: Receives its bytes, part by part.
    /// - Returns: False when there is no such file.
    /// - Throws: ``Failure``, after `body` received what is before the damage or the limit; errors of `body`.
    package func read(_ name: String, _ body: (UnsafeBufferPointer<UInt8>) throws -> Void) throws -> Bool {
        guard let index = index(of: name) else { return false }
        var stat = zip_stat_t()
        guard zip_stat_index(archive, index, 0, &stat) == 0 else { throw Failure.unreadable(name: name) }
        // The directory may lie: it only refuses early, the bytes are counted below.
        guard stat.size <= limits.entrySize else {
            throw Failure.entryTooLarge(name: name, limit: limits.entrySize)
        }
        guard let file = zip_fopen_index(archive, index, 0) else { throw Failure.unreadable(name: name) }
        defer { zip_fclose(file) }
        let packed = min(stat.comp_size, UInt64(bytes.count))
        try read(file, name, packed: packed, body)
        return true
    }

    // MARK: - Private

    private func read(
        _ file: OpaquePointer,
        _ name: String,
        packed: UInt64,
        _ body: (UnsafeBufferPointer<UInt8>) throws -> Void
    ) throws {
        let part = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: Self.partSize)
        defer { part.deallocate() }
        var size: UInt64 = 0
        while true {
            let count = zip_fread(file, part.baseAddress, UInt64(Self.partSize))
            guard count >= 0 else { throw Failure.corrupt(name: name) }
            guard count > 0 else { return }
            size += UInt64(count)
            unpacked += UInt64(count)
            guard size <= limits.entrySize else { throw Failure.entryTooLarge(name: name, limit: limits.entrySize) }
            guard unpacked <= limits.totalSize else { throw Failure.archiveTooLarge(limit: limits.totalSize) }
            guard size <= limits.freeSize || size / limits.ratio <= packed else {
                throw Failure.ratioTooHigh(name: name, limit: limits.ratio)
            }
            try body(UnsafeBufferPointer(rebasing: part[..<Int(count)]))
        }
    }

    private func index(of name: String) -> UInt64? {
        if let index = indexes[name] { return index }
        // Feeds are sometimes packed with the folder that they were in.
        let inFolder = names.filter { $0.hasSuffix("/" + name) && $0.count(where: { $0 == "/" }) == 1 }
        return inFolder.count == 1 ? indexes[inFolder[0]] : nil
    }

    private static func open(_ bytes: UnsafeMutableBufferPointer<UInt8>, count: Int) -> OpaquePointer? {
        var error = zip_error_t()
        zip_error_init(&error)
        defer { zip_error_fini(&error) }
        guard let source = zip_source_buffer_create(bytes.baseAddress, UInt64(count), 0, &error) else { return nil }
        guard let archive = zip_open_from_source(source, ZIP_RDONLY | ZIP_CHECKCONS, &error) else {
            zip_source_free(source)
            return nil
        }
        return archive
    }
}
