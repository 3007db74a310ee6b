import HTTPTypes

/// The header fields of every answer of the console.
enum ConsoleHeaders {
    private static let policy = """
        default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; font-src 'none'; \
        object-src 'none'; frame-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'
        """
    private static let permissions = """
        camera=(), microphone=(), geolocation=(), payment=(), usb=(), publickey-credentials-get=(self), \
        publickey-credentials-create=(self)
        """

    /// Adds the fields, in place of those of the same names; the caching of an asset stays.
    static func add(to headers: inout HTTPFields, isEncrypted: Bool, includesSubdomains: Bool) {
        headers[.contentSecurityPolicy] = policy
        headers[.xContentTypeOptions] = "nosniff"
        if isEncrypted {
            headers[.strictTransportSecurity] = "max-age=31536000" + (includesSubdomains ? "; includeSubDomains" : "")
        }
        // Not `no-referrer`: with it a browser sends `Origin: null` with the page's own forms.
        headers.set("Referrer-Policy", "same-origin")
        headers.set("X-Frame-Options", "DENY")
        headers.set("Cross-Origin-Opener-Policy", "same-origin")
        headers.set("Cross-Origin-Resource-Policy", "same-origin")
        headers.set("Permissions-Policy", permissions)
        if headers[.cacheControl] == nil { headers[.cacheControl] = "no-store" }
    }
}

extension HTTPFields {
    fileprivate mutating func set(_ name: String, _ value: String) {
        if let name = HTTPField.Name(name) { self[name] = value }
    }

    /// A field by its name; `nil` when it is missing.
    func text(_ name: String) -> String? { HTTPField.Name(name).flatMap { self[$0] } }
}
