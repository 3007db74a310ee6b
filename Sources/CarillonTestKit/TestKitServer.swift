public import Carillon
package import CarillonModel
public import Foundation

/// A Carillon server in memory, for tests: as much of it as an app notices.
///
/// It takes registrations, tags, attributes, tokens for calls and events as the real one does, and knows one App, whose
/// users need no proof. It is not the server: what it refuses is less, and nothing is kept.
///
/// Unchecked: `lock` protects `state`.
public final class TestKitServer: Transport, @unchecked Sendable {
    /// Where it pretends to be.
    public static let url = URL(string: "https://test-kit.example") ?? URL(fileURLWithPath: "/")
    /// The only App's key.
    public static let appKey = "pk_rehearsal"

    /// A request that came.
    package struct Request: Sendable {
        package var method: String
        package var url: URL
        package var headers: [String: String]
        package var body: Data

        package var path: String { url.path }
        package var line: String { "\(method) \(url.path)" }
    }

    /// What is sent in place of an answer of its own.
    package enum Fault: Sendable {
        case answer(TransportAnswer)
        case error(any Error)
        /// Waits until ``TestKitServer/release()``, then answers by itself.
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
        /// The only method that ``always`` is for; missing: it is for all.
        var alwaysTo: String?
        var held: [OneShot<Void>] = []
        var heldWaiters: [OneShot<Void>] = []
        var sent: UInt32 = 0
    }

    private let lock = NSLock()
    private var state = State()
    let now: @Sendable () -> Timestamp

    /// Makes a server that knows nobody.
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
    /// - Throws: Only what a test asked for.
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

    /// Whether the App's rules for ads cover the phones; false is what a phone that is not set to Korean is told by an
    /// App whose `adRule` is `korean`.
    public var adRuleApplies: Bool {
        get { with(\.adRuleApplies) }
        set { with { $0.adRuleApplies = newValue } }
    }
}

// MARK: - What tests look at and change

extension TestKitServer {
    /// What a device told, by its id's order of registration.
    package var registrations: [Registration] { with { $0.devices.values.map(\.registration) } }

    package var requests: [Request] { with(\.requests) }

    /// All events that were reported, each once.
    package var events: [Event] { with(\.events) }

    /// The tokens for calls.
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

    /// Does something else than answering by itself, once for each.
    package func next(_ faults: Fault...) { with { $0.faults += faults } }

    /// Does something else than answering by itself; `nil`: answers again.
    ///
    /// - Parameters:
    ///   - fault: What it does.
    ///   - method: To which requests; missing: to all.
    package func always(_ fault: Fault?, to method: String? = nil) {
        with { state in
            state.always = fault
            state.alwaysTo = method
        }
    }

    /// Lets requests that are held go on.
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
