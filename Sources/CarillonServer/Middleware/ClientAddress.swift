import CarillonBytes
import Hummingbird
import NIOCore

/// Addresses whose `X-Forwarded-For` is trusted: `127.0.0.1`, `10.0.0.0/8`, `fd00::/8`.
package struct TrustedProxies: Hashable, Sendable {
    private struct Block: Hashable {
        var bytes: [UInt8]
        var bits: Int
    }

    private var blocks: [Block] = []

    /// Trusts no address.
    package init() {}

    /// Parses addresses and CIDR blocks.
    ///
    /// - Returns: `nil` when one of them is neither.
    package init?(_ texts: [String]) {
        for text in texts {
            let parts = text.split(separator: "/", omittingEmptySubsequences: false)
            guard parts.count <= 2, let bytes = Self.bytes(String(parts[0])) else { return nil }
            let bits = parts.count == 2 ? Int(parts[1]) : bytes.count * 8
            guard let bits, (0...bytes.count * 8).contains(bits) else { return nil }
            blocks.append(Block(bytes: bytes, bits: bits))
        }
    }

    /// Whether no address is trusted.
    package var isEmpty: Bool { blocks.isEmpty }

    /// Whether an address in text form is trusted.
    package func contains(_ address: String) -> Bool {
        guard let bytes = Self.bytes(address) else { return false }
        return blocks.contains { block in
            block.bytes.count == bytes.count
                && (0..<block.bits).allSatisfy { bit in
                    let mask = UInt8(0x80) >> UInt8(bit % 8)
                    return block.bytes[bit / 8] & mask == bytes[bit / 8] & mask
                }
        }
    }

    /// The 4 or 16 bytes of an address in text form; `nil` when it is invalid.
    fileprivate static func bytes(_ text: String) -> [UInt8]? {
        guard let address = try? SocketAddress(ipAddress: text, port: 0) else { return nil }
        // The socket address begins with family and port, and in IPv6 the flow: four and eight bytes.
        switch address {
        case .v4(let address): return withUnsafeBytes(of: address.address) { Array($0.dropFirst(4).prefix(4)) }
        case .v6(let address):
            let bytes = withUnsafeBytes(of: address.address) { Array($0.dropFirst(8).prefix(16)) }
            let isMapped = bytes.prefix(10).allSatisfy { $0 == 0 } && bytes[10] == 0xFF && bytes[11] == 0xFF
            return isMapped ? Array(bytes.suffix(4)) : bytes
        case .unixDomainSocket: return nil
        }
    }
}

extension TrustedProxies {
    /// The last address of `X-Forwarded-For` that is not trusted.
    ///
    /// - Parameter chain: Addresses separated by commas, the nearest last; some proxies append the port.
    /// - Returns: `nil` when all are trusted, or a hop behind it is not an address.
    package func client(of chain: String) -> String? {
        for hop in chain.split(separator: ",", omittingEmptySubsequences: false).reversed() {
            guard let address = Self.address(ofHop: hop) else { return nil }
            if !contains(address) { return address }
        }
        return nil
    }

    /// The block of addresses that one host has: an IPv4 address, or an IPv6 /64.
    package static func network(of address: String) -> String {
        guard address.utf8.contains(UInt8(ascii: ":")), let bytes = bytes(address), bytes.count == 16 else {
            return address
        }
        return Hexadecimal.encode(bytes.prefix(8)) + "/64"
    }

    /// Parses `192.0.2.1`, `192.0.2.1:80`, `2001:db8::1`, `[2001:db8::1]` and `[2001:db8::1]:80`.
    private static func address(ofHop hop: Substring) -> String? {
        var text = hop.drop { $0 == " " || $0 == "\t" }
        while text.last == " " || text.last == "\t" { text.removeLast() }
        if text.first == "[" {
            guard let end = text.firstIndex(of: "]") else { return nil }
            guard isPort(text[text.index(after: end)...]) else { return nil }
            text = text[text.index(after: text.startIndex)..<end]
        } else if let colon = text.firstIndex(of: ":"), colon == text.lastIndex(of: ":") {
            guard isPort(text[colon...]) else { return nil }
            text = text[..<colon]
        }
        return bytes(String(text)) == nil ? nil : String(text)
    }

    /// Whether it is empty, or a colon and a port.
    private static func isPort(_ text: Substring) -> Bool {
        text.isEmpty || text.first == ":" && UInt16(text.dropFirst()) != nil
    }
}

/// Determines the client address of a request.
struct ClientAddress: Sendable {
    let proxies: TrustedProxies

    /// The caller's address: the connection's, or the one in `X-Forwarded-For` of a trusted proxy.
    ///
    /// In a chain of proxies the last untrusted address counts: anybody may have written those before it. A hop that is
    /// not an address (`unknown`) falls back to the connection's address.
    func of(_ request: Request, _ context: ServerContext) -> String {
        let peer = context.peer?.ipAddress ?? "local"
        guard proxies.contains(peer), let chain = request.headers[.forwardedFor], chain.utf8.count <= 2_048 else {
            return peer
        }
        return proxies.client(of: chain) ?? peer
    }

    /// The key of limits by address: the caller's IPv4 address, or its IPv6 /64 block, which one host has whole.
    func network(of request: Request, _ context: ServerContext) -> String {
        TrustedProxies.network(of: of(request, context))
    }

    /// Whether nobody on the way reads a request that came without the server's own TLS: it is from this machine, or a
    /// trusted proxy had it over TLS.
    func isUnreadable(_ request: Request, _ context: ServerContext) -> Bool {
        if isLocal(request, context) { return true }
        guard let peer = context.peer?.ipAddress, proxies.contains(peer) else { return false }
        return request.first(.forwardedProtocol)?.lowercased() == "https"
    }

    /// Whether the caller is on this machine, with no proxy in between.
    ///
    /// A trusted proxy counts as one even if it sends no `X-Forwarded-For`.
    func isLocal(_ request: Request, _ context: ServerContext) -> Bool {
        guard request.headers[.forwardedFor] == nil, let peer = context.peer else { return false }
        guard let address = peer.ipAddress else { return true }
        guard !proxies.contains(address) else { return false }
        return address == "::1" || address.hasPrefix("127.") || address.hasPrefix("::ffff:127.")
    }
}
