import Foundation
import SampledFunArt

/// The world of the app's screens, as a test sets it; it keeps what was asked.
///
/// Unchecked: `lock` protects the rest.
final class FunArtWorld: Accounts, Events, Buses, Follows, @unchecked Sendable {
    private let lock = NSLock()
    private var answers = Answers()
    private var calls: [String] = []
    private var gates: [AsyncStream<Void>.Continuation] = []

    /// What the world answers.
    struct Answers {
        var person: Person?
        /// Whom the phone knows to be signed in.
        var known: Person?
        var failure: Failure?
        var sessions: [EventSession] = []
        var stops: [BusStop] = []
        var routes: [String: [BusRoute]] = [:]
        var arrivals: [BusArrival] = []
        var follows: [Follow] = []
        var isStored = false
        /// Whether questions for sessions wait until they are given up, or ``FunArtWorld/open()``.
        var isClosed = false
    }

    /// The current time: noon of 2026-11-26 in Taiwan.
    let now = Date(timeIntervalSince1970: 1_795_665_600)

    var services: Services {
        let now = now
        return Services(accounts: self, events: self, buses: self, follows: self, now: { now })
    }

    /// What was asked, in order.
    var asked: [String] { lock.withLock { calls } }

    func answer(_ change: (inout Answers) -> Void) { lock.withLock { change(&answers) } }

    /// Lets the questions that wait have their answer.
    func open() {
        let waiting = lock.withLock { () -> [AsyncStream<Void>.Continuation] in
            defer { gates = [] }
            answers.isClosed = false
            return gates
        }
        for gate in waiting { gate.finish() }
    }

    private func call<Value>(_ name: String, _ path: (Answers) -> Value) throws(Failure) -> Value {
        let known = lock.withLock { () -> Answers in
            calls.append(name)
            return answers
        }
        if let failure = known.failure { throw failure }
        return path(known)
    }

    // MARK: - Accounts

    func refresh() async throws(Failure) -> Person? { try call("refresh", \.person) }

    func current() async -> Person? { lock.withLock { answers.known } }

    func signUp(name: String, password: String) async throws(Failure) -> Person {
        try call("signUp \(name) \(password)") { _ in Person(displayName: name) }
    }

    func signIn(name: String, password: String) async throws(Failure) -> Person {
        try call("signIn \(name) \(password)") { _ in Person(displayName: name) }
    }

    func signOut() async throws(Failure) { try call("signOut") { _ in } }

    // MARK: - Events

    func sessions(_ query: EventQuery) async throws(Failure) -> Loaded<[EventSession]> {
        let name = "sessions \(query.kind.rawValue) \(query.from.text) \(query.through.text)"
        let isClosed = try call(name, \.isClosed)
        if isClosed {
            let (gate, continuation) = AsyncStream.makeStream(of: Void.self)
            lock.withLock { gates.append(continuation) }
            for await _ in gate {}
            // Each question has an answer of its own.
            return Loaded([EventSession(id: name, event: name, title: name)])
        }
        return lock.withLock { Loaded(answers.sessions, isStored: answers.isStored) }
    }

    func sessions(of event: String) async throws(Failure) -> Loaded<[EventSession]> {
        try call("event \(event)") { Loaded($0.sessions, isStored: $0.isStored) }
    }

    // MARK: - Buses

    func stops(near place: Position, radius: Double) async throws(Failure) -> Loaded<[BusStop]> {
        try call("stops \(place.text)") { Loaded($0.stops, isStored: $0.isStored) }
    }

    func stops(_ ids: [String]) async throws(Failure) -> [BusStop] {
        try call("stops") { answers in answers.stops.filter { ids.contains($0.id) } }
    }

    func routes(at stop: BusStop) async throws(Failure) -> [BusRoute] {
        try call("routes \(stop.id)") { $0.routes[stop.id] ?? [] }
    }

    func route(_ id: String) async throws(Failure) -> BusRoute? {
        try call("route \(id)") { $0.routes.values.joined().first { $0.id == id } }
    }

    func arrivals(of route: String) async throws(Failure) -> Loaded<[BusArrival]> {
        try call("arrivals \(route)") { Loaded($0.arrivals, isStored: $0.isStored) }
    }

    // MARK: - Follows

    func list() async throws(Failure) -> [Follow] { try call("follows", \.follows) }

    func add(_ follow: Follow) async throws(Failure) {
        try call("follow \(follow)") { _ in }
        answer { $0.follows.append(follow) }
    }

    func remove(_ follow: Follow) async throws(Failure) {
        try call("unfollow \(follow)") { _ in }
        answer { $0.follows.removeAll { $0 == follow } }
    }
}
