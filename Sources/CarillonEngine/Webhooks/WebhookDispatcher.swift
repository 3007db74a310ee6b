import CarillonModel
import CarillonOperatorModel
package import Logging
import ServiceLifecycle

/// Tells webhooks what waits for them.
///
/// Each webhook is told by one node at a time, one message after another; several nodes share the webhooks by leases.
/// A message is told at least once: a node that dies after the address has answered leaves it to be told again, under
/// the same id.
package struct WebhookDispatcher: Service {
    /// How a dispatcher works.
    package struct Options: Sendable {
        /// How long it waits when nothing is due.
        package var pause = Duration.seconds(1)
        /// How many webhooks are told at once.
        package var webhooksAtOnce = 16
        /// How many messages one webhook is told before the others are looked at.
        package var messagesAtOnce = 50
        /// How long a lease lasts: longer than a post may take.
        package var leaseTime = Duration.seconds(60)
        package var schedule = WebhookSchedule()
        /// A number from 0 up to 1.
        package var random: @Sendable () -> Double = { Double.random(in: 0..<1) }

        package init() {}
    }

    private let options: Options
    private let outbox: any WebhookOutbox
    private let client: any WebhookClient
    private let sender: any Sender
    private let vault: Vault
    private let ids: IDSource
    private let clock: any WallClock
    private let timer: any DispatchClock
    private let logger: Logger
    private let shutdown = ShutdownFlag()
    private let bell = Bell()

    /// Joins it together.
    ///
    /// - Parameters:
    ///   - options: How it works.
    ///   - outbox: What waits.
    ///   - client: Posts it.
    ///   - sender: Knows which causes of failure are a device token's.
    ///   - vault: Opens secrets.
    ///   - ids: Makes ids.
    ///   - clock: The wall clock.
    ///   - timer: What pauses are measured by.
    ///   - logger: Where it tells of webhooks that were disabled.
    package init(
        options: Options = Options(),
        outbox: any WebhookOutbox,
        client: any WebhookClient,
        sender: any Sender,
        vault: Vault,
        ids: IDSource,
        clock: any WallClock,
        timer: any DispatchClock = SystemDispatchClock(),
        logger: Logger
    ) {
        self.options = options
        self.outbox = outbox
        self.client = client
        self.sender = sender
        self.vault = vault
        self.ids = ids
        self.clock = clock
        self.timer = timer
        self.logger = logger
    }

    package func run() async throws {
        await withGracefulShutdownHandler {
            while !isStopping {
                let didSomething = await tellDue()
                guard !didSomething, !isStopping else { continue }
                let count = bell.count
                await bell.ring(after: count, until: timer.now() + options.pause, by: timer)
            }
        } onGracefulShutdown: { [shutdown, bell] in
            shutdown.raise()
            bell.ring()
        }
    }

    /// Tells every webhook that is due what waits for it, once around.
    ///
    /// - Returns: Whether anything was told; false when the store failed.
    package func tellDue() async -> Bool {
        let due: [WebhookID]
        do throws(StoreError) {
            due = try await outbox.dueWebhooks(at: clock.now(), limit: options.webhooksAtOnce * 4)
        } catch {
            logger.info("The store failed; webhooks wait", metadata: ["carillon.error": "\(error)"])
            return false
        }
        return await withTaskGroup(of: Bool.self) { group in
            var didSomething = false
            for (index, webhook) in due.enumerated() {
                if index >= options.webhooksAtOnce, let told = await group.next() {
                    didSomething = told || didSomething
                }
                group.addTask { await tell(webhook) }
            }
            for await told in group { didSomething = told || didSomething }
            return didSomething
        }
    }

    // MARK: - Private

    private var isStopping: Bool { shutdown.isRaised || Task.isCancelled }

    /// Tells one webhook what waits for it.
    private func tell(_ id: WebhookID) async -> Bool {
        var told = false
        for _ in 0..<options.messagesAtOnce where !isStopping {
            do throws(StoreError) {
                let now = clock.now()
                let end = now.advanced(by: options.leaseTime)
                guard let work = try await outbox.claim(id, as: ids.next(), at: now, until: end) else { break }
                told = true
                guard try await post(work) else { break }
            } catch {
                // What was leased is found again when the lease has run out.
                logger.info("The store failed; a webhook waits", metadata: ["carillon.error": "\(error)"])
                break
            }
        }
        return told
    }

    /// Posts a message and keeps what came of it.
    ///
    /// - Returns: Whether to go on with the webhook.
    private func post(_ work: WebhookWork) async throws(StoreError) -> Bool {
        let items = told(work)
        // All of it was erased meanwhile: there is nothing to tell.
        guard !items.isEmpty else { return try await outbox.settle(work, .taken, at: clock.now()) }
        let post = try WebhookPost(work.webhook, work.message.id, items, vault: vault, at: clock.now())
        let answer = await client.post(post)
        let now = clock.now()
        let settlement = options.schedule.settlement(of: answer, work, at: now, random: options.random())
        let isKept = try await outbox.settle(work, settlement, at: now)
        if isKept, case .disabled(let alarm, _, _, _) = settlement {
            logger.warning(
                "A webhook is disabled",
                metadata: ["carillon.webhook": "\(work.webhook.webhook.id)", "carillon.alarm": "\(alarm)"]
            )
        }
        return isKept && settlement == .taken
    }

    /// Items of the topics that the webhook wants; a failure may be one of each of two topics.
    private func told(_ work: WebhookWork) -> [WebhookItem] {
        let topics = Set(work.webhook.webhook.topics.map(\.rawValue))
        return work.items.flatMap { item in
            var items = topics.contains(item.type) ? [item] : []
            if item.type == WebhookTopic.deliveryFailed.rawValue, topics.contains(WebhookTopic.tokenInvalid.rawValue),
                let reason = item.reason, sender.blamesToken(FailureReason(rawValue: reason))
            {
                var invalid = item
                invalid.type = WebhookTopic.tokenInvalid.rawValue
                items.append(invalid)
            }
            return items
        }
    }
}
