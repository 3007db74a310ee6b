import Foundation

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// An address of a network interface of this machine.
struct NetworkInterface: Hashable, Sendable {
    var isUp: Bool
    var isLoopback: Bool
    /// Whether the address is good for the machine's own link alone, as those that every interface has.
    var isLinkLocal: Bool

    /// Whether a packet can leave this machine for another network.
    static func isOnline(_ interfaces: [NetworkInterface]) -> Bool {
        interfaces.contains { $0.isUp && !$0.isLoopback && !$0.isLinkLocal }
    }

    /// The addresses of this machine, IPv4 and IPv6; none when the system does not tell.
    static var all: [NetworkInterface] {
        var first: UnsafeMutablePointer<ifaddrs>?
        guard getifaddrs(&first) == 0 else { return [] }
        defer { freeifaddrs(first) }
        var found: [NetworkInterface] = []
        var next = first
        while let entry = next?.pointee {
            if let interface = NetworkInterface(entry) { found.append(interface) }
            next = entry.ifa_next
        }
        return found
    }

    private init?(_ entry: ifaddrs) {
        guard let address = entry.ifa_addr else { return nil }
        switch Int32(address.pointee.sa_family) {
        case AF_INET:
            let bytes = Self.bytes(of: UnsafeRawPointer(address), as: sockaddr_in.self) { $0.sin_addr }
            isLinkLocal = bytes.prefix(2) == [169, 254]
        case AF_INET6:
            let bytes = Self.bytes(of: UnsafeRawPointer(address), as: sockaddr_in6.self) { $0.sin6_addr }
            isLinkLocal = bytes[0] == 0xFE && bytes[1] & 0xC0 == 0x80
        default: return nil
        }
        let (up, running) = (UInt32(IFF_UP), UInt32(IFF_RUNNING))
        isUp = entry.ifa_flags & up != 0 && entry.ifa_flags & running != 0
        isLoopback = entry.ifa_flags & UInt32(IFF_LOOPBACK) != 0
    }

    init(isUp: Bool = true, isLoopback: Bool = false, isLinkLocal: Bool = false) {
        self.isUp = isUp
        self.isLoopback = isLoopback
        self.isLinkLocal = isLinkLocal
    }

    private static func bytes<Socket, Address>(
        of pointer: UnsafeRawPointer,
        as type: Socket.Type,
        _ address: (Socket) -> Address
    ) -> [UInt8] {
        withUnsafeBytes(of: address(pointer.loadUnaligned(as: type))) { Array($0) }
    }
}
