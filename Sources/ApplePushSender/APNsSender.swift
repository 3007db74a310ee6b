import ApplePush
package import ApplePushConnection
package import CarillonEngine
package import CarillonModel
import Foundation
package import Logging
import NIOConcurrencyHelpers
package import NIOCore
import ServiceLifecycle

/// The engine's Sender for APNs.
///
/// It has a pool of connections for each key and environment, and one provider token for each key.
package final class APNsSender: Sender, Service {
    /// APNs' hosts, and the options of connections.
    package struct Configuration: Sendable {
        package var production = Endpoint.production
        package var sandbox = Endpoint.sandbox
        package var pool = ConnectionPool.Configuration()
        /// Maximum number of keys in use at a time in each environment.
        package var limits = ConnectionPools<CredentialKey>.Limits()
        /// Where the simulated APNs listens, for Apps that use it; `nil` on a node that has none.
        package var simulator: (@Sendable () async throws -> SimulatedAPNs)?

        package init() {}
    }

    /// The key of a pool: credentials and environments never share connections.
    package struct CredentialKey: Hashable, Sendable, CustomStringConvertible, CustomReflectable {
        let keyID: String
        let teamID: String
        let privateKey: String

        init(_ account: PushAccount) {
            keyID = account.keyID
            teamID = account.teamID
            privateKey = account.privateKey
        }

        /// The two ids; never the key.
        package var description: String { "CredentialKey(\(keyID), team \(teamID))" }
        package var customMirror: Mirror { Mirror(self, children: []) }
    }

    private struct State {
        var coordinators: [CredentialKey: ProviderTokenCoordinator] = [:]
        /// The last credentials of each App.
        var credentials: [AppID: CredentialKey] = [:]
    }

    let configuration: Configuration
    let tokens: any ProviderTokenStore
    let clock: any WallClock
    let eventLoopGroup: any EventLoopGroup
    private let accounts: any PushAccounts
    private let production: ConnectionPools<CredentialKey>
    private let sandbox: ConnectionPools<CredentialKey>
    private let simulated: SimulatedPools
    private let state = NIOLockedValueBox(State())
    private let reach = (production: APNsReach(), sandbox: APNsReach())

    /// Creates a sender, which connects on demand.
    ///
    /// - Parameters:
    ///   - configuration: APNs' hosts, and the options of connections.
    ///   - accounts: The credentials of each App.
    ///   - tokens: Stores provider tokens.
    ///   - clock: Determines the age of provider tokens.
    ///   - eventLoopGroup: The event loops of the connections. Must outlive the sender.
    ///   - logger: Logs connections, never tokens or payloads.
    package init(
        configuration: Configuration,
        accounts: any PushAccounts,
        tokens: any ProviderTokenStore,
        clock: any WallClock,
        eventLoopGroup: any EventLoopGroup,
        logger: Logger
    ) {
        self.configuration = configuration
        self.eventLoopGroup = eventLoopGroup
        self.accounts = accounts
        self.tokens = tokens
        self.clock = clock
        func pools(_ endpoint: Endpoint) -> ConnectionPools<CredentialKey> {
            ConnectionPools(
                endpoint: endpoint,
                configuration: configuration.pool,
                limits: configuration.limits,
                eventLoopGroup: eventLoopGroup,
                logger: logger
            )
        }
        production = pools(configuration.production)
        sandbox = pools(configuration.sandbox)
        simulated = SimulatedPools(configuration, eventLoopGroup, logger)
    }

    package func render(_ draft: NotificationDraft) throws(RenderingError) -> Rendering {
        try Rendering(apple: draft)
    }

    package func blamesToken(_ reason: FailureReason) -> Bool {
        reason.concernsToken
    }

    package func send(_ batch: NotificationBatch, until deadline: ContinuousClock.Instant) async -> [Consequence] {
        let account: PushAccount
        do throws(StoreError) {
            guard let found = try await accounts.account(for: batch.app) else {
                return batch.all(.halt(.noPushKey))
            }
            account = found
        } catch {
            return batch.all(.retryLater(.notSent, after: nil))
        }
        guard let coordinator = coordinator(for: account), let push = PushBatch(batch, topic: account.topic) else {
            return batch.all(.halt(.badPushKey))
        }
        let reach = batch.pushType.isSandbox ? reach.sandbox : reach.production
        do {
            guard let pools = try await pools(for: account, isSandbox: batch.pushType.isSandbox) else {
                return batch.all(.halt(.noSimulator))
            }
            return try await pools.withPool(for: CredentialKey(account)) { pool in
                await send(
                    push,
                    with: coordinator,
                    over: pool,
                    noting: account.usesSimulator ? nil : reach,
                    until: deadline
                )
            }
        } catch {
            // Too many keys are in use, or the trust roots cannot be read.
            return batch.all(.retryLater(.notSent, after: nil))
        }
    }

    /// Waits for the graceful shutdown, then lets work in flight finish and closes the connections.
    package func run() async throws {
        try? await gracefulShutdown()
        await shutDown()
    }

    /// Lets work in flight finish and closes the connections.
    package func shutDown() async {
        async let first: Void = production.shutDown()
        async let second: Void = sandbox.shutDown()
        async let third: Void = simulated.shutDown()
        _ = await (first, second, third)
    }

    /// The metrics of each of Apple's two environments.
    package var metrics: [(environment: String, metrics: ConnectionPool.Metrics)] {
        [("production", production.metrics), ("sandbox", sandbox.metrics)]
    }

    /// The connections of one key to one environment.
    package struct Lane {
        package var environment: String
        package var keyID: String
        package var apps: [AppID]
        package var metrics: ConnectionPool.Metrics
    }

    /// The connections of each key to each environment, in the order of their ids.
    package var lanes: [Lane] {
        let credentials = state.withLockedValue { $0.credentials }
        let apps = Dictionary(grouping: credentials.keys.sorted()) { credentials[$0] }
        return [("production", production), ("sandbox", sandbox)].flatMap { environment, pools in
            pools.tenants.map { tenant, metrics in
                Lane(environment: environment, keyID: tenant.keyID, apps: apps[tenant] ?? [], metrics: metrics)
            }
            .sorted { $0.keyID < $1.keyID }
        }
    }

    /// The environments in which all requests are unanswered, and since when.
    package var unreachable: [(environment: String, since: Timestamp)] {
        [("production", reach.production), ("sandbox", reach.sandbox)].compactMap { environment, reach in
            reach.unreachableSince.map { (environment, $0) }
        }
    }

    // MARK: - Private

    /// The pools of an account's environment; `nil` when it uses the simulated APNs and this node has none.
    private func pools(
        for account: PushAccount,
        isSandbox: Bool
    ) async throws -> ConnectionPools<CredentialKey>? {
        if account.usesSimulator { return try await simulated.pools() }
        return isSandbox ? sandbox : production
    }

    /// The coordinator of the account's provider token; `nil` when the key cannot sign.
    ///
    /// When an App's key has changed, the pools of the old one finish their work and are closed, unless another App
    /// uses it.
    func coordinator(for account: PushAccount) -> ProviderTokenCoordinator? {
        let credential = CredentialKey(account)
        let (coordinator, old) = state.withLockedValue { state -> (ProviderTokenCoordinator?, CredentialKey?) in
            guard let coordinator = state.coordinators[credential] ?? makeCoordinator(for: account) else {
                return (nil, nil)
            }
            state.coordinators[credential] = coordinator
            let former = state.credentials.updateValue(credential, forKey: account.app)
            guard let former, former != credential, !state.credentials.values.contains(former) else {
                return (coordinator, nil)
            }
            state.coordinators[former] = nil
            return (coordinator, former)
        }
        if let old {
            production.retire(old)
            sandbox.retire(old)
            simulated.retire(old)
        }
        return coordinator
    }

    private func makeCoordinator(for account: PushAccount) -> ProviderTokenCoordinator? {
        let key = try? SigningKey(pem: account.privateKey, keyID: account.keyID, teamID: account.teamID)
        // Both environments of a key share its token through the store: one creates it, the other finds it there.
        return key.map { ProviderTokenCoordinator(key: $0, store: tokens, clock: clock) }
    }

    private func send(
        _ push: PushBatch,
        with coordinator: ProviderTokenCoordinator,
        over pool: ConnectionPool,
        noting reach: APNsReach?,
        until deadline: ContinuousClock.Instant
    ) async -> [Consequence] {
        let end = NIODeadline(deadline)
        do throws(ProviderTokenCoordinator.Problem) {
            let token = try await coordinator.token()
            // A full queue must delay the dispatcher.
            let outcomes = await pool.send(push, token: token, deadline: end, whenFull: .wait)
            reach?.record(outcomes, at: clock.now())
            let expired = outcomes.indices.filter { outcomes[$0].isExpiredProviderToken }
            var consequences = outcomes.map(Consequence.init)
            guard !expired.isEmpty, let again = push.picking(expired) else { return consequences }
            await coordinator.refusedAsExpired(token)
            guard let renewed = try? await coordinator.token() else { return consequences }
            let second = await pool.send(again, token: renewed, deadline: end, whenFull: .wait)
            for (position, index) in expired.enumerated() { consequences[index] = Consequence(second[position]) }
            return consequences
        } catch {
            return [Consequence](repeating: Consequence(error, now: clock.now()), count: push.count)
        }
    }
}

