import Crypto
package import Foundation

/// An authenticator of passkeys in software: it answers as a browser with one does, and can be told to answer wrongly.
package struct SoftwareAuthenticator: Sendable {
    /// What its keys sign with.
    package enum Algorithm: Sendable, CaseIterable {
        case es256, ed25519
    }

    /// What an answer says, right or wrong.
    package struct Answer: Sendable {
        package var origin: String
        package var party: String
        package var challenge: String
        /// The type of the client data; `nil` for the right one.
        package var type: String?
        package var isCrossOrigin: Bool?
        package var isPresent = true
        package var isVerified = true
        package var signCount: UInt32 = 0
        package var userHandle: String?

        package init(origin: String, party: String, challenge: String) {
            self.origin = origin
            self.party = party
            self.challenge = challenge
        }
    }

    private enum Key: Sendable {
        case es256(P256.Signing.PrivateKey)
        case ed25519(Curve25519.Signing.PrivateKey)
    }

    package let credentialID: Data
    private let key: Key

    package init(_ algorithm: Algorithm = .es256) {
        credentialID = Data((0..<32).map { _ in UInt8.random(in: .min ... .max) })
        key =
            switch algorithm {
            case .es256: .es256(P256.Signing.PrivateKey())
            case .ed25519: .ed25519(Curve25519.Signing.PrivateKey())
            }
    }

    /// What a page's form has after `navigator.credentials.create`.
    package func registration(_ answer: Answer) throws -> String {
        var data = authenticatorData(answer, flags: 0x40)
        data += Data(count: 16)
        data += Data([UInt8(credentialID.count >> 8), UInt8(credentialID.count & 0xFF)]) + credentialID + publicKey
        // {"fmt": "none", "attStmt": {}, "authData": …}
        var object = Data([0xA3, 0x63]) + Data("fmt".utf8) + Data([0x64]) + Data("none".utf8)
        object += Data([0x67]) + Data("attStmt".utf8) + Data([0xA0]) + Data([0x68]) + Data("authData".utf8)
        object += Data([0x59, UInt8(data.count >> 8), UInt8(data.count & 0xFF)]) + data
        return try json([
            "id": Self.text(credentialID), "attestationObject": Self.text(object),
            "clientDataJSON": Self.text(try clientData(answer, "webauthn.create")),
        ])
    }

    /// What a page's form has after `navigator.credentials.get`.
    package func assertion(_ answer: Answer) throws -> String {
        let (data, client) = (authenticatorData(answer, flags: 0), try clientData(answer, "webauthn.get"))
        let message = data + Data(SHA256.hash(data: client))
        let signature =
            switch key {
            case .es256(let key): try key.signature(for: message).derRepresentation
            case .ed25519(let key): try key.signature(for: message)
            }
        var fields = [
            "id": Self.text(credentialID), "authenticatorData": Self.text(data), "signature": Self.text(signature),
            "clientDataJSON": Self.text(client),
        ]
        fields["userHandle"] = answer.userHandle.map { Self.text(Data($0.utf8)) }
        return try json(fields)
    }

    /// Base64url without padding.
    package static func text(_ data: Data) -> String {
        data.base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }

    // MARK: - Private

    /// The public key in COSE's form.
    private var publicKey: Data {
        switch key {
        case .es256(let key):
            let point = key.publicKey.x963Representation
            return Data([0xA5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01, 0x21, 0x58, 0x20]) + point[1..<33]
                + Data([0x22, 0x58, 0x20]) + point[33..<65]
        case .ed25519(let key):
            return Data([0xA4, 0x01, 0x01, 0x03, 0x27, 0x20, 0x06, 0x21, 0x58, 0x20]) + key.publicKey.rawRepresentation
        }
    }

    private func authenticatorData(_ answer: Answer, flags: UInt8) -> Data {
        let flags = flags | (answer.isPresent ? 1 : 0) | (answer.isVerified ? 4 : 0)
        let count = withUnsafeBytes(of: answer.signCount.bigEndian) { Data($0) }
        return Data(SHA256.hash(data: Data(answer.party.utf8))) + Data([flags]) + count
    }

    private func clientData(_ answer: Answer, _ type: String) throws -> Data {
        var fields: [String: Any] = [
            "type": answer.type ?? type, "challenge": answer.challenge, "origin": answer.origin,
        ]
        fields["crossOrigin"] = answer.isCrossOrigin
        return try JSONSerialization.data(withJSONObject: fields, options: [.sortedKeys, .withoutEscapingSlashes])
    }

    private func json(_ fields: [String: String]) throws -> String {
        String(decoding: try JSONEncoder().encode(fields), as: UTF8.self)
    }
}
