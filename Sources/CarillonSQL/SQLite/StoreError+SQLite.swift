import Foundation
import GRDB
import GRDBSQLite
package import StoreErrors

extension StoreError {
    /// Creates the error of a connection's last failure.
    ///
    /// SQLite's messages name tables and columns, never values.
    package init(sqlite handle: OpaquePointer) {
        self.init(
            code: sqlite3_extended_errcode(handle),
            message: String(cString: sqlite3_errmsg(handle)),
            systemError: sqlite3_system_errno(handle)
        )
    }

    init(_ error: any Error) {
        switch error {
        case let error as StoreError: self = error
        case let error as DatabaseError:
            self.init(code: error.extendedResultCode.rawValue, message: error.message ?? "", systemError: 0)
        default: self = .unavailable("The database could not be used.")
        }
    }

    private init(code: Int32, message: String, systemError: Int32) {
        switch code & 0xFF {
        case SQLITE_FULL: self = .full
        case SQLITE_IOERR where Self.isFull(code, systemError): self = .full
        case SQLITE_IOERR: self = .unavailable("The disk failed (SQLite code \(code), system error \(systemError)).")
        case SQLITE_BUSY, SQLITE_LOCKED: self = .unavailable("The database is busy.")
        case SQLITE_INTERRUPT: self = .unavailable("A read took too long.")
        case SQLITE_CANTOPEN, SQLITE_READONLY, SQLITE_PERM:
            self = .unavailable("The database cannot be opened: \(message)")
        default: self = .failed("SQLite code \(code): \(message)")
        }
    }

    /// SQLite reports "full" for a write to the database or the log; growing its shared memory (`IOERR_SHMSIZE`) or a
    /// disk quota reports an I/O error.
    private static func isFull(_ code: Int32, _ systemError: Int32) -> Bool {
        code == SQLITE_IOERR | 19 << 8 || systemError == ENOSPC || systemError == EDQUOT
    }
}
