import Dispatch
import NIOConcurrencyHelpers
import NIOCore
import NIOPosix

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Resolves a host's addresses for one connection, and begins with another of them for each.
///
/// Queries the system each time: Apple requires a lookup before every connection, and the load to be spread
/// ("Establishing a connection to APNs").
final class AddressLookup: Resolver, Sendable {
    /// Finds the addresses of a host; may block.
    typealias Find = @Sendable (_ host: String, _ port: Int) throws -> [SocketAddress]

    /// The lookup failed, with the system's reason.
    struct Failure: Error, CustomStringConvertible {
        var description: String
    }

    private typealias Answers = (six: EventLoopFuture<[SocketAddress]>, four: EventLoopFuture<[SocketAddress]>)

    private let eventLoop: any EventLoop
    private let find: Find
    private let turn: Int
    /// The pending results, after the first query.
    private let answers = NIOLockedValueBox<Answers?>(nil)

    /// Creates a lookup.
    ///
    /// - Parameters:
    ///   - eventLoop: The event loop of the results.
    ///   - turn: Selects the first address, modulo their number.
    ///   - find: Finds the addresses; ``system(host:port:)`` except in tests.
    init(on eventLoop: any EventLoop, turn: Int, find: @escaping Find) {
        self.eventLoop = eventLoop
        self.find = find
        self.turn = turn
    }

    func initiateAAAAQuery(host: String, port: Int) -> EventLoopFuture<[SocketAddress]> {
        query(host, port).six
    }

    func initiateAQuery(host: String, port: Int) -> EventLoopFuture<[SocketAddress]> {
        query(host, port).four
    }

    /// The system's lookup cannot be cancelled; its results are ignored.
    func cancelQueries() {}

    /// Starts one lookup for both kinds of address.
    private func query(_ host: String, _ port: Int) -> Answers {
        answers.withLockedValue { answers in
            if let answers { return answers }
            let six = eventLoop.makePromise(of: [SocketAddress].self)
            let four = eventLoop.makePromise(of: [SocketAddress].self)
            DispatchQueue.global().async { [self] in
                do {
                    let all = try find(host, port)
                    six.succeed(rotated(all.filter { $0.protocol == .inet6 }))
                    four.succeed(rotated(all.filter { $0.protocol == .inet }))
                } catch {
                    six.fail(error)
                    four.fail(error)
                }
            }
            let asked = (six.futureResult, four.futureResult)
            answers = asked
            return asked
        }
    }

    private func rotated(_ addresses: [SocketAddress]) -> [SocketAddress] {
        guard !addresses.isEmpty else { return [] }
        let start = turn % addresses.count
        return Array(addresses[start...] + addresses[..<start])
    }

    /// Resolves a name with the system's resolver.
    ///
    /// - Throws: ``Failure`` when the name is unknown.
    static func system(host: String, port: Int) throws -> [SocketAddress] {
        var hints = addrinfo()
        #if os(Linux)
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        #else
        hints.ai_socktype = SOCK_STREAM
        #endif
        var list: UnsafeMutablePointer<addrinfo>?
        let code = getaddrinfo(host, String(port), &hints, &list)
        guard code == 0, let list else { throw Failure(description: "\(host): \(String(cString: gai_strerror(code)))") }
        defer { freeaddrinfo(list) }
        return sequence(first: list, next: { $0.pointee.ai_next }).compactMap { entry in
            guard let address = entry.pointee.ai_addr else { return nil }
            switch entry.pointee.ai_family {
            case AF_INET:
                return address.withMemoryRebound(to: sockaddr_in.self, capacity: 1) {
                    SocketAddress($0.pointee, host: host)
                }
            case AF_INET6:
                return address.withMemoryRebound(to: sockaddr_in6.self, capacity: 1) {
                    SocketAddress($0.pointee, host: host)
                }
            default: return nil
            }
        }
    }
}
