package import CarillonModel
package import CarillonOperatorModel
package import Logging
import ServiceLifecycle

/// Shows every few seconds that this process lives, and does what an admin asked of it.
package final class NodePresence: Service {
    private let store: any NodeStore
    private let facts: @Sendable (Timestamp) -> NodeFacts
    private let setQuiet: @Sendable (Bool) -> Void
    private let clock: any WallClock
    private let timer: any DispatchClock
    private let logger: Logger

    /// Creates the service.
    ///
    /// - Parameters:
    ///   - store: Where it is stored.
    ///   - clock: The wall clock.
    ///   - timer: What the period is measured by.
    ///   - logger: The log.
    ///   - setQuiet: Makes the dispatcher take no work, or take some again.
    ///   - facts: What the process reports; called once a period.
    package init(
        store: any NodeStore,
        clock: any WallClock,
        timer: any DispatchClock = SystemDispatchClock(),
        logger: Logger,
        setQuiet: @escaping @Sendable (Bool) -> Void,
        facts: @escaping @Sendable (Timestamp) -> NodeFacts
    ) {
        self.store = store
        self.facts = facts
        self.setQuiet = setQuiet
        self.clock = clock
        self.timer = timer
        self.logger = logger
    }

    package func run() async throws {
        await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                await self.beat()
                await self.timer.sleep(until: self.timer.now() + Nodes.beatTime)
            }
        }
        try? await store.leave()
    }

    /// Shows once that the process lives.
    package func beat() async {
        let now = clock.now()
        do throws(StoreError) {
            setQuiet(try await store.beat(facts(now), at: now))
        } catch {
            // Others call it lost meanwhile; the next one comes soon.
            logger.debug("A node's heartbeat was not stored", metadata: ["carillon.error": "\(error)"])
        }
    }
}
