import ApplePush
import ApplePushConnection
import ApplePushSender
import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import CarillonServer
import Foundation
import NIOConcurrencyHelpers

/// What a node reports of itself: its connections to APNs, and what they answered in the last hour.
///
/// Rates are the differences of two looks at counters, which sending keeps in any case.
final class NodeSampler: Sendable {
    private struct Look {
        var at: Timestamp
        var answers: Int
        var goAways: [RejectionReason: Int]
    }

    private struct State {
        var looks: [String: Look] = [:]
        var goAways: [String: (reason: String, at: Timestamp)] = [:]
        var minutes: [NodeMinute] = []
        var totals = (accepted: 0, refused: 0, tooMany: 0)
    }

    /// How many minutes are held.
    private static let minuteCount = 60

    private let facts: NodeFacts
    private let sender: APNsSender
    private let state = NIOLockedValueBox(State())

    init(name: String, role: String, sender: APNsSender, startedAt: Timestamp) {
        facts = NodeFacts(name: name, role: role, version: CarillonVersion.current, startedAt: startedAt)
        self.sender = sender
    }

    /// Looks at the counters.
    func sample(at now: Timestamp) -> NodeFacts {
        let lanes = sender.lanes
        var facts = facts
        state.withLockedValue { state in
            facts.lanes = lanes.map { Self.lane($0, at: now, &state) }
            Self.count(sender.metrics.map(\.metrics), at: now, &state)
            facts.minutes = state.minutes
        }
        return facts
    }

    private static func lane(_ found: APNsSender.Lane, at now: Timestamp, _ state: inout State) -> NodeLane {
        let metrics = found.metrics
        let key = found.environment + " " + found.keyID
        var lane = NodeLane(environment: found.environment, keyID: found.keyID, apps: found.apps)
        (lane.connections, lane.streams) = (metrics.connections, metrics.inFlight)
        (lane.streamLimit, lane.waiting) = (metrics.streamLimit, metrics.queued)
        lane.accepted = metrics.accepted
        lane.refused = Dictionary(metrics.rejected.map { ($0.rawValue, $1) }, uniquingKeysWith: +)
        lane.isSlowed = metrics.slowed > 0
        lane.tokenAge = metrics.providerTokenIssuedAt.map { max(0, Int(now.date.timeIntervalSince($0))) }
        let look = Look(
            at: now,
            answers: metrics.accepted + metrics.rejected.values.reduce(0, +),
            goAways: metrics.goAways
        )
        let before = state.looks.updateValue(look, forKey: key)
        if let before, before.at < now {
            let seconds = Double(now.rawValue - before.at.rawValue) / 1_000
            lane.answersPerSecond = (Double(max(0, look.answers - before.answers)) / seconds * 10).rounded() / 10
        }
        let new = metrics.goAways.filter { $0.value > before?.goAways[$0.key] ?? 0 }.map(\.key.rawValue).sorted()
        if let reason = new.last { state.goAways[key] = (reason, now) }
        if let last = state.goAways[key] { (lane.goAway, lane.goAwayAt) = (last.reason, last.at) }
        return lane
    }

    /// Adds what was answered since the last look to the minute.
    private static func count(_ all: [ConnectionPool.Metrics], at now: Timestamp, _ state: inout State) {
        let accepted = all.reduce(0) { $0 + $1.accepted }
        let refused = all.reduce(0) { $0 + $1.rejected.values.reduce(0, +) }
        let tooMany = all.reduce(0) { $0 + ($1.rejected[.tooManyRequests] ?? 0) }
        let start = Timestamp(rawValue: now.rawValue - now.rawValue % 60_000)
        if state.minutes.last?.at != start { state.minutes.append(NodeMinute(at: start)) }
        if state.minutes.count > minuteCount { state.minutes.removeFirst(state.minutes.count - minuteCount) }
        let last = state.minutes.count - 1
        state.minutes[last].accepted += max(0, accepted - state.totals.accepted)
        state.minutes[last].refused += max(0, refused - state.totals.refused)
        state.minutes[last].tooMany += max(0, tooMany - state.totals.tooMany)
        state.totals = (accepted, refused, tooMany)
    }
}
