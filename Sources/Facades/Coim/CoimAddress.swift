import Foundation

/// The path of an operation, as `core/user/login` or `twShow/show/info/17`.
struct CoimAddress: Equatable, Sendable {
    let path: String
    let query: String?

    /// Reads a relative URL.
    ///
    /// What the app has encoded already stays as it is; what has no place in a URL is encoded.
    ///
    /// - Parameter text: Segments and, rarely, a query. Slashes at both ends have no meaning.
    /// - Throws: ``CoimError`` when it is empty, or leads to another app or another path of the server.
    init(_ text: String) throws {
        let parts = text.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        let trimmed = (parts.first ?? "").split(separator: "/", omittingEmptySubsequences: false)
        let segments = trimmed.drop(while: \.isEmpty).reversed().drop(while: \.isEmpty).reversed()
        guard !segments.isEmpty, segments.allSatisfy({ Self.isSegment($0) }) else {
            throw CoimError.wrongParameters("the relative URL is empty, or has empty segments or dots")
        }
        path = segments.map { Self.encoded($0) }.joined(separator: "/")
        query = parts.count == 2 ? Self.encoded(parts[1], and: "/?&=+") : nil
    }

    /// The operation without ids, which may be secrets, as that of an activation.
    var operation: String { path.split(separator: "/").prefix(3).joined(separator: "/") }

    func url(_ base: URL) -> URL {
        guard var parts = URLComponents(url: base, resolvingAgainstBaseURL: false) else { return base }
        let folder = parts.percentEncodedPath
        parts.percentEncodedPath = (folder.hasSuffix("/") ? folder : folder + "/") + path
        parts.percentEncodedQuery = query
        return parts.url ?? base
    }

    /// Encodes an id as one segment.
    static func segment(_ id: String) -> String {
        let allowed = CharacterSet.urlPathAllowed.subtracting(CharacterSet(charactersIn: "/%;?"))
        return id.addingPercentEncoding(withAllowedCharacters: allowed) ?? ""
    }

    private static func isSegment(_ segment: Substring) -> Bool {
        guard let plain = encoded(segment).removingPercentEncoding else { return false }
        return !["", ".", ".."].contains(plain)
    }

    private static func encoded(_ text: Substring, and others: String = "") -> String {
        let plain = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~!$'()*,:@&=+;\(others)".utf8)
        let bytes = Array(text.utf8)
        var result = ""
        for (index, byte) in bytes.enumerated() {
            if plain.contains(byte) || byte == UInt8(ascii: "%") && isEscape(bytes, at: index) {
                result.unicodeScalars.append(Unicode.Scalar(byte))
            } else {
                result += "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
            }
        }
        return result
    }

    private static func isEscape(_ bytes: [UInt8], at index: Int) -> Bool {
        index + 2 < bytes.count
            && bytes[(index + 1)...(index + 2)].allSatisfy { Character(Unicode.Scalar($0)).isHexDigit }
    }
}
