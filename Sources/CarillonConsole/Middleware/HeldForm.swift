import CarillonBytes
import CarillonEngine
import CarillonModel
import Foundation

/// A form that waits while its sender proves who that is, sealed in the page that asks for it.
struct HeldForm: Codable, Sendable {
    /// Maximum size of what is held, in bytes of the form.
    ///
    /// Sealed it is a third longer, and has to fit into a form of who is not signed in.
    static let limit = 64 * 1_024
    private static let purpose = "console held form"
    private static let lifetime = Duration.seconds(3_600)

    /// The path that it was sent to, below `/console`.
    let path: String
    /// Its fields, encoded.
    let form: String
    private let expiresAt: Timestamp

    /// - Returns: `nil` when it is too large to be held.
    init?(_ request: ConsoleRequest, at now: Timestamp) {
        let form = request.form.setting([FormCheck.field: nil]).encoded
        guard form.utf8.count <= Self.limit else { return nil }
        path = request.path
        self.form = form
        expiresAt = now.advanced(by: Self.lifetime)
    }

    /// The text for a hidden field; `nil` while nothing can be sealed.
    func sealed(_ vault: Vault) -> String? {
        guard let data = try? JSONEncoder().encode(self),
            let sealed = try? vault.seal(Array(data), purpose: Self.purpose)
        else { return nil }
        return Base64URL.encode(sealed)
    }

    /// Opens what was sealed; `nil` for anything else, and after an hour.
    static func open(_ text: String, _ vault: Vault, at now: Timestamp) -> HeldForm? {
        guard let sealed = Base64URL.decode(text.utf8), let data = vault.open(sealed, purpose: purpose),
            let form = try? JSONDecoder().decode(HeldForm.self, from: Data(data)), now < form.expiresAt
        else { return nil }
        return form
    }

    /// Its fields.
    var fields: FormFields { (try? FormFields(urlEncoded: Array(form.utf8))) ?? FormFields() }
}
