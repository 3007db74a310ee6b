#if canImport(Security)
import Foundation
import Security

/// Stores the Device's identity in the keychain: readable after the first unlock, never moved to another phone.
public struct KeychainSecretStore: SecretStore {
    private let account: String
    private let group: String?

    /// Makes a store of a keychain item.
    ///
    /// - Parameters:
    ///   - account: The App key, which distinguishes Apps.
    ///   - group: The access group; `nil`: the app's own.
    public init(account: String, group: String? = nil) {
        self.account = account
        self.group = group
    }

    /// An error of the keychain.
    struct Failure: Error {
        let status: OSStatus
    }

    /// Reads the identity.
    ///
    /// - Returns: The identity; `nil` when the keychain has none.
    /// - Throws: An error when the keychain cannot be read, as before the first unlock.
    public func load() throws -> DeviceIdentity? {
        var query = query
        query[kSecReturnData as String] = true
        query[kSecMatchLimit as String] = kSecMatchLimitOne
        var found: CFTypeRef?
        let status = SecItemCopyMatching(query as CFDictionary, &found)
        guard status != errSecItemNotFound else { return nil }
        guard status == errSecSuccess, let data = found as? Data else { throw Failure(status: status) }
        return try JSONDecoder().decode(DeviceIdentity.self, from: data)
    }

    /// Saves an identity in place of any other.
    ///
    /// - Parameter identity: The identity.
    /// - Throws: An error when the keychain refuses.
    public func save(_ identity: DeviceIdentity) throws {
        let values: [String: Any] = [
            kSecValueData as String: try JSONEncoder().encode(identity),
            kSecAttrAccessible as String: kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly,
        ]
        var status = SecItemUpdate(query as CFDictionary, values as CFDictionary)
        if status == errSecItemNotFound {
            status = SecItemAdd(query.merging(values) { _, new in new } as CFDictionary, nil)
        }
        guard status == errSecSuccess else { throw Failure(status: status) }
    }

    /// Deletes the identity.
    ///
    /// - Throws: An error when the keychain refuses.
    public func remove() throws {
        let status = SecItemDelete(query as CFDictionary)
        guard status == errSecSuccess || status == errSecItemNotFound else { throw Failure(status: status) }
    }

    private var query: [String: Any] {
        var query: [String: Any] = [
            kSecClass as String: kSecClassGenericPassword,
            kSecAttrService as String: "carillon.device",
            kSecAttrAccount as String: account,
        ]
        query[kSecAttrAccessGroup as String] = group
        return query
    }
}
#endif
