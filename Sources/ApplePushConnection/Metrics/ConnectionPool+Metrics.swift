public import ApplePush
import NIOConcurrencyHelpers

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension ConnectionPool {
    /// Metrics of a pool.
    ///
    /// Counting costs a few additions for each notification, no lock of its own and no memory. Reasons of APNs are
    /// bounded: undocumented ones are counted together under ``otherReason``.
    public struct Metrics: Hashable, Sendable {
        /// The reason under which undocumented reasons are counted.
        public static let otherReason = RejectionReason(rawValue: "Other")

        /// Notifications that wait for room, for a connection, or for a stream.
        public var queued = 0
        /// Notifications that were sent and not answered yet.
        public var inFlight = 0
        /// APNs' current limit of concurrent streams, on all connections together.
        public var streamLimit = 0
        /// Connections that are open or being made.
        public var connections = 0
        /// Connections begun since the pool was created; all but the first few are reconnects.
        public var connects = 0
        /// Ended connections by cause.
        public var closures: [ConnectionClosure.Cause: Int] = [:]
        /// GOAWAYs by reason; `RejectionReason.unstated` for none.
        public var goAways: [RejectionReason: Int] = [:]
        /// Notifications that APNs accepted.
        public var accepted = 0
        /// Notifications that APNs refused, by reason.
        public var rejected: [RejectionReason: Int] = [:]
        /// Notifications that were not sent, by failure.
        public var notSent: [Failure: Int] = [:]
        /// Notifications that were sent and not answered, by failure.
        public var unknown: [Failure: Int] = [:]
        /// The latency of answers.
        public var latency = LatencyHistogram()
        /// When the provider token that was used last was issued; `nil` under a certificate.
        public var providerTokenIssuedAt: Date?
        /// How many pools are slowed by their ``BadTokenBrake``: 0 or 1, more in a sum.
        public var slowed = 0

        /// Creates metrics of zeros.
        public init() {}

        /// Adds another pool's metrics; the older provider token counts.
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

        /// The counters without the gauges, for a pool that has stopped.
        var totals: Metrics {
            var totals = self
            totals.providerTokenIssuedAt = nil
            (totals.queued, totals.inFlight, totals.streamLimit, totals.connections, totals.slowed) = (0, 0, 0, 0, 0)
            return totals
        }
    }

    /// The current metrics.
    ///
    /// Takes the pool's lock briefly; read them every few seconds, not per notification.
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
        // The connections' metrics are slightly older than the pool's.
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

/// The latest metrics of one connection, from its event loop.
struct ConnectionMetrics: Sendable {
    var streams = 0
    var streamLimit = 0
    var latency = LatencyHistogram()
}