extension FailureReason {
    /// The key cannot sign, or the topic is malformed.
    fileprivate static let badPushKey = FailureReason(rawValue: "BadPushKey")
    /// The App uses the simulated APNs, and this node has none.
    fileprivate static let noSimulator = FailureReason(rawValue: "NoSimulator")
}

extension Consequence {
    fileprivate init(_ problem: ProviderTokenCoordinator.Problem, now: Timestamp) {
        switch problem {
        case .store: self = .retryLater(.notSent, after: nil)
        case .badKey: self = .halt(.badPushKey)
        case .stuck(let until):
            let wait = max(0, until.rawValue - now.rawValue)
            self = .retryLater(FailureReason(rawValue: "ExpiredProviderToken"), after: .milliseconds(wait))
        }
    }
}

extension Outcome {
    fileprivate var isExpiredProviderToken: Bool {
        if case .rejected(let rejection) = self { rejection.reason == .expiredProviderToken } else { false }
    }
}

extension NotificationBatch {
    fileprivate func all(_ consequence: Consequence) -> [Consequence] {
        [Consequence](repeating: consequence, count: count)
    }
}

extension NIODeadline {
    fileprivate init(_ instant: ContinuousClock.Instant) {
        let (seconds, attoseconds) = (instant - .now).components
        // More than an hour makes no difference.
        let nanoseconds = max(0, min(seconds, 3_600)) * 1_000_000_000 + max(0, attoseconds) / 1_000_000_000
        self = .now() + .nanoseconds(nanoseconds)
    }
}
