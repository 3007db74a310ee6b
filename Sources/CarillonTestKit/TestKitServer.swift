public import Carillon
package import CarillonModel
public import Foundation

/// A Carillon server in memory, for tests.
///
/// It accepts registrations, tags, attributes, VoIP tokens and events as the real one does, and has one App, whose users
/// need no proof. It refuses less than the server, and stores nothing.
///
/// Unchecked: `lock` protects `state`.
public final class TestKitServer: Transport, @unchecked Sendable {
    /// The server's URL.
    public static let url = URL(string: "https://test-kit.example") ?? URL(fileURLWithPath: "/")
    /// The only App's key.
    public static let appKey = "pk_rehearsal"

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

    struct State {
        var devices: [DeviceID: TestKitDevice] = [:]
        var tags: [UserID: Set<TagID>] = [:]
        var attributes: [UserID: [String: JSONValue]] = [:]
        var knownTags: Set<TagID>?
        var adRuleApplies = true
        var messages: [InboxMessage] = []
        var reads: [String: Set<OccurrenceID>] = [:]
        var events: [Event] = []
        var requests: [Request] = []
        var faults: [Fault] = []
        var always: Fault?
        /// The only method that ``always`` is for; missing: all.
        var alwaysTo: String?
        var held: [OneShot<Void>] = []
        var heldWaiters: [OneShot<Void>] = []
        var sent: UInt32 = 0
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

extension TestKitServer {
    /// How many devices the server knows.
    public var deviceCount: Int { with(\.devices.count) }

    /// Whether the App's rules for ads apply to the phones; false as for a phone that is not set to Korean, in an App whose
    /// `adRule` is `korean`.
    public var adRuleApplies: Bool {
        get { with(\.adRuleApplies) }
        set { with { $0.adRuleApplies = newValue } }
    }
}

// MARK: - What tests look at and change

extension TestKitServer {
    /// The registrations of the devices, in the order of their first registration.
    package var registrations: [Registration] { with { $0.devices.values.map(\.registration) } }

    package var requests: [Request] { with(\.requests) }

    /// All events that were reported, each once.
    package var events: [Event] { with(\.events) }

    /// The VoIP tokens.
    package var callTokens: [VoIPRegistration] { with { $0.devices.values.compactMap(\.voIP) } }

    /// A user's tags.
    package func tags(of user: String) -> Set<String> {
        with { state in
            Set((UserID(rawValue: user).flatMap { state.tags[$0] } ?? []).map(\.rawValue))
        }
    }

    /// A user's attributes.
    package func attributes(of user: String) -> [String: JSONValue] {
        with { state in UserID(rawValue: user).flatMap { state.attributes[$0] } ?? [:] }
    }

    /// Sets faults in place of its own answers, each for one request.
    package func next(_ faults: Fault...) { with { $0.faults += faults } }

    /// Sets a fault in place of its own answers; `nil`: none.
    ///
    /// - Parameters:
    ///   - fault: The fault.
    ///   - method: The method of the requests; missing: all.
    package func always(_ fault: Fault?, to method: String? = nil) {
        with { state in
            state.always = fault
            state.alwaysTo = method
        }
    }

    /// Answers requests that are held.
    package func release() {
        let held = with { state in
            defer { state.held = [] }
            return state.held
        }
        for shot in held { shot.complete(()) }
    }

    /// Waits until a request is held.
    package func untilHolding() async {
        let shot: OneShot<Void>? = with { state in
            guard state.held.isEmpty else { return nil }
            let shot = OneShot<Void>()
            state.heldWaiters.append(shot)
            return shot
        }
        await shot?.wait()
    }
}

/// One Device, as the server knows it.
struct TestKitDevice: Sendable {
    var secret: String
    var registration: Registration
    var voIP: VoIPRegistration?
    var registeredAt: Timestamp
}
