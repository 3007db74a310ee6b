#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A proxy that makes tunnels (`CONNECT`, RFC 9110 §9.3.6): TLS and HTTP/2 go through it unread.
///
/// Its password is a secret, and never shown by `description`.
public struct HTTPProxy: Hashable, Sendable {
    /// Why a text names no proxy; it never holds a part of the text.
    public enum Problem: Error, Hashable, Sendable, CustomStringConvertible {
        /// It is no URL with a host.
        case notURL
        /// Its scheme is not `http`: the way to the proxy itself is plain, what goes through it is TLS.
        case otherScheme
        /// Its port is none of 1 through 65,535.
        case badPort
        /// It has a path, a query or a fragment.
        case notAnOrigin
        /// The user's name has a colon, or one of the two a control character (RFC 7617 §2).
        case badCredentials

        /// What is wrong, in words.
        public var description: String {
            switch self {
            case .notURL: "a proxy is http://HOST:PORT, with USER:PASSWORD@ before the host where it requires them"
            case .otherScheme: "a proxy's URL begins with http://"
            case .badPort: "a proxy's port is 1 through 65535"
            case .notAnOrigin: "a proxy's URL ends with the port"
            case .badCredentials: "a proxy's user has no colon, and neither user nor password a control character"
            }
        }
    }

    /// The name or address.
    public let host: String
    /// The TCP port, 1 through 65,535.
    public let port: Int
    /// The value of `proxy-authorization`; `nil` for none.
    let authorization: String?

    /// Names a proxy.
    ///
    /// - Parameters:
    ///   - host: The name or address.
    ///   - port: The TCP port, 1 through 65,535.
    ///   - user: The user's name where the proxy asks for one, without a colon.
    ///   - password: The user's password.
    /// - Throws: ``Problem``.
    public init(host: String, port: Int, user: String? = nil, password: String = "") throws(Problem) {
        guard (1...65_535).contains(port) else { throw .badPort }
        guard !host.isEmpty, host.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else { throw .notURL }
        self.host = host
        self.port = port
        guard let user else {
            authorization = nil
            return
        }
        let isPlain = !user.contains(":") && (user + password).utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F }
        guard isPlain else { throw .badCredentials }
        authorization = "Basic " + Data("\(user):\(password)".utf8).base64EncodedString()
    }

    /// Reads `http://HOST:PORT` or `http://USER:PASSWORD@HOST:PORT`; without a port it is 80.
    ///
    /// - Parameter url: The text; user and password are percent-encoded.
    /// - Throws: ``Problem``.
    public init(url: String) throws(Problem) {
        guard let parts = URLComponents(string: url), let host = parts.host, !host.isEmpty else { throw .notURL }
        guard parts.scheme?.lowercased() == "http" else { throw .otherScheme }
        guard parts.path.isEmpty || parts.path == "/", parts.query == nil, parts.fragment == nil else {
            throw .notAnOrigin
        }
        let isBracketed = host.hasPrefix("[") && host.hasSuffix("]")
        try self.init(
            host: isBracketed ? String(host.dropFirst().dropLast()) : host,
            port: parts.port ?? 80,
            user: parts.user,
            password: parts.password ?? ""
        )
    }
}

extension HTTPProxy: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Host and port; never user or password.
    public var description: String { "\(host):\(port)" }

    /// The same as ``description``.
    public var debugDescription: String { description }

    /// A mirror without children.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
