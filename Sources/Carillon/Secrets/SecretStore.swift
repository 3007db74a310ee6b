public import CarillonModel

/// The Device's credentials: its id and its secret, made once on the phone.
public struct DeviceIdentity: Hashable, Sendable, Codable, CustomStringConvertible {
    /// The Device's public id.
    public let device: DeviceID
    /// 43 characters of base64url: 32 random bytes.
    ///
    /// The server stores only its SHA-256.
    public let secret: String

    /// Makes an identity of parts that a ``SecretStore`` loaded.
    ///
    /// - Parameters:
    ///   - device: The Device's public id.
    ///   - secret: 43 characters of base64url.
    public init(device: DeviceID, secret: String) {
        self.device = device
        self.secret = secret
    }

    /// The id alone.
    public var description: String { device.description }
}

/// Stores the Device's identity.
///
/// An app may pass its own; the SDK's is the keychain, and a file where there is none.
public protocol SecretStore: Sendable {
    /// Reads the identity.
    ///
    /// - Returns: The identity; `nil` only when there is certainly none, since the SDK then makes another.
    /// - Throws: Any error when it cannot be read, as before the phone's first unlock.
    func load() throws -> DeviceIdentity?

    /// Saves an identity in place of any other.
    ///
    /// - Parameter identity: The identity.
    /// - Throws: Any error when it was not saved.
    func save(_ identity: DeviceIdentity) throws

    /// Deletes the identity; does nothing when there is none.
    ///
    /// - Throws: Any error when it is still there.
    func remove() throws
}
