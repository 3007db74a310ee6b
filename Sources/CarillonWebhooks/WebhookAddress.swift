import Foundation

/// A webhook's address, as far as its text determines whether it may be posted to.
struct WebhookAddress {
    /// Why a text is refused, worded to follow "must".
    struct Objection: Error {
        var words: String
    }

    /// Without the brackets of an IPv6 address.
    let host: String

    init(_ text: String, allowsLocal: Bool) throws(Objection) {
        guard let parts = URLComponents(string: text), let scheme = parts.scheme?.lowercased(),
            let named = parts.host, !named.isEmpty, text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F })
        else { throw Objection(words: "be an absolute address, as https://example.com/path") }
        guard scheme == "https" || (scheme == "http" && allowsLocal) else {
            throw Objection(words: "begin with https://")
        }
        guard parts.user == nil, parts.password == nil, parts.fragment == nil else {
            throw Objection(words: "have neither a user nor a fragment")
        }
        host = named.hasPrefix("[") && named.hasSuffix("]") ? String(named.dropFirst().dropLast()) : named
        if !allowsLocal, let address = PublicAddress(text: host), !address.isPublic {
            throw Objection(words: "lead to the Internet, not to a network of the server's own")
        }
    }
}
