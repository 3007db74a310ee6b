import NIOCore
import NIOPosix

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Why a connection could not be made, in words for people: without the structure of NIO's errors.
enum ConnectFailureText {
    /// Maximum number of characters; a host may have many addresses.
    private static let limit = 300

    static func text(of error: any Error) -> String {
        guard let failure = error as? NIOConnectionError else { return shortened(String(describing: error)) }
        if failure.connectionErrors.isEmpty {
            let lookup = failure.dnsAError ?? failure.dnsAAAAError
            return shortened(lookup.map { String(describing: $0) } ?? "\(failure.host) has no address")
        }
        let attempts = failure.connectionErrors.map { attempt in
            "\(address(attempt.target, of: failure)): \(cause(attempt.error))"
        }
        return shortened(attempts.joined(separator: "; "))
    }

    private static func address(_ address: SocketAddress, of failure: NIOConnectionError) -> String {
        guard let ip = address.ipAddress, let port = address.port else { return "\(failure.host):\(failure.port)" }
        return ip.contains(":") ? "[\(ip)]:\(port)" : "\(ip):\(port)"
    }

    private static func cause(_ error: any Error) -> String {
        if let error = error as? IOError { return String(cString: strerror(error.errnoCode)) }
        if let error = error as? ChannelError, case .connectTimeout = error { return "no answer in time" }
        return String(describing: error)
    }

    /// Ends a long text between two words.
    private static func shortened(_ text: String) -> String {
        guard text.count > limit else { return text }
        let head = text.prefix(limit)
        return String(head[..<(head.lastIndex(of: " ") ?? head.endIndex)]) + " …"
    }
}
