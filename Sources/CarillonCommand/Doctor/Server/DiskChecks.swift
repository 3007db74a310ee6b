import Foundation

/// The state of a server's data folder and its disk.
struct DiskState: Hashable, Sendable {
    var path: String
    var exists = true
    var isWritable = true
    /// Space available to this user, and the size of the disk, in bytes; `nil` where the system does not report it.
    var free: Int64?
    var capacity: Int64?
    /// The sizes of the database file and its write-ahead log in bytes; `nil` when missing.
    var database: Int64?
    var log: Int64?

    init(path: String) { self.path = path }

    /// Reads the state of a server's folder.
    ///
    /// - Parameters:
    ///   - folder: The data folder.
    ///   - file: The database file; `nil` when the store is not a file.
    init(folder: URL, database file: String?) {
        path = folder.path
        exists = FileManager.default.fileExists(atPath: path)
        isWritable = access(path, W_OK | X_OK) == 0
        var place = folder
        while !FileManager.default.fileExists(atPath: place.path), place.pathComponents.count > 1 {
            place.deleteLastPathComponent()
        }
        var status = statvfs()
        if statvfs(place.path, &status) == 0 {
            free = Int64(clamping: UInt64(status.f_bavail) * UInt64(status.f_frsize))
            capacity = Int64(clamping: UInt64(status.f_blocks) * UInt64(status.f_frsize))
        }
        guard let file else { return }
        database = Self.size(file)
        log = Self.size(file + "-wal")
    }

    private static func size(_ path: String) -> Int64? {
        (try? FileManager.default.attributesOfItem(atPath: path)[.size] as? Int64) ?? nil
    }
}

extension [ServerFinding] {
    /// Below this many bytes a server will soon refuse writes.
    private static var leastFree: Int64 { 256 << 20 }
    /// Below this many bytes there is a warning.
    private static var littleFree: Int64 { 2 << 30 }
    /// A write-ahead log is truncated at 256 MiB; one that is twice as large cannot be truncated.
    private static var largeLog: Int64 { 512 << 20 }

    /// The finding for the data folder's state.
    static func disk(_ state: DiskState) -> Self {
        var findings: Self = []
        if !state.exists {
            findings.append(
                .warning(.dataFolder, "\(state.path) does not exist.", "The first start of carillon serve creates it.")
            )
        } else if !state.isWritable {
            findings.append(
                .problem(
                    .dataFolder,
                    "\(state.path) cannot be written by this user.",
                    "Run as the server's user, or: chown -R carillon \(state.path)"
                )
            )
        } else {
            findings.append(.ok(.dataFolder, "\(state.path) can be written."))
        }
        if let free = state.free { findings.append(space(free, state)) }
        if let log = state.log { findings.append(self.log(log)) }
        return findings
    }

    private static func space(_ free: Int64, _ state: DiskState) -> ServerFinding {
        let text = "\(mebibytes(free)) MiB are free" + (state.capacity.map { " of \(mebibytes($0))." } ?? ".")
        let advice = "Make room, or move the folder to a larger disk: a full one answers 507 and stops campaigns."
        if free < leastFree { return .problem(.diskSpace, text, advice) }
        // A backup or a rebuilt index needs about as much space as the database.
        if free < Swift.max(littleFree, state.database ?? 0) { return .warning(.diskSpace, text, advice) }
        return .ok(.diskSpace, text)
    }

    private static func log(_ size: Int64) -> ServerFinding {
        let text = "The write-ahead log has \(mebibytes(size)) MiB."
        guard size > largeLog else { return .ok(.log, text) }
        return .warning(.log, text, "End long reads of the file, such as a copy of it or an open sqlite3.")
    }

    private static func mebibytes(_ bytes: Int64) -> Int64 { bytes >> 20 }
}
