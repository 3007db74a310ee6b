package import CarillonModel
import CarillonOperatorModel
import Crypto

/// Whether a Device may claim a User.
package enum UserClaim: Hashable, Sendable {
    /// The App is open, or the proof is true.
    case granted
    /// The App asks for a proof and there is none.
    case missing
    /// The proof is of another App, User or key, or its time is over.
    case wrong
    /// The proof would be taken for longer than a proof may be.
    case tooLong
}

extension AppFacts {
    /// For how long a proof may be taken, in seconds: a day, and five minutes for clocks that differ.
    private static let longestProof: Int64 = 86_400 + 300

    /// Checks a claim.
    ///
    /// - Parameters:
    ///   - user: Who is claimed, if anybody.
    ///   - proof: What the customer's back end signed.
    ///   - app: The App.
    ///   - now: The time.
    /// - Returns: Whether the claim is granted; always when nobody is claimed.
    func claim(_ user: UserID?, proof: UserProof?, app: AppID, now: Timestamp) -> UserClaim {
        guard let user, identity == .signed else { return .granted }
        guard let proof else { return .missing }
        // Bounded so that the product with 1,000 cannot overflow; the year is 9999.
        guard (0..<253_402_300_800).contains(proof.expires), proof.expires * 1_000 > now.rawValue,
            let signature = Base64URL.bytes(proof.signature)
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
    /// Makes a proof as the customer's back end does; for tests and for the demo.
    ///
    /// - Parameters:
    ///   - user: Who is claimed.
    ///   - app: In which App.
    ///   - expires: When the proof stops being taken, in seconds since 1970.
    ///   - identitySecret: The App's identity secret; its UTF-8 bytes are the key.
    /// - Returns: The proof.
    package static func signed(
        user: UserID,
        app: AppID,
        expires: Int64,
        identitySecret: String
    ) -> UserProof {
        let key = SymmetricKey(data: Array(identitySecret.utf8))
        let code = HMAC<SHA256>.authenticationCode(for: Array("\(app)\n\(user)\n\(expires)".utf8), using: key)
        return UserProof(expires: expires, signature: Base64URL.text(Array(code)))
    }
}
