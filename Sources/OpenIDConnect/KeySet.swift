import CarillonBytes
import Foundation
import JWTKit

/// The keys with which a provider signs.
struct KeySet: Sendable {
    /// A key, with the algorithms that it may be used for left to the token's header.
    struct Key: Sendable {
        let id: String?
        let type: String
        let curve: String?
        /// The only algorithm that it is for; `nil` for all of its type.
        let algorithm: String?
        /// The public parts alone, in JSON.
        let json: [String: String]
    }

    /// What a set may have at most.
    static let limit = 100

    private let keys: [Key]

    /// Reads a set; `nil` for what is none.
    ///
    /// Keys of unknown types, those for encryption and short ones are left out.
    init?(json bytes: [UInt8]) {
        guard let object = try? JSONSerialization.jsonObject(with: Data(bytes)) as? [String: Any],
            let listed = object["keys"] as? [[String: Any]]
        else { return nil }
        keys = listed.prefix(Self.limit).compactMap(Self.key)
    }

    /// The keys that may have made a signature: that of the name, or all when none is named.
    func keys(named id: String?, for algorithm: SigningAlgorithm) -> [Key] {
        keys.filter { key in
            (id == nil || key.id == id) && key.type == algorithm.keyType
                && (algorithm.curve == nil || key.curve == algorithm.curve)
                && (key.algorithm == nil || key.algorithm == algorithm.rawValue)
        }
    }

    // MARK: - Private

    private static func key(_ object: [String: Any]) -> Key? {
        guard let type = object["kty"] as? String, ["RSA", "EC", "OKP"].contains(type) else { return nil }
        if let use = object["use"] as? String, use != "sig" { return nil }
        var json: [String: String] = [:]
        // Never a private part, whatever a provider publishes.
        for name in ["kty", "crv", "n", "e", "x", "y"] { json[name] = object[name] as? String }
        if type == "RSA" {
            // Below 2,048 bits others can compute the private key.
            guard let modulus = json["n"].flatMap({ Base64URL.decode($0.utf8) }),
                modulus.drop(while: { $0 == 0 }).count >= 256
            else { return nil }
        }
        return Key(
            id: object["kid"] as? String,
            type: type,
            curve: json["crv"],
            algorithm: object["alg"] as? String,
            json: json
        )
    }
}

extension KeySet.Key {
    /// Whether the key made a token's signature.
    func signed(_ token: String, _ algorithm: SigningAlgorithm) async -> Bool {
        var named = json
        // The library finds a key by its name, and the algorithm in the key.
        (named["kid"], named["alg"]) = ("key", algorithm.rawValue)
        guard let data = try? JSONEncoder().encode(named), let key = try? JSONDecoder().decode(JWK.self, from: data),
            let keys = try? await JWTKeyCollection().add(jwk: key)
        else { return false }
        return (try? await keys.verify(token, as: SignedText.self)) != nil
    }
}

/// What is signed; its claims are read apart, once the signature is right.
private struct SignedText: JWTPayload {
    func verify(using algorithm: some JWTAlgorithm) async throws {}
}
