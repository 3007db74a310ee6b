public import Logging
import NIOConcurrencyHelpers
public import NIOCore

/// Pools for many credentials in one process, all to one APNs host.
///
/// Each tenant (a team's key, a certificate) has a pool of its own, with its own connections, queue and backoff, so
/// that tenants do not affect each other. They share the event loops, and an idle pool has neither thread nor timer. A
/// pool is created when its tenant first sends, and closed when it is retired, or when it is the least recently used of
/// too many.
public final class ConnectionPools<Tenant: Hashable & Sendable>: Sendable {
    /// Limits for all tenants together.
    public struct Limits: Hashable, Sendable {
        /// Maximum number of pools, from 1.
        public var pools = 1000

        /// Creates the defaults.
        public init() {}
    }

    /// All pools are in use; try again later.
    public struct Full: Error, Hashable, Sendable {}

    private struct Entry {
        var pool: ConnectionPool
        var users = 0
        /// Orders the pools by their last use.
        var lastUse: Int
    }

    private struct State {
        var entries: [Tenant: Entry] = [:]
        /// Retired pools that are still in use or finishing, by number.
        var leaving: [Int: Entry] = [:]
        var uses = 0
        /// The metrics of closed pools.
        var past = ConnectionPool.Metrics()
        var isShutDown = false

        var pools: [ConnectionPool] { entries.values.map(\.pool) + leaving.values.map(\.pool) }
    }

    private let endpoint: Endpoint
    private let configuration: ConnectionPool.Configuration
    private let limits: Limits
    private let group: any EventLoopGroup
    private let logger: Logger?
    private let contexts: TLSContexts
    private let state = NIOLockedValueBox(State())

    /// Creates an empty set of pools.
    ///
    /// - Parameters:
    ///   - endpoint: The APNs host.
    ///   - configuration: The options of a tenant's pool.
    ///   - limits: Limits for all tenants together.
    ///   - eventLoopGroup: The event loops of the connections. Must outlive the pools.
    ///   - logger: Logs connections, never tokens or payloads.
    public convenience init(
        endpoint: Endpoint,
        configuration: ConnectionPool.Configuration = ConnectionPool.Configuration(),
        limits: Limits = Limits(),
        eventLoopGroup: any EventLoopGroup,
        logger: Logger? = nil
    ) {
        self.init(
            endpoint: endpoint,
            configuration: configuration,
            limits: limits,
            contexts: TLSContexts(),
            eventLoopGroup: eventLoopGroup,
            logger: logger
        )
    }

    init(
        endpoint: Endpoint,
        configuration: ConnectionPool.Configuration,
        limits: Limits,
        contexts: TLSContexts,
        eventLoopGroup: any EventLoopGroup,
        logger: Logger?
    ) {
        self.endpoint = endpoint
        self.configuration = configuration
        self.limits = limits
        self.contexts = contexts
        self.logger = logger
        group = eventLoopGroup
    }

    /// Calls a closure with a tenant's pool, which is not closed while `body` runs.
    ///
    /// - Parameters:
    ///   - tenant: The tenant.
    ///   - adjust: Changes the options when the pool is created, as for the tenant's certificate or limits.
    ///   - body: Uses the pool.
    /// - Returns: The result of `body`.
    /// - Throws: ``Full``, NIOSSL's error when a pool cannot be created, and the errors of `adjust` and `body`.
    public func withPool<Result>(
        for tenant: Tenant,
        adjusting adjust: (inout ConnectionPool.Configuration) throws -> Void = { _ in },
        _ body: (ConnectionPool) async throws -> Result
    ) async throws -> Result {
        let pool = try borrow(for: tenant, adjust)
        defer { giveBack(pool, of: tenant) }
        return try await body(pool)
    }

    /// Closes a tenant's pool, as after a change of its key: work in flight finishes, the next use creates a new pool.
    ///
    /// - Parameter tenant: The tenant; ignored when it has no pool.
    public func retire(_ tenant: Tenant) {
        let idle = state.withLockedValue { state in
            state.entries.removeValue(forKey: tenant).flatMap { Self.leave($0, &state) }
        }
        if let idle { finish(idle) }
    }

