import Carillon
import CarillonModel
import Foundation

/// Carries out what ``FollowMachine`` decides: saves its memory and sends requests, one at a time.
actor FollowCoordinator {
    /// What came of a change.
    struct Outcome {
        /// Whether the server has made it.
        var isSent = false
        /// Whether a later change of the same follow came before it was known what the server makes of this one.
        var isReplaced = false
        fileprivate var refusal: CarillonError?
    }

    private var loaded: FollowMachine?
    private var saved: FollowMachine.Memory?
    private var inFlight: Task<Void, Never>?
    /// What came of changes that somebody waits for, by their numbers.
    private var awaited: [Int: Outcome] = [:]
    /// How many changes the server has answered.
    private var answerCount = 0

    /// Follows or, without a record, stops following; sends it if the server can be reached.
    ///
    /// - Returns: What came of it: what is neither sent nor replaced waits to be sent.
    /// - Throws: `CarillonError` when it cannot be saved, when the server refuses it, or the user is replaced before it is sent.
    func put(
        _ follow: FollowRecord?,
        name: String,
        in set: String,
        _ client: CarillonClient
    ) async throws(CarillonError) -> Outcome {
        var machine = try await machine(client)
        guard let owner = machine.memory.owner else { throw .userRequired }
        for number in machine.numbers(of: name, in: set) { awaited[number]?.isReplaced = true }
        let number = machine.change(follow, name: name, in: set)
        try save(machine, client)
        awaited[number] = Outcome()
        defer {
            awaited[number] = nil
            client.wake()
        }
        await send(client, retryNow: true)
        let outcome = awaited[number] ?? Outcome()
        if let refusal = outcome.refusal { throw refusal }
        // Another user's app has none of it.
        if !outcome.isSent, loaded?.memory.owner != owner { throw .userRequired }
        return outcome
    }

    /// Sends what waits, then fetches what the user follows in a set.
    func fetch(_ set: String, _ client: CarillonClient) async throws(CarillonError) -> ContentFollows {
        guard let owner = try await machine(client).owner else { throw .userRequired }
        await send(client, retryNow: true)
        for _ in 1...Self.maximumFetches {
            let count = answerCount
            let data = try await client.requestAsUser("GET", "content-sets/\(set)/follows", as: owner)
            guard let list = try? JSONDecoder().decode(FollowList.self, from: data) else {
                throw .unreachable(.badAnswer)
            }
            var current = try await machine(client)
            // The user may have changed during the request.
            guard current.owner == owner else { break }
            // A change that was made meanwhile may be missing in the list.
            guard answerCount == count else { continue }
            current.setKnown(list.follows, in: set, at: client.time.now())
            try save(current, client)
            break
        }
        return try await machine(client).view(of: set)
    }

    /// How often a list is fetched while changes are made.
    private static let maximumFetches = 3

    func view(_ set: String, _ client: CarillonClient) async throws(CarillonError) -> ContentFollows {
        try await machine(client).view(of: set)
    }

    func waitingCount(_ client: CarillonClient) async throws(CarillonError) -> Int {
        try await machine(client).memory.changes.count
    }

    // MARK: - Sending

    /// Sends changes until there are none or a request fails; several callers share one sender.
    private func send(_ client: CarillonClient, retryNow: Bool) async {
        if retryNow, inFlight == nil, var machine = try? await machine(client) {
            machine.retry.retryNow()
            loaded = machine
        }
        while let task = inFlight { await task.value }
        guard await isDue(client) else { return }
        if let task = inFlight { return await task.value }
        let task = Task {
            await self.sendAll(client, retryNow: retryNow)
            self.inFlight = nil
        }
        inFlight = task
        await task.value
    }

    private func isDue(_ client: CarillonClient) async -> Bool {
        guard let machine = try? await machine(client), machine.next != nil else { return false }
        return machine.retry.opening(at: client.time.now()) == nil
    }

    private func sendAll(_ client: CarillonClient, retryNow: Bool) async {
        while await isDue(client), let change = loaded?.next, let owner = loaded?.owner {
            let error = await request(change, of: owner, client, retryNow: retryNow)
            answerCount += 1
            // The user may have changed during the request.
            guard var machine = try? await machine(client) else { return }
            apply(error, to: change, &machine, client)
            // With a full disk it is sent once more after a restart, and not again and again until then.
            if (try? save(machine, client)) == nil { loaded = machine }
        }
    }

    /// - Returns: Why the change is not made; `nil` when it is.
    private func request(
        _ change: FollowMachine.Change,
        of owner: UserID,
        _ client: CarillonClient,
        retryNow: Bool
    ) async -> CarillonError? {
        let path = "content-sets/\(change.set)/follows/\(change.name)"
        do throws(CarillonError) {
            let body = change.follow.flatMap { try? JSONEncoder().encode($0) }
            let method = change.follow == nil ? "DELETE" : "PUT"
            let answer = try await client.requestAsUser(method, path, as: owner, body: body, retryNow: retryNow)
            // A captive portal answers 200 too.
            let name = (try? JSONDecoder().decode(FollowAnswer.self, from: answer))?.name
            return (change.follow == nil ? answer.isEmpty : name == change.name) ? nil : .unreachable(.badAnswer)
        } catch {
            // What nobody follows has ended.
            if change.follow == nil, error.problem?.code == "unknown-content-follow" { return nil }
            return error
        }
    }

    private func apply(
        _ error: CarillonError?,
        to change: FollowMachine.Change,
        _ machine: inout FollowMachine,
        _ client: CarillonClient
    ) {
        guard let error else {
            awaited[change.number]?.isSent = true
            machine.finish(change)
            machine.retry.succeed()
            return
        }
        guard let problem = error.problem, problem.isOfServer else {
            machine.retry.fail(retryAfter: error.retryAfter, at: client.time.now(), jitter: .random(in: 0..<1))
            return
        }
        if problem.refusesContent {
            // Anything else is no answer of the server's to this change, which waits.
            awaited[change.number]?.refusal = error
            machine.drop(change)
        } else {
            machine.retry.refuse(at: client.time.now())
        }
    }

    // MARK: - Storage

    private func machine(_ client: CarillonClient) async throws(CarillonError) -> FollowMachine {
        let owner = try await client.user
        var machine: FollowMachine
        if let loaded {
            machine = loaded
        } else {
            saved = try file(client).load()
            machine = FollowMachine(saved ?? FollowMachine.Memory())
        }
        machine.belong(to: owner)
        loaded = machine
        return machine
    }

    private func save(_ machine: FollowMachine, _ client: CarillonClient) throws(CarillonError) {
        if machine.memory != saved {
            try file(client).save(machine.memory)
            saved = machine.memory
        }
        loaded = machine
    }

    private func file(_ client: CarillonClient) throws(CarillonError) -> StateFile<FollowMachine.Memory> {
        let folder = try StorageFolder.makePersonal(for: client.configuration)
        return StateFile(file: folder.appendingPathComponent("follows.json"))
    }
}

