import CarillonEngine
import HTTPTypes
import Hummingbird

/// What the server knows about a caller of the console, beside the request.
package struct ConsoleCaller: Sendable {
    /// The caller's address.
    package var address: String
    /// What attempts are counted by: an IPv4 address or an IPv6 /64 block.
    package var network: String
    /// The other end of the connection: the caller's own address, or that of the last proxy.
    package var peer: String
    /// Whether the request came over TLS, to this server or to a trusted proxy.
    package var isEncrypted: Bool
    /// The request's id, which error pages show and the log has.
    package var requestID: String

    package init(address: String, network: String, peer: String = "", isEncrypted: Bool, requestID: String) {
        self.address = address
        self.network = network
        self.peer = peer
        self.isEncrypted = isEncrypted
        self.requestID = requestID
    }
}

/// A request of a browser, with its form read.
struct ConsoleRequest: Sendable {
    let method: HTTPRequest.Method
    /// The path below `/console`, without the query: `/apps/app_1`.
    let path: String
    /// The query as it was sent.
    let query: FormFields
    /// The form of a POST; empty for other methods.
    let form: FormFields
    let headers: HTTPFields
    let cookies: Cookies
    let caller: ConsoleCaller
    let origin: ConsoleOrigin

    /// The path with the query, below `/console`.
    var location: String { query.isEmpty ? path : path + "?" + query.encoded }

    /// What the browser keeps of a sign-in at the provider; `nil` for none.
    var pendingSignIn: String? { ConsoleCookies(isEncrypted: origin.isEncrypted).pending(cookies) }

    /// The engine's form of the caller.
    var operatorCaller: OperatorCaller {
        OperatorCaller(address: caller.address, network: caller.network, client: headers[.userAgent])
    }
}

/// The console's own address, as a request used it.
struct ConsoleOrigin: Hashable, Sendable {
    /// Scheme, host and port, as browsers write it in `Origin`.
    let text: String
    let isEncrypted: Bool
    /// Whether it is on the caller's own machine, so that plain HTTP is read by nobody.
    let isLoopback: Bool
    /// The host's name or address, without port.
    private let host: String

    /// - Parameters:
    ///   - publicURL: The configured address; `nil` for the one of the request.
    ///   - authority: Host and port that the browser asked.
    ///   - isEncrypted: Whether the request came over TLS.
    init(publicURL: String?, authority: String, isEncrypted: Bool) {
        let own = publicURL.map { $0.hasSuffix("/") ? String($0.dropLast()) : $0 }
        text = (own ?? "\(isEncrypted ? "https" : "http")://\(authority)").lowercased()
        self.isEncrypted = own.map { $0.lowercased().hasPrefix("https://") } ?? isEncrypted
        let host = text.split(separator: "/").dropFirst().first.map(String.init) ?? ""
        let name = host.hasPrefix("[") ? host.prefix { $0 != "]" } + "]" : host.prefix { $0 != ":" }
        self.host = String(name)
        isLoopback =
            name == "localhost" || name == "[::1]"
            || name.hasPrefix("127.")
                && name.allSatisfy {
                    $0 == "." || $0.isNumber
                }
    }

    /// The console as passkeys know it; `nil` where browsers have none: over plain HTTP from another machine, and at an
    /// address without a name.
    var passkeyParty: PasskeyParty? {
        guard isEncrypted || isLoopback, !host.isEmpty, !host.hasPrefix("["),
            !host.allSatisfy({ $0.isNumber || $0 == "." })
        else { return nil }
        return PasskeyParty(id: host, origin: text)
    }
}
