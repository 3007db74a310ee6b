import CarillonModel
import CarillonOperatorModel
package import Logging
import NIOConcurrencyHelpers
import ServiceLifecycle

/// Delivers waiting messages to webhooks.
///
/// Webhooks are independent, and each gets one message after another, so that one without an answer does not block
/// others. One node at a time delivers to a webhook; several nodes share them by claims. Delivery is at least once:
/// when a node dies after the address has answered, the message is delivered again, under the same id.
package struct WebhookDispatcher: Service {
    /// The settings.
    package struct Options: Sendable {
        /// The pause when nothing is due.
        package var pause = Duration.seconds(1)
        /// How many webhooks are delivered to at once.
        package var webhooksAtOnce = 64
        /// How many of them may have a failed last post.
        package var failingAtOnce = 16
        /// Messages to one webhook in a row before the next webhook has its turn.
        package var messagesAtOnce = 50
        /// How many due webhooks are read together.
        package var lookLimit = 1_000
        /// After this time without a new claim the node that holds a webhook counts as lost: longer than a post may
        /// take.
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
    private let signal = AsyncSignal()
    private let turns: NIOLockedValueBox<WebhookRotation>

    /// Creates the service.
    ///
    /// - Parameters:
    ///   - options: The settings.
    ///   - outbox: The waiting messages.
    ///   - client: Posts them.
    ///   - sender: Decides which causes of failure concern a device token.
    ///   - vault: Opens secrets.
    ///   - ids: Generates ids.
    ///   - clock: The wall clock.
    ///   - timer: The monotonic clock of pauses.
    ///   - logger: Receives webhooks that were disabled.
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
        turns = NIOLockedValueBox(
            WebhookRotation(
                limit: options.webhooksAtOnce,
                failingLimit: options.failingAtOnce,
                leaseTime: options.leaseTime
            )
        )
    }

    package func run() async throws {
        await withGracefulShutdownHandler {
            await withDiscardingTaskGroup { group in
                var lookedAt: ContinuousClock.Instant?
                while !isStopping {
                    let count = signal.count
                    let instant = timer.now()
                    let isOld = lookedAt.map { instant - $0 >= options.pause } ?? true
                    if isOld || !turns.withLockedValue({ $0.canStart }) {
                        await readDue()
                        lookedAt = instant
                    }
                    while let due = nextTurn() {
                        group.addTask {
                            let told = await deliver(due)
                            if told || turns.withLockedValue({ $0.canStart }) { signal.signal() }
                        }
                    }
                    guard !isStopping else { break }
                    await signal.wait(after: count, until: instant + options.pause, by: timer)
                }
            }
        } onGracefulShutdown: { [shutdown, signal] in
            shutdown.raise()
            signal.signal()
        }
    }

    /// Delivers to every due webhook once.
    ///
    /// - Returns: Whether anything was delivered; false when the store failed.
    package func deliverDue() async -> Bool {
        await readDue()
        return await withTaskGroup(of: Bool.self) { group in
            var didSomething = false
            while true {
                while let due = nextTurn() { group.addTask { await deliver(due) } }
                guard let told = await group.next() else { return didSomething }
                didSomething = told || didSomething
            }
        }
    }

    // MARK: - Private

    private var isStopping: Bool { shutdown.isRaised || Task.isCancelled }

    private func nextTurn() -> DueWebhook? { isStopping ? nil : turns.withLockedValue { $0.next() } }

    /// Reads which webhooks are due.
    private func readDue() async {
        do throws(StoreError) {
            let due = try await outbox.dueWebhooks(at: clock.now(), limit: options.lookLimit)
            let instant = timer.now()
            turns.withLockedValue { $0.replace(with: due, at: instant) }
        } catch {
            logger.info("The store failed; webhooks are delayed", metadata: ["carillon.error": "\(error)"])
        }
    }

    /// Delivers to one webhook, and frees its slot.
    ///
    /// - Returns: Whether anything was delivered.
    private func deliver(_ due: DueWebhook) async -> Bool {
        defer { turns.withLockedValue { $0.end(due.id) } }
        var count = 0
        do throws(StoreError) {
            var claimed = try await outbox.claim(due, as: ids.next(), at: clock.now())
            while let work = claimed {
                count += 1
                claimed = try await post(work, goesOn: count < options.messagesAtOnce && !isStopping)
            }
        } catch {
            // The claimed message is found again when the claim is as old as a lease.
            logger.info("The store failed; a webhook is delayed", metadata: ["carillon.error": "\(error)"])
        }
        return count > 0
    }

    /// Posts a message and saves the result.
    ///
    /// - Returns: The next message; `nil` when the webhook was given back.
    private func post(_ work: WebhookWork, goesOn: Bool) async throws(StoreError) -> WebhookWork? {
        var work = work
        let items = items(of: work)
        let completion: WebhookCompletion
        if items.isEmpty {
            // All of its items were erased meanwhile: there is nothing to deliver.
            completion = .taken
        } else {
            let post = try WebhookPost(work.webhook, work.message.id, items, vault: vault, at: clock.now())
            let start = ContinuousClock.now
            let reply = await client.reply(to: post)
            work.attempt = WebhookAttempt(work.message.id, reply, at: clock.now(), after: ContinuousClock.now - start)
            completion = options.schedule.completion(
                of: reply.answer,
                work,
                at: clock.now(),
                random: options.random()
            )
        }
        var next: WebhookMessageID?
        if goesOn, completion == .taken { next = ids.next() as WebhookMessageID }
        let completed = try await outbox.complete(work, completion, next: next, at: clock.now())
        if completed.isKept, case .disabled(let alarm, _, _, _) = completion {
            logger.warning(
                "A webhook is disabled",
                metadata: ["carillon.webhook": "\(work.webhook.webhook.id)", "carillon.alarm": "\(alarm)"]
            )
        }
        return completed.next
    }

    /// The items of the topics that the webhook has selected; a failure may have an item in each of two topics.
    private func items(of work: WebhookWork) -> [WebhookItem] {
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

extension WebhookAttempt {
    /// The attempt that had a result.
    init(_ message: WebhookMessageID, _ reply: WebhookReply, at now: Timestamp, after time: Duration) {
        self.init(message: message, at: now, milliseconds: Int(time / .milliseconds(1)))
        switch reply.answer {
        case .answered(let status, _): self.status = status
        case .failed(let words): error = words
        }
        body = reply.body
    }
}