extension FollowCoordinator: ClientPart {
    func synchronize(_ client: CarillonClient, retryNow: Bool) async -> Timestamp? {
        guard let waiting = try? await waitingCount(client), waiting > 0, await client.isRegistered else { return nil }
        await send(client, retryNow: retryNow)
        guard let machine = try? await machine(client), machine.next != nil else { return nil }
        let now = client.time.now()
        return machine.retry.opening(at: now) ?? now
    }

    func erase(_ client: CarillonClient) async {
        var machine = loaded ?? FollowMachine()
        machine.belong(to: nil)
        loaded = machine
        try? save(machine, client)
        (try? ContentStorage(client.configuration))?.erase()
    }
}

extension Problem {
    /// Whether the server says so: what somebody before it answers is no problem document of its.
    fileprivate var isOfServer: Bool { !code.hasPrefix("http-") }

    /// Whether the server's own check refused the change, and would again.
    fileprivate var refusesContent: Bool {
        switch status {
        case 404: code.hasPrefix("unknown-content")
        case 400, 409, 413, 422: true
        default: false
        }
    }
}

/// The server's answer to a follow.
private struct FollowAnswer: Decodable {
    let name: String
}

/// The server's list of follows.
private struct FollowList: Decodable {
    private struct Item: Decodable {
        enum CodingKeys: String, CodingKey { case name }

        let name: String
        let record: FollowRecord

        init(from decoder: any Decoder) throws {
            name = try decoder.container(keyedBy: CodingKeys.self).decode(String.self, forKey: .name)
            record = try FollowRecord(from: decoder)
        }
    }

    private enum CodingKeys: String, CodingKey { case items }

    let follows: [String: FollowRecord]

    init(from decoder: any Decoder) throws {
        let items = try decoder.container(keyedBy: CodingKeys.self).decode([Item].self, forKey: .items)
        follows = Dictionary(items.map { ($0.name, $0.record) }) { _, last in last }
    }
}
