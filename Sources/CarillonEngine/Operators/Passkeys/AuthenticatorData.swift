/// What an authenticator signs about itself (WebAuthn Level 3, section 6.1).
struct AuthenticatorData: Hashable, Sendable {
    /// A credential that was just made.
    struct Credential: Hashable, Sendable {
        var id: [UInt8]
        /// The public key in COSE's form.
        var publicKey: [UInt8]
    }

    /// SHA-256 of the relying party's id.
    var partyHash: [UInt8]
    private var flags: UInt8
    var signCount: Int64
    /// Present after a registration alone.
    var credential: Credential?

    /// Whether somebody touched the authenticator.
    var isUserPresent: Bool { flags & 0x01 != 0 }
    /// Whether the authenticator knows who it was: by a finger, a face or a PIN.
    var isUserVerified: Bool { flags & 0x04 != 0 }
    /// Whether the key may be copied to other devices of its owner.
    var isSynced: Bool { flags & 0x08 != 0 }

    /// Maximum length of a credential's id.
    static let credentialIDLimit = 1_023

    /// Reads the bytes, all of them; `nil` when they are malformed.
    init?(_ bytes: [UInt8]) {
        guard bytes.count >= 37 else { return nil }
        partyHash = Array(bytes[..<32])
        flags = bytes[32]
        signCount = bytes[33..<37].reduce(0) { $0 << 8 | Int64($1) }
        var rest = bytes[37...]
        if flags & 0x40 != 0 {
            // The model of the authenticator, and the length of the id.
            guard rest.count >= 18 else { return nil }
            let length = Int(rest[rest.startIndex + 16]) << 8 | Int(rest[rest.startIndex + 17])
            rest = rest.dropFirst(18)
            guard (1...Self.credentialIDLimit).contains(length), rest.count >= length else { return nil }
            let id = Array(rest.prefix(length))
            rest = rest.dropFirst(length)
            guard let (_, after) = CBORReader.readPrefix(of: rest) else { return nil }
            credential = Credential(id: id, publicKey: Array(rest.prefix(rest.count - after.count)))
            rest = after
        }
        if flags & 0x80 != 0 {
            // Extensions, of which none was asked for.
            guard let (_, after) = CBORReader.readPrefix(of: rest) else { return nil }
            rest = after
        }
        guard rest.isEmpty else { return nil }
    }
}
