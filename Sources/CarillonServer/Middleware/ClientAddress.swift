import Hummingbird
import NIOCore

/// Addresses that are believed when they say whom they answer for: `127.0.0.1`, `10.0.0.0/8`, `fd00::/8`.
package struct TrustedProxies: Hashable, Sendable {
    private struct Block: Hashable {
        var bytes: [UInt8]
        var bits: Int
    }

    private var blocks: [Block] = []

    /// Trusts nobody.
    package init() {}

    /// Reads addresses and blocks of addresses.
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

    /// Whether nobody is trusted.
    package var isEmpty: Bool { blocks.isEmpty }

    /// Whether an address in its text form is trusted.
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

    private static func bytes(_ text: String) -> [UInt8]? {
        guard let address = try? SocketAddress(ipAddress: text, port: 0) else { return nil }
        // The socket's address begins with family and port, in version 6 then the flow: four and eight bytes.
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

/// Finds out from which address a request came.
struct ClientAddress: Sendable {
    let proxies: TrustedProxies

    /// The caller's address: the connection's, or what a trusted proxy says in `X-Forwarded-For`.
    ///
    /// Of a chain of proxies the last address that is not itself trusted counts: what stands before it anybody may
    /// have written.
    func of(_ request: Request, _ context: ServerContext) -> String {
        let peer = context.peer?.ipAddress ?? "local"
        guard !proxies.isEmpty, proxies.contains(peer), let chain = request.headers[.forwardedFor] else { return peer }
        let hops = chain.utf8.count <= 2_048 ? chain.split(separator: ",").map { $0.filter { $0 != " " } } : []
        return hops.last { !proxies.contains($0) && TrustedProxies([$0]) != nil } ?? peer
    }

    /// Whether the caller is on this machine, with no proxy in between.
    func isLocal(_ request: Request, _ context: ServerContext) -> Bool {
        guard request.headers[.forwardedFor] == nil, let peer = context.peer else { return false }
        guard let address = peer.ipAddress else { return true }
        return address == "::1" || address.hasPrefix("127.") || address.hasPrefix("::ffff:127.")
    }
}
