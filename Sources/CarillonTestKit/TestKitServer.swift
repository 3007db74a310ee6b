public import Carillon
package import CarillonModel
public import Foundation

/// A Carillon server in memory, for tests.
///
/// It answers the SDK's requests as the real one does; one suite of tests runs against both. It has one App, whose users need
/// no proof and whose inboxes belong to installations; what a user follows is theirs on all phones, as in an App of signed
/// identity. Accounts are off and there are no content sets until a test sets them. It sends nothing by itself, limits no
/// rates, and a push for all phones has one receipt, so that each kind of event counts once for all of them.
///
/// Unchecked: `lock` protects `state`.
public final class TestKitServer: Transport, @unchecked Sendable {
    /// The server's URL.
    public static let url = URL(string: "https://test-kit.example") ?? URL(fileURLWithPath: "/")
    /// The only App's key.
    public static let appKey = "pk_test-kit"

    /// A request that it received.
    package struct Request: Sendable {
        package var method: String
        package var url: URL
        package var headers: [String: String]
        package var body: Data

        package var path: String { url.path }
        package var line: String { "\(method) \(url.path)" }
    }

    /// What it does in place of its own answer.
    package enum Fault: Sendable {
        case answer(TransportAnswer)
        case error(any Error)
        /// Waits until ``TestKitServer/release()``, then sends its own answer.
        case hold
    }

    private let lock = NSLock()
    private var state = State()
    let now: @Sendable () -> Timestamp

    /// Makes a server without devices.
    public convenience init() { self.init { Timestamp(Date()) } }

    package init(now: @escaping @Sendable () -> Timestamp) { self.now = now }

    func with<Result>(_ body: (inout State) throws -> Result) rethrows -> Result {
        lock.lock()
        defer { lock.unlock() }
        return try body(&state)
    }

    /// Answers a request as the server would.
    ///
    /// - Parameter request: The request.
    /// - Returns: The answer.
    /// - Throws: Only the fault that a test has set.
    public func send(_ request: TransportRequest) async throws -> TransportAnswer {
        let fault: Fault? = with { state in
            state.requests.append(
                Request(
                    method: request.method,
                    url: request.url,
                    headers: request.headers,
                    body: request.body ?? Data()
                )
            )
            guard state.faults.isEmpty else { return state.faults.removeFirst() }
            return state.alwaysTo ?? request.method == request.method ? state.always : nil
        }
        switch fault {
        case .answer(let answer)?: return answer
        case .error(let error)?: throw error
        case .hold?: await hold()
        case nil: break
        }
        return answer(to: request)
    }

    private func hold() async {
        let shot = OneShot<Void>()
        let waiters = with { state in
            state.held.append(shot)
            defer { state.heldWaiters = [] }
            return state.heldWaiters
        }
        for waiter in waiters { waiter.complete(()) }
        await shot.wait()
    }
}
