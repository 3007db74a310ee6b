package import CarillonSQL
package import StoreErrors

extension SQLiteDatabase {
    /// Opens or creates a file, with the functions of audiences; see ``init(path:options:functions:)``.
    package convenience init(path: String, options: Options = Options()) throws(StoreError) {
        try self.init(path: path, options: options, functions: SQLiteFunctions.register)
    }

    /// Opens an empty database in memory, with the functions of audiences; see ``init(inMemory:functions:)``.
    package convenience init(inMemory options: Options = Options()) throws(StoreError) {
        try self.init(inMemory: options, functions: SQLiteFunctions.register)
    }
}
