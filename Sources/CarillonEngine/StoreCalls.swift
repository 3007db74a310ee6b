import CarillonModel
import CarillonOperatorModel

/// Calls a store and converts its error.
///
/// An autoclosure, so that the compiler infers the type of the error: `try await stored(try await store.app(id))`.
///
/// - Parameter call: The call.
/// - Returns: What the store returns.
/// - Throws: ``EngineError/store(_:)``.
func stored<Value>(_ call: @autoclosure () async throws(StoreError) -> Value) async throws(EngineError) -> Value {
    do {
        return try await call()
    } catch {
        throw .store(error)
    }
}

extension Page {
    /// Creates a page from rows that include one more than the page shows.
    init(_ found: [Item], limit: Int, cursor: (Item) -> String) {
        let items = Array(found.prefix(limit))
        self.init(items: items, nextCursor: found.count > limit ? items.last.map(cursor) : nil)
    }
}
