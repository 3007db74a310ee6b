public import CarillonModel

/// What proves a Device to the server: its id and its secret, made once on the phone.
public struct DeviceIdentity: Hashable, Sendable, Codable, CustomStringConvertible {
    /// The Device's public id.
    public let device: DeviceID
    /// 43 characters of base64url: 32 random bytes.
    ///
    /// The server keeps only its SHA-256.
    public let secret: String

    /// Makes an identity from parts that a ``SecretStore`` kept.
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

/// Keeps the Device's identity.
///
/// An app may bring its own; the SDK's is the keychain, and a file where there is none.
public protocol SecretStore: Sendable {
    /// Reads the identity.
    ///
    /// - Returns: The identity; `nil` only when there surely is none, since the SDK then makes another.
    /// - Throws: Any error when it cannot be told, as before the phone's first unlock.
    func load() throws -> DeviceIdentity?

    /// Keeps an identity in place of any other.
    ///
    /// - Parameter identity: What to keep.
    /// - Throws: Any error when it was not kept.
    func save(_ identity: DeviceIdentity) throws

    /// Forgets the identity; fine when there is none.
    ///
    /// - Throws: Any error when it is still there.
    func remove() throws
}
