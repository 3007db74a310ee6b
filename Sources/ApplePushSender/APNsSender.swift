import ApplePush
package import ApplePushConnection
package import CarillonEngine
import CarillonModel
import Foundation
package import Logging
import NIOConcurrencyHelpers
package import NIOCore
import ServiceLifecycle

/// The engine's Sender for Apple's push service.
///
/// It has a pool of connections for each key and environment, and one provider token for each key.
package final class APNsSender: Sender, Service {
    /// Where APNs is, and how its connections are made.
    package struct Configuration: Sendable {
        package var production = Endpoint.production
        package var sandbox = Endpoint.sandbox
        package var pool = ConnectionPool.Configuration()

        package init() {}
    }

    /// What a lane is for: keys and environments never share connections.
    private struct Lane: Hashable {
        var isSandbox: Bool
        var keyID: String
        var teamID: String
        var privateKey: String
    }

    /// What a lane sends with.
    private struct Means {
        var pool: ConnectionPool
        var tokens: ProviderTokenKeeper
    }

    private let configuration: Configuration
    private let accounts: any PushAccounts
    private let tokens: any ProviderTokenStore
    private let clock: any WallClock
    private let group: any EventLoopGroup
    private let logger: Logger
    private let lanes = NIOLockedValueBox<[Lane: Means]>([:])

    /// Makes a sender; it connects when there is something to send.
    ///
    /// - Parameters:
    ///   - configuration: Where APNs is, and how its connections are made.
    ///   - accounts: What each App sends with.
    ///   - tokens: Where provider tokens are kept.
    ///   - clock: By which provider tokens age.
    ///   - eventLoopGroup: Where the connections live. It must outlive the sender.
    ///   - logger: Told about connections, never about tokens or payloads.
    package init(
        configuration: Configuration,
        accounts: any PushAccounts,
        tokens: any ProviderTokenStore,
        clock: any WallClock,
        eventLoopGroup: any EventLoopGroup,
        logger: Logger
    ) {
        self.configuration = configuration
        self.accounts = accounts
        self.tokens = tokens
        self.clock = clock
        group = eventLoopGroup
        self.logger = logger
    }

    package func render(_ draft: NotificationDraft) throws(RenderingError) -> Rendering {
        try Rendering(apple: draft)
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
        guard let means = means(for: account, batch.pushType), let push = PushBatch(batch, topic: account.topic) else {
            return batch.all(.halt(FailureReason(rawValue: "BadPushKey")))
        }
        return await send(push, with: means, until: deadline)
    }

    /// Waits for the end of the process, then lets what is under way finish and closes the connections.
    package func run() async throws {
        try? await gracefulShutdown()
        await shutDown()
    }

    /// Lets what is under way finish and closes the connections.
    package func shutDown() async {
        let all = lanes.withLockedValue { lanes in
            defer { lanes = [:] }
            return Array(lanes.values)
        }
        for means in all { await means.pool.shutDown() }
    }

    // MARK: - Private

    /// The lane's means; `nil` when the key cannot sign.
    private func means(for account: PushAccount, _ pushType: CarillonModel.PushType) -> Means? {
        let lane = Lane(
            isSandbox: pushType.isSandbox,
            keyID: account.keyID,
            teamID: account.teamID,
            privateKey: account.privateKey
        )
        return lanes.withLockedValue { lanes in
            if let means = lanes[lane] { return means }
            guard let means = try? makeMeans(for: account, pushType) else { return nil }
            lanes[lane] = means
            return means
        }
    }

    private func makeMeans(for account: PushAccount, _ pushType: CarillonModel.PushType) throws -> Means {
        let key = try SigningKey(pem: account.privateKey, keyID: account.keyID, teamID: account.teamID)
        let endpoint = pushType.isSandbox ? configuration.sandbox : configuration.production
        let pool = try ConnectionPool(
            endpoint: endpoint,
            configuration: configuration.pool,
            eventLoopGroup: group,
            logger: logger
        )
        // Both environments of a key share its token through the store: one mints, the other finds it there.
        return Means(pool: pool, tokens: ProviderTokenKeeper(key: key, store: tokens, clock: clock))
    }

    private func send(
        _ push: PushBatch,
        with means: Means,
        until deadline: ContinuousClock.Instant
    ) async -> [Consequence] {
        let end = NIODeadline(deadline)
        do throws(ProviderTokenKeeper.Problem) {
            let token = try await means.tokens.token()
            let outcomes = await means.pool.send(push, token: token, deadline: end)
            let expired = outcomes.indices.filter { outcomes[$0].isExpiredProviderToken }
            guard !expired.isEmpty, let again = push.picking(expired) else { return outcomes.map(Consequence.init) }
            await means.tokens.refusedAsExpired(token)
            var consequences = outcomes.map(Consequence.init)
            guard let renewed = try? await means.tokens.token() else { return consequences }
            let second = await means.pool.send(again, token: renewed, deadline: end)
            for (position, index) in expired.enumerated() { consequences[index] = Consequence(second[position]) }
            return consequences
        } catch {
            return [Consequence](repeating: Consequence(error, now: clock.now()), count: push.count)
        }
    }
}

extension Consequence {
    fileprivate init(_ problem: ProviderTokenKeeper.Problem, now: Timestamp) {
        switch problem {
        case .store: self = .retryLater(.notSent, after: nil)
        case .badKey: self = .halt(FailureReason(rawValue: "BadPushKey"))
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
        // Beyond an hour nobody waits.
        let nanoseconds = max(0, min(seconds, 3_600)) * 1_000_000_000 + max(0, attoseconds) / 1_000_000_000
        self = .now() + .nanoseconds(nanoseconds)
    }
}
