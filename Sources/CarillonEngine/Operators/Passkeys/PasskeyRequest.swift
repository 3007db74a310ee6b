import CarillonBytes
import CarillonModel
import Foundation

/// What a page asks a browser's passkeys for.
package struct PasskeyRequest: Hashable, Sendable {
    /// The options of `navigator.credentials`, as JSON with base64url for bytes.
    package var options: String
    /// The challenge, sealed for the browser that gets the page; the form carries it.
    package var sealed: String

    package init(options: String, sealed: String) {
        self.options = options
        self.sealed = sealed
    }
}

/// What a form has of a passkey.
package struct PasskeyProof: Hashable, Sendable {
    /// The browser's answer: see ``PasskeyAnswer``.
    package var answer: String
    /// The sealed challenge.
    package var sealed: String
    package var party: PasskeyParty

    package init(answer: String, sealed: String, party: PasskeyParty) {
        self.answer = answer
        self.sealed = sealed
        self.party = party
    }
}

/// A challenge as it is sealed: nothing is stored before it was answered.
struct PasskeyChallenge: Codable, Hashable, Sendable {
    /// What it is asked for: an answer to one is none to another.
    enum Purpose: String {
        case registration, signIn, proof
    }

    /// For how long it can be answered.
    static let lifetime = Duration.seconds(300)
    private static let byteCount = 32

    /// 32 random bytes in base64url.
    let text: String
    let expiresAt: Timestamp

    init(at now: Timestamp, _ random: RandomBytes) {
        text = Base64URL.encode(random(Self.byteCount))
        expiresAt = now.advanced(by: Self.lifetime)
    }

    /// Seals it for a browser, which has the value in its cookie.
    func sealed(_ purpose: Purpose, for value: String, _ vault: Vault) throws(EngineError) -> String {
        guard let data = try? JSONEncoder().encode(self) else { preconditionFailure("A challenge can be encoded.") }
        return Base64URL.encode(try vault.sealed(Array(data), purpose: Self.purpose(purpose, value)))
    }

    /// Opens one; `nil` when it is of another browser or purpose, or too old.
    static func open(
        _ sealed: String,
        _ purpose: Purpose,
        of value: String,
        _ vault: Vault,
        at now: Timestamp
    ) -> PasskeyChallenge? {
        guard sealed.utf8.count <= 512, let bytes = Base64URL.decode(sealed.utf8),
            let data = vault.open(bytes, purpose: Self.purpose(purpose, value)),
            let challenge = try? JSONDecoder().decode(PasskeyChallenge.self, from: Data(data)),
            now < challenge.expiresAt
        else { return nil }
        return challenge
    }

    var used: UsedChallenge { UsedChallenge(hash: SecretHash(of: text), expiresAt: expiresAt) }

    private static func purpose(_ purpose: Purpose, _ value: String) -> String {
        "operator-passkey \(purpose.rawValue) \(SessionValue.csrfToken(of: value))"
    }
}

/// The options of `navigator.credentials`, in the names of WebAuthn.
struct PasskeyOptions: Encodable {
    struct Party: Encodable {
        var id: String
        var name = "Carillon"
    }

    struct User: Encodable {
        var id: String
        var name: String
        var displayName: String
    }

    struct Parameter: Encodable {
        var type = "public-key"
        var alg: Int
    }

    struct Credential: Encodable {
        var type = "public-key"
        var id: String

        init(_ passkey: StoredPasskey) { id = Base64URL.encode(passkey.credentialID) }
    }

    struct Selection: Encodable {
        /// Found without a name, so that it signs in alone.
        var residentKey = "required"
        var requireResidentKey = true
        var userVerification = "required"
    }

    var challenge: String
    var timeout = 300_000
    // Of an assertion.
    var rpId: String?
    var userVerification: String?
    var allowCredentials: [Credential]?
    // Of a registration.
    var rp: Party?
    var user: User?
    var pubKeyCredParams: [Parameter]?
    var authenticatorSelection: Selection?
    var attestation: String?
    var excludeCredentials: [Credential]?

    /// Asks for a signature of one of some passkeys; of any for none.
    static func assertion(
        _ challenge: PasskeyChallenge,
        _ party: PasskeyParty,
        _ allowed: [StoredPasskey]
    ) -> PasskeyOptions {
        var options = PasskeyOptions(challenge: challenge.text)
        options.rpId = party.id
        options.userVerification = "required"
        options.allowCredentials = allowed.map(Credential.init)
        return options
    }

    /// Asks for a new passkey; an authenticator that has one makes none.
    static func registration(
        _ challenge: PasskeyChallenge,
        _ party: PasskeyParty,
        _ user: User,
        besides known: [StoredPasskey]
    ) -> PasskeyOptions {
        var options = PasskeyOptions(challenge: challenge.text)
        options.rp = Party(id: party.id)
        options.user = user
        options.pubKeyCredParams = PasskeyPublicKey.algorithms.map { Parameter(alg: $0) }
        options.authenticatorSelection = Selection()
        options.attestation = "none"
        options.excludeCredentials = known.map(Credential.init)
        return options
    }

    var text: String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys]
        guard let data = try? encoder.encode(self) else { preconditionFailure("The options can be encoded.") }
        return String(decoding: data, as: UTF8.self)
    }
}
