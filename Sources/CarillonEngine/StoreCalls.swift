import CarillonModel
import CarillonOperatorModel

/// Asks a store, and says what went wrong in the engine's words.
func stored<Value>(_ body: () async throws(StoreError) -> Value) async throws(EngineError) -> Value {
    do {
        return try await body()
    } catch {
        throw .store(error)
    }
}

extension Page {
    /// A page of rows of which one more was asked for than it shows.
    init(_ found: [Item], limit: Int, cursor: (Item) -> String) {
        let items = Array(found.prefix(limit))
        self.init(items: items, nextCursor: found.count > limit ? items.last.map(cursor) : nil)
    }
}
