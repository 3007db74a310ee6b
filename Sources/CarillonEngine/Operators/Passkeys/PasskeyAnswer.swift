import CarillonBytes
import Crypto
import Foundation

/// The console as passkeys know it: a key that was made for one party signs for no other.
package struct PasskeyParty: Hashable, Sendable {
    /// The host's name, without port.
    package var id: String
    /// Scheme, host and port, as browsers write them.
    package var origin: String

    package init(id: String, origin: String) {
        self.id = id
        self.origin = origin
    }
}

/// What a browser made of a passkey, as the page's form sends it: JSON of base64url texts.
package struct PasskeyAnswer: Hashable, Sendable {
    /// Maximum size of the JSON in bytes.
    package static let limit = 16 * 1_024

    private struct Fields: Decodable {
        var id: String
        var clientDataJSON: String
        var authenticatorData: String?
        var attestationObject: String?
        var signature: String?
        var userHandle: String?
    }

    /// What the browser says it was asked, and by which page.
    private struct ClientData: Decodable {
        var type: String
        var challenge: String
        var origin: String
        var crossOrigin: Bool?
    }

    /// The id of the credential.
    package var credentialID: [UInt8]
    private var clientData: [UInt8]
    private var authenticator: [UInt8]
    private var signature: [UInt8]?
    /// Whose credential it is, as the authenticator has it.
    private var userHandle: [UInt8]?

    /// Reads the form's field; `nil` when it is malformed.
    package init?(_ text: String) {
        guard text.utf8.count <= Self.limit,
            let fields = try? JSONDecoder().decode(Fields.self, from: Data(text.utf8)),
            let id = Base64URL.decode(fields.id.utf8), let clientData = Base64URL.decode(fields.clientDataJSON.utf8),
            (1...AuthenticatorData.credentialIDLimit).contains(id.count)
        else { return nil }
        credentialID = id
        self.clientData = clientData
        if let text = fields.attestationObject {
            // The attestation itself is not looked at: none was asked for.
            guard let object = Base64URL.decode(text.utf8).flatMap({ CBORReader.read($0) }),
                let data = object[.text("authData")]?.bytes
            else { return nil }
            authenticator = data
        } else {
            guard let data = fields.authenticatorData.flatMap({ Base64URL.decode($0.utf8) }),
                let signature = fields.signature.flatMap({ Base64URL.decode($0.utf8) })
            else { return nil }
            authenticator = data
            self.signature = signature
        }
        userHandle = fields.userHandle.flatMap { $0.isEmpty ? nil : Base64URL.decode($0.utf8) }
    }

    /// A credential that was made for a challenge.
    ///
    /// - Parameters:
    ///   - challenge: The challenge in base64url.
    ///   - party: The console.
    /// - Returns: The credential and what the authenticator says; `nil` when something is not as it must be.
    func registered(
        _ challenge: String,
        _ party: PasskeyParty
    ) -> (credential: AuthenticatorData.Credential, data: AuthenticatorData)? {
        guard let data = checked("webauthn.create", challenge, party), let credential = data.credential,
            credential.id == credentialID, PasskeyPublicKey(cose: credential.publicKey) != nil
        else { return nil }
        return (credential, data)
    }

    /// What an authenticator signed for a challenge; `nil` when the signature is of another key, or something is not as it
    /// must be.
    func asserted(
        _ challenge: String,
        _ party: PasskeyParty,
        by key: PasskeyPublicKey,
        of owner: [UInt8]
    ) -> AuthenticatorData? {
        guard let data = checked("webauthn.get", challenge, party), let signature,
            userHandle.map({ $0 == owner }) ?? true,
            key.isValid(signature, for: authenticator + Array(SHA256.hash(data: Data(clientData))))
        else { return nil }
        return data
    }

    // MARK: - Private

    private func checked(_ type: String, _ challenge: String, _ party: PasskeyParty) -> AuthenticatorData? {
        guard let said = try? JSONDecoder().decode(ClientData.self, from: Data(clientData)), said.type == type,
            // Browsers write the challenge without padding, as it was given.
            said.challenge == challenge, said.origin == party.origin, said.crossOrigin != true,
            let data = AuthenticatorData(authenticator),
            data.partyHash == Array(SHA256.hash(data: Data(party.id.utf8))), data.isUserPresent, data.isUserVerified
        else { return nil }
        return data
    }
}
