import CarillonBytes
import CarillonEngine
import CarillonModel
import Foundation
import OpenIDConnect

/// A sign-in at the provider that a browser has begun: sealed in a cookie of that browser, for ten minutes.
struct PendingSignIn: Codable, Sendable {
    enum Purpose: String, Codable, Sendable {
        case signIn
        /// Proves anew who is signed in.
        case again
        /// Links the account with who is signed in.
        case link
        /// Accepts an invitation.
        case invite
    }

    /// Browsers keep no larger cookie.
    static let limit = 3_600
    private static let sealPurpose = "console sign-in at a provider"
    private static let lifetime: Int64 = 600_000

    let purpose: Purpose
    let request: ProviderRequest
    /// The hash of the cookie of the session that it began in, or of the browser without one.
    let browser: SecretHashText
    let begunAt: Timestamp
    var next: String?
    var held: String?
    /// The secret of the invitation.
    var invitation: String?

    typealias SecretHashText = String

    /// The text for the cookie; what is too large to be held is left out.
    func sealed(_ vault: Vault) throws -> String {
        var kept = self
        for drop in 0...2 {
            if drop == 1 { kept.held = nil }
            if drop == 2 { kept.next = nil }
            let sealed = try vault.seal(Array(try JSONEncoder().encode(kept)), purpose: Self.sealPurpose)
            let text = Base64URL.encode(sealed)
            if text.utf8.count <= Self.limit { return text }
        }
        throw ConsoleProblem.formTooLarge(limit: Self.limit)
    }

    /// Opens what a browser has; `nil` for anything else, for another browser, and after ten minutes.
    static func open(_ text: String, browser: String, _ vault: Vault, at now: Timestamp) -> PendingSignIn? {
        guard let sealed = Base64URL.decode(text.utf8), let data = vault.open(sealed, purpose: sealPurpose),
            let pending = try? JSONDecoder().decode(PendingSignIn.self, from: Data(data)),
            now.rawValue - pending.begunAt.rawValue <= lifetime, pending.browser == hash(browser)
        else { return nil }
        return pending
    }

    static func hash(_ browser: String) -> String { SessionValue.csrfToken(of: "sign-in at a provider " + browser) }

    /// What is used once, of all that is asked and answered.
    var challenge: UsedChallenge {
        UsedChallenge(
            hash: SecretHash(of: "provider " + request.state),
            expiresAt: Timestamp(rawValue: begunAt.rawValue + Self.lifetime)
        )
    }
}
