import CarillonBytes
package import CarillonModel
import CarillonOperatorModel
import Crypto

/// Whether a Device may claim a User.
package enum UserClaim: Hashable, Sendable {
    /// The App has open identity, or the proof is valid.
    case granted
    /// The App requires a proof and there is none.
    case missing
    /// The proof is for another App, User or key, or expired.
    case wrong
    /// The proof is valid for longer than allowed.
    case tooLong
}

extension AppFacts {
    /// Maximum validity of a proof in seconds: a day, and five minutes of clock skew.
    private static let longestProof: Int64 = 86_400 + 300

    /// Checks a claim.
    ///
    /// - Parameters:
    ///   - user: The claimed User, if any.
    ///   - proof: The proof that the customer's back end signed.
    ///   - app: The App.
    ///   - now: The time.
    /// - Returns: The result; granted without a claimed User.
    func claim(_ user: UserID?, proof: UserProof?, app: AppID, now: Timestamp) -> UserClaim {
        guard let user, identity == .signed else { return .granted }
        guard let proof else { return .missing }
        // Bounded so that the multiplication by 1,000 cannot overflow; the year is 9999.
        guard (0..<253_402_300_800).contains(proof.expires), proof.expires * 1_000 > now.rawValue,
            let signature = Base64URL.decode(proof.signature.utf8)
        else { return .wrong }
        let signed = Array("\(app)\n\(user)\n\(proof.expires)".utf8)
        let keys = [identityKey] + formerIdentityKeys.filter { $0.endsAt > now }.map(\.key)
        let isTrue = keys.contains {
            HMAC<SHA256>.isValidAuthenticationCode(signature, authenticating: signed, using: $0)
        }
        guard isTrue else { return .wrong }
        return proof.expires - now.rawValue / 1_000 <= Self.longestProof ? .granted : .tooLong
    }
}

extension UserProof {
    /// Creates a proof as the customer's back end does; for tests and the demo.
    ///
    /// - Parameters:
    ///   - user: The claimed User.
    ///   - app: The App.
    ///   - expires: When the proof expires, in seconds since 1970.
    ///   - identitySecret: The App's identity secret; its UTF-8 bytes are the key.
    /// - Returns: The proof.
    package static func signed(
        user: UserID,
        app: AppID,
        expires: Int64,
        identitySecret: String
    ) -> UserProof {
        signed(user: user, app: app, expires: expires, key: SymmetricKey(data: Array(identitySecret.utf8)))
    }

    /// Creates a proof with the App's identity secret, as the server does for a person who is signed in here.
    static func signed(user: UserID, app: AppID, expires: Int64, key: SymmetricKey) -> UserProof {
        let code = HMAC<SHA256>.authenticationCode(for: Array("\(app)\n\(user)\n\(expires)".utf8), using: key)
        return UserProof(expires: expires, signature: Base64URL.encode(Array(code)))
    }
}
