package import CarillonModel
import NIOConcurrencyHelpers
import NIOPosix

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// Resolves host names.
package protocol HostResolver: Sendable {
    /// Resolves a name.
    ///
    /// - Parameters:
    ///   - host: The name.
    ///   - app: The webhook's App: slow names of an App delay only its own.
    /// - Returns: The addresses of the name, 4 or 16 bytes each; empty when it has none.
    func addresses(of host: String, for app: AppID) async -> [[UInt8]]
}

/// Uses the system's resolver, on threads of its own.
///
/// The system's lookup blocks its thread while a name server does not answer, which the owner of the name controls. One
/// App's names use at most a quarter of the threads; when more names wait than ``waitingLimit``, further ones do not
/// resolve.
package final class SystemHostResolver: HostResolver {
    private struct State {
        var queue: LookupQueue<AppID>
        var nextID: UInt64 = 0
        /// Callers that wait for a thread; resumed with whether they have it.
        var waiting: [UInt64: CheckedContinuation<Bool, Never>] = [:]
    }

    private static let threadCount = 8
    private static let waitingLimit = 1_000

    private let threads: NIOThreadPool
    private let lookUp: @Sendable (String) -> [[UInt8]]
    private let state: NIOLockedValueBox<State>

    /// Creates a resolver with its threads; they end with it.
    package convenience init() {
        self.init(threadCount: Self.threadCount, lookUp: Self.lookUp)
    }

    /// Creates a resolver with a lookup function, which may block.
    ///
    /// - Parameters:
    ///   - threadCount: Number of concurrent lookups, 2 or more.
    ///   - lookUp: Finds a name's addresses.
    init(threadCount: Int, lookUp: @escaping @Sendable (String) -> [[UInt8]]) {
        threads = NIOThreadPool(numberOfThreads: threadCount)
        threads.start()
        self.lookUp = lookUp
        state = NIOLockedValueBox(State(queue: LookupQueue(limit: threadCount, waitingLimit: Self.waitingLimit)))
    }

    deinit { threads.shutdownGracefully { _ in } }

    package func addresses(of host: String, for app: AppID) async -> [[UInt8]] {
        guard await acquireThread(for: app) else { return [] }
        // The thread is free when the lookup returns, also when its caller gave up earlier. Released here and not by
        // the work itself: work that is cancelled before it begins never runs.
        let found = try? await threads.runIfActive { [self] in lookUp(host) }
        releaseThread(of: app)
        return found ?? []
    }

    // MARK: - Private

    private func acquireThread(for app: AppID) async -> Bool {
        let id = state.withLockedValue { state in
            state.nextID += 1
            return state.nextID
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let answer: Bool? = state.withLockedValue { state in
                    if Task.isCancelled { return false }
                    switch state.queue.add(id, of: app) {
                    case .start: return true
                    case .refuse: return false
                    case .wait:
                        state.waiting[id] = continuation
                        return nil
                    }
                }
                if let answer { continuation.resume(returning: answer) }
            }
        } onCancel: {
            let waiting = state.withLockedValue { state in
                state.queue.cancel(id) ? state.waiting.removeValue(forKey: id) : nil
            }
            waiting?.resume(returning: false)
        }
    }

    private func releaseThread(of app: AppID) {
        let next = state.withLockedValue { state in
            state.queue.end(of: app).flatMap { state.waiting.removeValue(forKey: $0) }
        }
        next?.resume(returning: true)
    }

    @Sendable private static func lookUp(_ host: String) -> [[UInt8]] {
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
