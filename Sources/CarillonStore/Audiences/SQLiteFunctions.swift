import CarillonModel
import CarillonOperatorModel
import CarillonSQL
import Foundation
import GRDBSQLite

/// What conditions of audiences compute that SQLite cannot; on PostgreSQL functions of these names come with the schema
/// (`Baseline+Audiences.swift`).
///
/// - `carillon_version(text)`: a key by which versions order; null when there is no number in the text.
/// - `carillon_distance(latitude, longitude, latitude, longitude)`: metres; null when a degree is.
enum SQLiteFunctions {
    /// Makes them known to a connection.
    static func register(on handle: OpaquePointer) {
        let flags = SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS
        sqlite3_create_function_v2(handle, "carillon_version", 1, flags, nil, version, nil, nil, nil)
        sqlite3_create_function_v2(handle, "carillon_distance", 4, flags, nil, distance, nil, nil, nil)
    }

    private typealias Function =
        @convention(c) (
            OpaquePointer?, CInt, UnsafeMutablePointer<OpaquePointer?>?
        ) -> Void

    private static let version: Function = { context, _, values in
        guard let value = values?[0], let text = sqlite3_value_text(value) else { return sqlite3_result_null(context) }
        let bytes = UnsafeBufferPointer(start: text, count: Int(sqlite3_value_bytes(value)))
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: VersionKey.length) { key in
            guard VersionKey.write(bytes, into: key) else { return sqlite3_result_null(context) }
            key.withMemoryRebound(to: CChar.self) { key in
                let transient = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
                sqlite3_result_text(context, key.baseAddress, CInt(VersionKey.length), transient)
            }
        }
    }

    private static let distance: Function = { context, _, values in
        guard let values, (0..<4).allSatisfy({ sqlite3_value_type(values[$0]) != SQLITE_NULL }) else {
            return sqlite3_result_null(context)
        }
        let degrees = (0..<4).map { sqlite3_value_double(values[$0]) }
        sqlite3_result_double(context, Sphere.distance((degrees[0], degrees[1]), (degrees[2], degrees[3])))
    }
}
