import ApplePush
import Foundation
import NIOCore

@testable import ApplePushConnection

/// A pool's state machine with what a test asks of it.
struct PoolRig {
    typealias Action = PoolStateMachine.Action

    static let start = NIODeadline.uptimeNanoseconds(1_000_000_000)
    static let accepted = Outcome.accepted(uniqueID: nil)

    var pool: PoolStateMachine
    var now = start

    init(_ change: (inout PoolStateMachine.Configuration) -> Void = { _ in }) {
        var configuration = PoolStateMachine.Configuration()
        configuration.lotSize = 10
        configuration.watermark = 20
        change(&configuration)
        pool = PoolStateMachine(configuration)
    }

    static func token(_ key: String) -> ProviderToken {
        ProviderToken(rawValue: "jwt-\(key)", keyID: key, issuedAt: .distantPast)
    }

    mutating func send(
        _ count: Int,
        key: String? = nil,
        for amount: TimeAmount = .hours(1),
        whenFull: ConnectionPool.WhenFull = .giveBack
    ) -> [Action] {
        let id = pool.makeJobID()
        return pool.send(
            Sample.batch(count),
            as: id,
            token: key.map { Self.token($0) },
            deadline: now + amount,
            whenFull: whenFull,
            at: now
        )
    }

    mutating func pass(_ amount: TimeAmount) -> [Action] {
        now = now + amount
        return pool.tick(now)
    }

    mutating func ready(_ id: Connection.ID, jitter: Double = 0) -> [Action] {
        pool.connectionIsReady(id, at: now, jitter: jitter)
    }

    mutating func finish(_ slice: BatchSlice, _ outcome: Outcome = accepted) -> [Action] {
        pool.sliceFinished(slice.id, Array(repeating: outcome, count: slice.count), at: now)
    }

    mutating func close(_ id: Connection.ID, _ closure: ConnectionClosure = ConnectionClosure(.drained)) -> [Action] {
        pool.connectionClosed(id, closure, at: now, jitter: 1)
    }
}

extension [PoolStateMachine.Action] {
    var connects: [Connection.ID] { compactMap { if case .connect(let id) = $0 { id } else { nil } } }

    var drains: [Connection.ID] { compactMap { if case .drain(let id) = $0 { id } else { nil } } }

    var offers: [(connection: Connection.ID, slice: BatchSlice)] {
        compactMap { if case .offer(let id, let slice) = $0 { (id, slice) } else { nil } }
    }

    var finished: [[Outcome]] { compactMap { if case .finish(_, let outcomes) = $0 { outcomes } else { nil } } }
}
