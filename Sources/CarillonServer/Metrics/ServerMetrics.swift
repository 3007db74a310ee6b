import HTTPTypes
import NIOConcurrencyHelpers

/// Counts what the server does.
package final class ServerMetrics: Sendable {
    /// What a request is counted under.
    private struct Request: Hashable {
        var route: String
        var method: HTTPRequest.Method
        var status: Int
    }

    private struct Route: Hashable {
        var route: String
        var method: HTTPRequest.Method
    }

    private struct Histogram {
        /// One more than there are bounds: the last counts what took longer than all of them.
        var counts = [Int](repeating: 0, count: ServerMetrics.bounds.count + 1)
        var seconds = 0.0
    }

    private struct State {
        var inFlight = 0
        var streams = 0
        var connections = 0
        var connectionEnds: [ConnectionEnd: Int] = [:]
        var limited: [RequestLimiter.Kind: Int] = [:]
        var requests: [Request: Int] = [:]
        var durations: [Route: Histogram] = [:]
        var totals: [Total: Int] = [:]
    }

    /// What is counted beside requests.
    package enum Total: CaseIterable, Sendable {
        case created, updated, limited
        case unknownZones, malformedLanguages
        case counted, repeated, rejected
        case campaigns
    }

    private static let bounds = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5]

    private let state = NIOLockedValueBox(State())
    private let startedAt: Double

    /// Begins to count.
    ///
    /// - Parameter startedAt: When the process began, in seconds since 1970.
    package init(startedAt: Double) { self.startedAt = startedAt }

    /// A request has come.
    func begin() { state.withLockedValue { $0.inFlight += 1 } }

    /// A request has been answered.
    ///
    /// - Parameters:
    ///   - route: The pattern of its path; `nil` when there is none.
    ///   - method: Its method; a word that HTTP does not define is counted as `other`.
    ///   - status: How it was answered.
    ///   - duration: How long that took.
    func end(route: String?, _ method: HTTPRequest.Method, _ status: HTTPResponse.Status, _ duration: Duration) {
        let route = route ?? "none"
        let method = Self.known.contains(method) ? method : Self.other
        let (whole, fraction) = duration.components
        let seconds = Double(whole) + Double(fraction) * 1e-18
        let bucket = Self.bounds.firstIndex { seconds <= $0 } ?? Self.bounds.count
        state.withLockedValue { state in
            state.inFlight -= 1
            state.requests[Request(route: route, method: method, status: status.code), default: 0] += 1
            state.durations[Route(route: route, method: method), default: Histogram()].counts[bucket] += 1
            state.durations[Route(route: route, method: method)]?.seconds += seconds
        }
    }

    /// Counts something up.
    func add(_ count: Int, to total: Total) {
        guard count > 0 else { return }
        state.withLockedValue { $0.totals[total, default: 0] += count }
    }

    /// So many streams more are open, or fewer.
    func addStreams(_ change: Int) { state.withLockedValue { $0.streams += change } }

    /// A connection was accepted.
    func openConnection() { state.withLockedValue { $0.connections += 1 } }

    /// A connection that was accepted has ended.
    func closeConnection() { state.withLockedValue { $0.connections -= 1 } }

    /// The server ends a connection.
    func countEnd(_ reason: ConnectionEnd) { state.withLockedValue { $0.connectionEnds[reason, default: 0] += 1 } }

    /// A request was refused because there are too many of its kind.
    func countLimited(_ kind: RequestLimiter.Kind) { state.withLockedValue { $0.limited[kind, default: 0] += 1 } }

    // MARK: - Private

    private static let known: Set<HTTPRequest.Method> = [
        .get, .head, .post, .put, .patch, .delete, .options, .trace, .connect,
    ]
    private static let other = HTTPRequest.Method("OTHER") ?? .get
}

extension ServerMetrics: MetricsSource {
    package func write(to page: inout MetricsPage) {
        let state = state.withLockedValue { $0 }
        page.begin(.requests)
        for (request, count) in state.requests.sorted(by: {
            ($0.key.route, $0.key.status) < ($1.key.route, $1.key.status)
        }) {
            page.sample(
                MetricName.requests.rawValue,
                ["route": request.route, "method": request.method.rawValue, "status": "\(request.status)"],
                Double(count)
            )
        }
        write(state.durations, to: &page)
        page.single(.requestsInFlight, Double(state.inFlight))
        page.single(.streams, Double(state.streams))
        page.single(.connections, Double(state.connections))
        page.totals(
            .connectionEnds,
            by: "reason",
            ConnectionEnd.allCases.map { ($0.rawValue, state.connectionEnds[$0]) }
        )
        page.totals(.limitedRequests, by: "kind", RequestLimiter.Kind.allCases.map { ($0.rawValue, state.limited[$0]) })
        page.totals(
            .registrations,
            [
                ("created", state.totals[.created]), ("updated", state.totals[.updated]),
                ("limited", state.totals[.limited]),
            ]
        )
        page.totals(
            .registrationWarnings,
            by: "field",
            [("timeZone", state.totals[.unknownZones]), ("language", state.totals[.malformedLanguages])]
        )
        page.totals(
            .events,
            [
                ("counted", state.totals[.counted]), ("repeated", state.totals[.repeated]),
                ("rejected", state.totals[.rejected]),
            ]
        )
        page.single(.campaigns, Double(state.totals[.campaigns] ?? 0))
        page.single(.startTime, startedAt)
        if let bytes = ProcessMemory.residentBytes() { page.single(.residentMemory, Double(bytes)) }
    }

    private func write(_ durations: [Route: Histogram], to page: inout MetricsPage) {
        let name = MetricName.requestDuration.rawValue
        page.begin(.requestDuration)
        for (route, histogram) in durations.sorted(by: { $0.key.route < $1.key.route }) {
            let method = route.method.rawValue
            var sum = 0
            for (index, count) in histogram.counts.enumerated() {
                sum += count
                let bound = index < Self.bounds.count ? "\(Self.bounds[index])" : "+Inf"
                page.sample(name + "_bucket", ["route": route.route, "method": method, "le": bound], Double(sum))
            }
            page.sample(name + "_sum", ["route": route.route, "method": method], histogram.seconds)
            page.sample(name + "_count", ["route": route.route, "method": method], Double(sum))
        }
    }
}
