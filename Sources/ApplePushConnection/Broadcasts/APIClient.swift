import NIOConcurrencyHelpers
import NIOCore
import NIOSSL

/// Sends requests to one server over one connection, which is made on demand and replaced when it is unusable.
final class APIClient: Sendable {
    private struct State {
        var connection: APIConnection?
        var lastUse = NIODeadline.distantPast
        var isShutDown = false
    }

    /// How often a request is sent while the server has certainly not processed it.
    private static let attempts = 3

    private let route: APIRoute
    private let tls: NIOSSLContext
    private let idleLimit: TimeAmount
    private let group: any EventLoopGroup
    private let closure = NIOLockedValueBox<ConnectionClosure?>(nil)
    private let state = NIOLockedValueBox(State())

    /// `idleLimit` is the maximum idle time after which a connection is reused.
    init(
        _ route: APIRoute,
        tls: NIOSSLContext,
        idleLimit: TimeAmount,
        group: any EventLoopGroup
    ) {
        self.route = route
        self.tls = tls
        self.idleLimit = idleLimit
        self.group = group
    }

    /// Why the last connection ended.
    var lastClosure: ConnectionClosure? { closure.withLockedValue { $0 } }

    /// Sends a request, again only when the server has certainly not processed it.
    func perform(_ request: APIRequest, deadline: NIODeadline) async -> APIOutcome {
        var outcome = APIOutcome.notSent(.noConnection)
        for _ in 0..<Self.attempts {
            guard let connection = connection() else { return .notSent(.shutDown) }
            outcome = await connection.perform(request, deadline: deadline)
            record(outcome, of: connection)
            guard case .notSent(let failure) = outcome, failure.isWorthAnotherTry, NIODeadline.now() < deadline else {
                break
            }
            // Another attempt does not correct wrong credentials.
            if connection.closure?.reason?.isCredentialProblem == true { break }
        }
        return outcome
    }

    /// Accepts no more requests; those in flight may finish.
    func shutDown() {
        let connection = state.withLockedValue { state in
            state.isShutDown = true
            defer { state.connection = nil }
            return state.connection
        }
        connection?.drain()
    }

    // MARK: - Private

    /// The current connection, a new one if the last has ended or was idle for too long; `nil` after the shutdown.
    private func connection() -> APIConnection? {
        let now = NIODeadline.now()
        let (connection, worn) = state.withLockedValue { state -> (APIConnection?, APIConnection?) in
            guard !state.isShutDown else { return (nil, nil) }
            defer { state.lastUse = now }
            if let connection = state.connection, connection.closure == nil, now - state.lastUse < idleLimit {
                return (connection, nil)
            }
            let worn = state.connection
            let made = APIConnection(route, tls: tls, on: group.next())
            state.connection = made
            return (made, worn)
        }
        worn?.drain()
        return connection
    }

    private func record(_ outcome: APIOutcome, of connection: APIConnection) {
        if let ended = connection.closure { closure.withLockedValue { $0 = ended } }
        // Without an answer the connection may be dead: the next request uses a new one.
        guard case .unknown = outcome else { return }
        state.withLockedValue { state in
            if state.connection === connection { state.connection = nil }
        }
        connection.drain()
    }
}

extension Failure {
    /// Whether the connection, not the caller or the deadline, is the reason why a request was not sent.
    fileprivate var isWorthAnotherTry: Bool {
        self == .goAway || self == .refused || self == .connectionLost
    }
}
