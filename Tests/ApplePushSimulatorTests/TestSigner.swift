import ApplePushSimulator
import Crypto
import Foundation

/// A team's key, and provider tokens made with it: good ones, and bad ones in every way.
struct TestSigner {
    /// How the signature is written.
    enum SignatureForm: CaseIterable {
        case raw
        case der
    }

    var keyID = "ABCDE12345"
    var teamID = "TEAM567890"
    let privateKey = P256.Signing.PrivateKey()

    var key: SigningKey {
        SigningKey(keyID: keyID, teamID: teamID, publicKey: privateKey.publicKey)
    }

    func token(issuedAt: Int64, form: SignatureForm = .raw) -> String {
        token(header: #"{"alg":"ES256","kid":"\#(keyID)"}"#, claims: claims(issuedAt: issuedAt), form: form)
    }

    func claims(issuedAt: Int64) -> String {
        #"{"iss":"\#(teamID)","iat":\#(issuedAt)}"#
    }

    func token(
        header: String,
        claims: String,
        form: SignatureForm = .raw,
        encode: (Data) -> String = base64URL
    ) -> String {
        let signed = encode(Data(header.utf8)) + "." + encode(Data(claims.utf8))
        guard let signature = try? privateKey.signature(for: Data(signed.utf8)) else { return signed }
        return signed + "." + encode(form == .raw ? signature.rawRepresentation : signature.derRepresentation)
    }

    static func base64URL(_ data: Data) -> String {
        data.base64EncodedString()
            .replacingOccurrences(of: "+", with: "-")
            .replacingOccurrences(of: "/", with: "_")
            .replacingOccurrences(of: "=", with: "")
    }
}

private func base64URL(_ data: Data) -> String {
    TestSigner.base64URL(data)
}
