package import Foundation

/// Stores a facade's small values across launches of the app.
package protocol FacadeStorage: Sendable {
    /// The stored value of a name.
    func data(_ name: String) -> Data?

    /// Saves a value; `nil` removes it.
    func keep(_ data: Data?, _ name: String)
}

extension FacadeStorage {
    /// The stored value of a name; `nil` also when it has another type.
    package func value<Value: Decodable>(_ name: String) -> Value? {
        data(name).flatMap { try? JSONDecoder().decode([Value].self, from: $0).first }
    }

    /// Saves a value; `nil` removes it.
    package func keep<Value: Encodable>(value: Value?, _ name: String) {
        // In an array, as not every decoder accepts a top-level string.
        keep(value.flatMap { try? JSONEncoder().encode([$0]) }, name)
    }
}

/// Storage in the app's user defaults, under unique names.
package struct UserDefaultsMemory: FacadeStorage {
    private static let prefix = "com.carillon.facade."

    package init() {}

    package func data(_ name: String) -> Data? { UserDefaults.standard.data(forKey: Self.prefix + name) }

    package func keep(_ data: Data?, _ name: String) {
        if let data {
            UserDefaults.standard.set(data, forKey: Self.prefix + name)
        } else {
            UserDefaults.standard.removeObject(forKey: Self.prefix + name)
        }
    }
}
