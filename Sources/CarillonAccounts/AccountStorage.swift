import Carillon
import CarillonAccountModel
import Foundation

/// What the phone keeps of the person who is signed in: the token in the keychain, the account in a file.
///
/// Each change holds a lock: a renewed token must not come back after the person signed out meanwhile.
struct AccountStorage: Sendable {
    private let secrets: any SecretStore
    private let file: StateFile<Account>
    private let lock: FileLock

    init(_ configuration: CarillonConfiguration) throws(CarillonError) {
        let folder = try StorageFolder.make(for: configuration)
        file = StateFile(file: folder.appendingPathComponent("account.json"))
        lock = FileLock(file: folder.appendingPathComponent("account.lock"))
        #if canImport(Security)
        secrets = KeychainSecretStore(
            account: configuration.appKey + " account",
            group: configuration.keychainGroup
        )
        #else
        secrets = FileSecretStore(file: folder.appendingPathComponent("account-token.json"))
        #endif
    }

    /// The token; `nil` when nobody is signed in.
    func token() throws(CarillonError) -> String? {
        do { return try secrets.load()?.secret } catch { throw .storage("the account's token cannot be read") }
    }

    /// The account as the server described it last; `nil` when nobody is signed in.
    func account() throws(CarillonError) -> Account? {
        guard try token() != nil else { return nil }
        return try file.load()
    }

    /// Keeps who signed in, in place of who was.
    ///
    /// - Returns: The token of who was signed in before.
    /// - Throws: `CarillonError` when the keychain or the disk refuses: who was signed in is so still.
    func begin(_ account: Account, token: String) throws(CarillonError) -> String? {
        try locked {
            let former = try secrets.load()?.secret
            // The token first, as it decides who is signed in: without it the account would be shown as another's.
            try save(token)
            do {
                try file.save(account)
            } catch {
                if let former { try save(former) } else { try secrets.remove() }
                throw error
            }
            return former
        }
    }

    /// Keeps what the server said about a token, unless that is not the phone's any more.
    ///
    /// - Returns: False when it is not.
    func update(_ account: Account, renewed: String?, of token: String) throws(CarillonError) -> Bool {
        try locked {
            guard try secrets.load()?.secret == token else { return false }
            // The token first: the server takes the former one only until the renewed one is used.
            if let renewed { try save(renewed) }
            try file.save(account)
            return true
        }
    }

    /// Forgets who is signed in.
    ///
    /// - Parameter token: Only if this is the phone's token; `nil` forgets any.
    /// - Returns: The token that was forgotten; `nil` when there was none, or another one.
    /// - Throws: `CarillonError` when the keychain refuses.
    func end(_ token: String? = nil) throws(CarillonError) -> String? {
        try locked {
            guard let known = try secrets.load()?.secret, token == nil || token == known else { return nil }
            try secrets.remove()
            try? FileManager.default.removeItem(at: file.file)
            return known
        }
    }

    // MARK: - Private

    /// The keychain's item has the form of a Device's identity, of which only the secret counts.
    private func save(_ token: String) throws {
        let nobody = UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
        try secrets.save(DeviceIdentity(device: DeviceID(rawValue: nobody), secret: token))
    }

    private func locked<Value>(_ body: () throws -> Value) throws(CarillonError) -> Value {
        do {
            return try lock.withLock(body)
        } catch let error as CarillonError {
            throw error
        } catch {
            throw .storage("the account cannot be read or written")
        }
    }
}
