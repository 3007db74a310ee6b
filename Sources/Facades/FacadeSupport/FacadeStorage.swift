import Carillon
package import Foundation

/// Stores a facade's small values across launches of the app.
package protocol FacadeStorage: Sendable {
    /// The stored value of a name.
    ///
    /// - Throws: Any error when the storage cannot be read, as before the phone's first unlock.
    func data(_ name: String) throws -> Data?

    /// Saves a value; `nil` removes it.
    func keep(_ data: Data?, _ name: String)
}

extension FacadeStorage {
    /// The stored value of a name; `nil` also when it has another type.
    ///
    /// - Throws: Any error when the storage cannot be read: what identifies the phone must not be made anew then.
    package func read<Value: Decodable>(_ name: String) throws -> Value? {
        try data(name).flatMap { try? JSONDecoder().decode([Value].self, from: $0).first }
    }

    /// The stored value of a name; `nil` also when it cannot be read now.
    package func value<Value: Decodable>(_ name: String) -> Value? { (try? read(name)) ?? nil }

    /// Saves a value; `nil` removes it.
    package func keep<Value: Encodable>(value: Value?, _ name: String) {
        // In an array, as not every decoder accepts a top-level string.
        keep(value.flatMap { try? JSONEncoder().encode([$0]) }, name)
    }
}

/// Storage in a file beside the SDK's.
///
/// Not the user defaults: before the first unlock of a phone they are empty and say nothing of it, and a call launches apps
/// then.
///
/// Unchecked: `lock` protects everything.
package final class FacadeFile: FacadeStorage, @unchecked Sendable {
    private let lock = NSLock()
    private let folder: @Sendable () throws -> URL
    private var known: [String: Data]?
    /// Values that were saved while the file could not be read.
    private var pending: [String: Data?] = [:]

    /// - Parameter folder: Makes the folder of the file.
    package init(folder: @escaping @Sendable () throws -> URL = { try StorageFolder.makeShared() }) {
        self.folder = folder
    }

    package func data(_ name: String) throws -> Data? {
        lock.lock()
        defer { lock.unlock() }
        if let values = try? load() { return values[name] }
        if let value = pending[name] { return value }
        return try load()[name]
    }

    package func keep(_ data: Data?, _ name: String) {
        lock.lock()
        defer { lock.unlock() }
        pending[name] = data
        _ = try? load()
    }

    /// Reads the file, and writes what was saved while it could not be read or written.
    private func load() throws -> [String: Data] {
        var values = try known ?? file().load() ?? [:]
        known = values
        guard !pending.isEmpty else { return values }
        for (name, data) in pending { values[name] = data }
        known = values
        if (try? file().save(values)) != nil { pending = [:] }
        return values
    }

    private func file() throws -> StateFile<[String: Data]> {
        StateFile(file: try folder().appendingPathComponent("facade.json"))
    }
}
