package import StoreErrors

extension StoreError {
    /// Runs a throwing closure and turns other errors into ``StoreError/failed(_:)``.
    package static func wrap<Value>(_ body: () throws -> Value) throws(StoreError) -> Value {
        do { return try body() } catch { throw StoreError(thrown: error) }
    }

    /// As the synchronous one.
    package static func wrap<Value>(_ body: () async throws -> Value) async throws(StoreError) -> Value {
        do { return try await body() } catch { throw StoreError(thrown: error) }
    }

    private init(thrown error: any Error) { self = error as? StoreError ?? .failed("\(error)") }
}
