public import ApplePush
import NIOConcurrencyHelpers

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension ConnectionPool {
    /// What a pool has done and is doing: figures for a monitor.
    ///
    /// Counting costs a few additions for each notification, no lock of its own and no memory. Words from APNs are
    /// bounded: those that Apple has not documented are counted together under ``otherReason``.
    public struct Metrics: Hashable, Sendable {
        /// The word under which undocumented reasons are counted.
        public static let otherReason = RejectionReason(rawValue: "Other")

        /// Notifications that wait: for room, for a connection, or for a stream.
        public var queued = 0
        /// Notifications on a stream, sent and not answered.
        public var inFlight = 0
        /// How many streams APNs allows now, on all connections together.
        public var streamLimit = 0
        /// Connections that stand or are being made.
        public var connections = 0
        /// Connections that were begun since the pool was made; all but the first few are reconnects.
        public var connects = 0
        /// Ends of connections by cause.
        public var closures: [ConnectionClosure.Cause: Int] = [:]
        /// GOAWAYs by the reason that they gave; `RejectionReason.unstated` for none.
        public var goAways: [RejectionReason: Int] = [:]
        /// Notifications that APNs took.
        public var accepted = 0
        /// Notifications that APNs refused, by reason.
        public var rejected: [RejectionReason: Int] = [:]
        /// Notifications that were not sent, by why.
        public var notSent: [Failure: Int] = [:]
        /// Notifications that were sent and not answered, by why.
        public var unknown: [Failure: Int] = [:]
        /// How long answers took.
        public var latency = LatencyHistogram()
        /// When the provider token that was used last was issued; `nil` under a certificate.
        public var providerTokenIssuedAt: Date?
        /// How many pools are slowed by their ``BadTokenBrake``: 0 or 1, more in a sum.
        public var slowed = 0

        /// All zero.
        public init() {}

        /// Adds another pool's figures; of the provider tokens the older one counts.
        public static func += (sum: inout Metrics, other: Metrics) {
            sum.queued += other.queued
            sum.inFlight += other.inFlight
            sum.streamLimit += other.streamLimit
            sum.connections += other.connections
            sum.connects += other.connects
            sum.closures.merge(other.closures, uniquingKeysWith: +)
            sum.goAways.merge(other.goAways, uniquingKeysWith: +)
            sum.accepted += other.accepted
            sum.rejected.merge(other.rejected, uniquingKeysWith: +)
            sum.notSent.merge(other.notSent, uniquingKeysWith: +)
            sum.unknown.merge(other.unknown, uniquingKeysWith: +)
            sum.latency += other.latency
            sum.slowed += other.slowed
            let issues = [sum.providerTokenIssuedAt, other.providerTokenIssuedAt].compactMap { $0 }
            sum.providerTokenIssuedAt = issues.min()
        }

        /// What was counted, without what is: that of a pool that is gone.
        var totals: Metrics {
            var totals = self
            totals.providerTokenIssuedAt = nil
            (totals.queued, totals.inFlight, totals.streamLimit, totals.connections, totals.slowed) = (0, 0, 0, 0, 0)
            return totals
        }
    }

    /// The figures as they are now.
    ///
    /// It takes the pool's lock for a moment; ask every few seconds, not for every notification.
    public var metrics: Metrics {
        var (metrics, connections, held) = state.withLockedValue { state in
            (Metrics(state), Array(state.connections.values), state.machine.inFlight)
        }
        for connection in connections {
            let figures = connection.figures
            metrics.inFlight += figures.streams
            metrics.streamLimit += figures.streamLimit
            metrics.latency += figures.latency
        }
        // The connections' figures are a little older than the pool's.
        metrics.inFlight = min(metrics.inFlight, held)
        metrics.queued += held - metrics.inFlight
        return metrics
    }
}

extension ConnectionPool.Metrics {
    fileprivate init(_ state: ConnectionPool.State) {
        let (machine, tally) = (state.machine, state.machine.tally)
        queued = machine.waitingCount + machine.heldCount
        latency = state.pastLatency
        connections = machine.connectionCount
        connects = tally.connects
        closures = tally.closures
        goAways = Self.bounded(tally.goAways)
        accepted = tally.accepted
        rejected = Self.bounded(tally.rejected)
        notSent = tally.notSent
        unknown = tally.unknown
        providerTokenIssuedAt = tally.tokenIssuedAt
        slowed = machine.badTokens?.isSlow == true ? 1 : 0
    }

    private static let documented = Set(RejectionReason.documented + [.unstated])

    private static func bounded(_ counts: [RejectionReason: Int]) -> [RejectionReason: Int] {
        Dictionary(counts.map { (documented.contains($0) ? $0 : otherReason, $1) }, uniquingKeysWith: +)
    }
}

/// What one connection is doing, as its event loop last said.
struct ConnectionMetrics: Sendable {
    var streams = 0
    var streamLimit = 0
    var latency = LatencyHistogram()
}
