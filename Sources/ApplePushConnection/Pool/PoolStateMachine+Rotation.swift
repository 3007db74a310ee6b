import ApplePush
import NIOCore

/// Replacement of working connections: by age, when idle, and for another key.
extension PoolStateMachine {
    /// Gives up connections that are old or idle; old ones one at a time, so that sending never stops.
    mutating func rotate(at now: NIODeadline) -> [Action] {
        var actions: [Action] = []
        if let timeout = configuration.idleTimeout, waiting.isEmpty {
            for (id, member) in members
            where member.phase == .ready && member.load == 0 && now >= member.idleSince + timeout {
                actions += giveUp(id)
            }
        }
        guard configuration.maximumAge != nil, !members.values.contains(where: { $0.phase != .ready }) else {
            return actions
        }
        let oldest = members.min { $0.value.expiry < $1.value.expiry }
        if let (id, member) = oldest, member.expiry <= now { actions += giveUp(id) }
        return actions
    }

    /// Gives up the connections of older keys that have no request in flight and nothing waiting.
    ///
    /// With the newest key alone there is nothing to do, so this costs a check of each connection.
    mutating func retireOldKeys() -> [Action] {
        guard let newestKey else { return [] }
        var actions: [Action] = []
        for (id, member) in members where member.phase == .ready && member.load == 0 {
            guard let key = member.keyID, key != newestKey, !isWaiting(key) else { continue }
            actions += giveUp(id)
        }
        return actions
    }

    /// Replaces the credentials: gives up every connection, and sends what is unsent with the new token, which is `nil`
    /// with a certificate.
    mutating func renew(_ token: ProviderToken?, at now: NIODeadline) -> [Action] {
        if let token {
            for id in jobs.keys { jobs[id]?.token = token }
            tally.record(token)
            newestKey = token.keyID
        }
        failures = 0
        nextConnect = now
        let actions = members.filter { $0.value.phase != .draining }.flatMap { giveUp($0.key) }
        return actions + distribute(at: now)
    }

    private func isWaiting(_ key: String) -> Bool {
        waiting.contains { jobs[$0.job]?.token?.keyID == key } || held.contains { jobs[$0]?.token?.keyID == key }
    }

    /// Lets a connection finish its work; it gets nothing more.
    private mutating func giveUp(_ id: Connection.ID) -> [Action] {
        members[id]?.phase = .draining
        return [.drain(id)]
    }
}
