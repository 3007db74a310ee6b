import CLibpq
import Foundation

/// A result of libpq's.
extension OpaquePointer {
    /// The number of rows that an `INSERT`, `UPDATE` or `DELETE` changed, or a `SELECT` returned.
    var changedRowCount: Int {
        guard let text = PQcmdTuples(self) else { return 0 }
        return Int(atoll(text))
    }

    func clear() { PQclear(self) }
}
