package import Foundation

/// Keeps a facade's small values between starts of the app.
package protocol FacadeStorage: Sendable {
    /// What was kept under a name.
    func data(_ name: String) -> Data?

    /// Keeps a value; `nil` forgets it.
    func keep(_ data: Data?, _ name: String)
}

extension FacadeStorage {
    /// What was kept under a name; `nil` also when it is of another type.
    package func value<Value: Decodable>(_ name: String) -> Value? {
        data(name).flatMap { try? JSONDecoder().decode([Value].self, from: $0).first }
    }

    /// Keeps a value; `nil` forgets it.
    package func keep<Value: Encodable>(value: Value?, _ name: String) {
        // In an array, as not every decoder takes a bare text.
        keep(value.flatMap { try? JSONEncoder().encode([$0]) }, name)
    }
}

/// The memory of an app: its user defaults, under names that no other has.
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
