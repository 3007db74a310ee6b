package import CarillonEngine
package import CarillonModel
import CarillonOperatorModel
import CarillonSQL

extension DeliveryRepository {
    package func recentSends(
        to recipients: Recipients,
        of facts: OccurrenceFacts,
        at now: Timestamp
    ) async throws(StoreError) -> SendMemory {
        let question = RecentSendsQuestion(recipients, facts, now, database.dialect)
        var memory = try await database.read { connection in
            var memory = SendMemory()
            for cap in facts.frequencyCaps {
                memory.capped.formUnion(try question.capped(by: cap, connection))
            }
            if let period = facts.duplicateGuard {
                memory.said = try question.said(since: now.advanced(by: .zero - period), connection)
            }
            if let group = ControlGroup(of: facts.app, percent: facts.controlGroup) {
                memory.controlled = try question.members(of: group, connection)
            }
            return memory
        }
        let userCaps = facts.frequencyCaps.filter { $0.per == .user }
        if !userCaps.isEmpty { memory.capped.formUnion(try await capped(by: userCaps, question)) }
        return memory
    }

    /// The Devices whose User's cap is reached by what all Devices of the User got.
    ///
    /// Each read has a part of the Users who do not have more Devices together than one read takes.
    private func capped(
        by caps: [FrequencyCap],
        _ question: RecentSendsQuestion
    ) async throws(StoreError) -> Set<DeviceNumber> {
        let devices = try await database.read { connection in try question.users(connection) }
        let users = Dictionary(grouping: devices, by: \.user).mapValues { $0.map(\.device) }
        let names = Array(users.keys)
        var parts = UserParts()
        for start in stride(from: 0, to: names.count, by: UserParts.userLimit) {
            let some = names[start..<min(start + UserParts.userLimit, names.count)]
            let counts = try await database.read { connection in
                try question.deviceCounts(of: some, connection)
            }
            parts.add(counts)
        }
        var capped: Set<DeviceNumber> = []
        for part in parts.parts {
            let found = try await database.read { connection in
                var found: Set<UserID> = []
                for cap in caps { found.formUnion(try question.users(of: part, cappedBy: cap, connection)) }
                return found
            }
            for user in found { capped.formUnion(users[user] ?? []) }
        }
        return capped
    }
}

/// Users who have more Devices than one, in parts that have few enough together.
struct UserParts {
    /// How many Users one statement counts the Devices of.
    static let userLimit = 1_000
    /// How many Devices the Users of a part have together.
    static let deviceLimit = 20_000

    private(set) var parts: [[UserID]] = []
    private var devices = 0

    /// Adds Users with the numbers of their Devices.
    ///
    /// One of a single Device got what the Device got. One with more than a person has is no person: each of the
    /// Devices counts for itself, whatever the others got.
    mutating func add(_ counts: [(user: UserID, devices: Int)]) {
        for (user, count) in counts where count > 1 && count <= Tags.maximumDevices {
            if parts.isEmpty || devices + count > Self.deviceLimit {
                parts.append([])
                devices = 0
            }
            parts[parts.count - 1].append(user)
            devices += count
        }
    }
}
