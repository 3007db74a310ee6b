import NIOPosix

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// Finds out where a name leads.
package protocol HostResolver: Sendable {
    /// The addresses of a name, 4 or 16 bytes each; empty when it has none.
    func addresses(of host: String) async -> [[UInt8]]
}

/// Asks the system.
package struct SystemHostResolver: HostResolver {
    package init() {}

    package func addresses(of host: String) async -> [[UInt8]] {
        let found = try? await NIOThreadPool.singleton.runIfActive { Self.lookUp(host) }
        return found ?? []
    }

    private static func lookUp(_ host: String) -> [[UInt8]] {
        var hints = addrinfo()
        hints.ai_family = AF_UNSPEC
        #if canImport(Glibc)
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        #else
        hints.ai_socktype = SOCK_STREAM
        #endif
        var list: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(host, nil, &hints, &list) == 0 else { return [] }
        defer { freeaddrinfo(list) }
        var addresses: [[UInt8]] = []
        var next = list
        while let entry = next?.pointee {
            if let address = bytes(entry) { addresses.append(address) }
            next = entry.ai_next
        }
        return addresses
    }

    private static func bytes(_ entry: addrinfo) -> [UInt8]? {
        guard let address = UnsafeRawPointer(entry.ai_addr) else { return nil }
        switch entry.ai_family {
        case AF_INET:
            return withUnsafeBytes(of: address.loadUnaligned(as: sockaddr_in.self).sin_addr) { Array($0) }
        case AF_INET6:
            return withUnsafeBytes(of: address.loadUnaligned(as: sockaddr_in6.self).sin6_addr) { Array($0) }
        default: return nil
        }
    }
}