    /// Number of tenants with a pool.
    public var count: Int { state.withLockedValue { $0.entries.count } }

    /// The metrics of each tenant's pool.
    public var tenants: [(tenant: Tenant, metrics: ConnectionPool.Metrics)] {
        let entries = state.withLockedValue { state in state.entries.map { ($0.key, $0.value.pool) } }
        return entries.map { ($0.0, $0.1.metrics) }
    }

    /// The metrics of all pools together, including closed ones.
    public var metrics: ConnectionPool.Metrics {
        var (sum, pools) = state.withLockedValue { state in
            (state.past, state.pools)
        }
        for pool in pools { sum += pool.metrics }
        return sum
    }

    /// Accepts nothing more, lets work in flight finish and closes every pool.
    ///
    /// - Parameter grace: How long to wait; remaining work is then cancelled.
    public func shutDown(within grace: Duration = .seconds(10)) async {
        let pools = state.withLockedValue { state in
            state.isShutDown = true
            return state.pools
        }
        await withTaskGroup(of: Void.self) { tasks in
            for pool in pools { tasks.addTask { await pool.shutDown(within: grace) } }
        }
    }

    // MARK: - Private

    private func borrow(
        for tenant: Tenant,
        _ adjust: (inout ConnectionPool.Configuration) throws -> Void
    ) throws -> ConnectionPool {
        if let pool = state.withLockedValue({ lend(to: tenant, &$0) }) { return pool }
        // Reads certificates, so it does not run under the lock of all tenants.
        var configuration = configuration
        try adjust(&configuration)
        let tls = try contexts.context(trusting: configuration.trustRoots, as: configuration.identity)
        return try state.withLockedValue { state in
            // Another call may have created it meanwhile.
            if let pool = lend(to: tenant, &state) { return pool }
            guard !state.isShutDown else { throw Full() }
            if state.entries.count >= max(1, limits.pools) { try evict(&state) }
            let pool = ConnectionPool(
                endpoint: endpoint,
                configuration: configuration,
                tls: tls,
                eventLoopGroup: group,
                logger: logger
            )
            state.uses += 1
            state.entries[tenant] = Entry(pool: pool, users: 1, lastUse: state.uses)
            return pool
        }
    }

    /// Acquires an existing pool.
    private func lend(to tenant: Tenant, _ state: inout State) -> ConnectionPool? {
        guard var entry = state.entries[tenant] else { return nil }
        state.uses += 1
        entry.users += 1
        entry.lastUse = state.uses
        state.entries[tenant] = entry
        return entry.pool
    }

    private func evict(_ state: inout State) throws {
        let unused = state.entries.filter { $0.value.users == 0 }.min { $0.value.lastUse < $1.value.lastUse }
        guard let (tenant, entry) = unused else { throw Full() }
        state.entries[tenant] = nil
        state.uses += 1
        state.leaving[state.uses] = entry
        let number = state.uses
        // Its callback takes the lock that is held here.
        group.next().execute { self.finish((entry.pool, number)) }
    }

    private func giveBack(_ pool: ConnectionPool, of tenant: Tenant) {
        let idle = state.withLockedValue { state -> (ConnectionPool, Int)? in
            if state.entries[tenant]?.pool === pool {
                state.entries[tenant]?.users -= 1
                return nil
            }
            guard let (number, entry) = state.leaving.first(where: { $0.value.pool === pool }) else { return nil }
            state.leaving[number]?.users -= 1
            return entry.users == 1 ? (pool, number) : nil
        }
        if let idle { finish(idle) }
    }

    /// Records that a pool is retired; returns it when nobody uses it.
    private static func leave(_ entry: Entry, _ state: inout State) -> (ConnectionPool, Int)? {
        state.uses += 1
        state.leaving[state.uses] = entry
        return entry.users == 0 ? (entry.pool, state.uses) : nil
    }

    /// Closes an unused pool, and removes it once its connections are closed.
    private func finish(_ leaving: (pool: ConnectionPool, number: Int)) {
        leaving.pool.finish { [self] in
            let metrics = leaving.pool.metrics.totals
            state.withLockedValue { state in
                guard state.leaving.removeValue(forKey: leaving.number) != nil else { return }
                state.past += metrics
            }
        }
    }
}
