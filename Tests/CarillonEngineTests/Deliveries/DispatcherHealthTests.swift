import CarillonModel
import Logging
import NIOConcurrencyHelpers
import Testing

@testable import CarillonEngine

struct DispatcherHealthTests {
    @Test(
        "S1-operators-2 A session without a heartbeat for a lease time is failing, until one is stored or none is tried"
    )
    func failing() async {
        let (time, store) = (TestTime(), SwitchedSessions())
        let heartbeat = SessionHeartbeat(
            SessionHeartbeat.Parts(
                store: store,
                clock: time,
                timer: time,
                leaseTime: .seconds(10),
                retryTime: .milliseconds(100),
                figures: DispatcherMetrics(),
                logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
            )
        )
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await heartbeat.run() }
            func attempt() async { _ = try? await heartbeat.fresh() }
            store.fail(true)
            await attempt()
            #expect(!heartbeat.isFailing)
            time.advance(by: .seconds(10))
            await attempt()
            #expect(heartbeat.isFailing)
            // An idle dispatcher makes no attempts.
            time.advance(by: .seconds(11))
            #expect(!heartbeat.isFailing)
            await attempt()
            #expect(heartbeat.isFailing)
            store.fail(false)
            await attempt()
            #expect(!heartbeat.isFailing)
            await heartbeat.end()
        }
    }

    @Test("S1-operators-2 A dispatcher that has not begun is stopped")
    func stopped() async throws {
        let world = try await DeliveryWorld()
        #expect(world.dispatcher().health == .stopped)
    }
}

/// Sessions of a store that can fail.
private final class SwitchedSessions: SessionStore {
    private let fails = NIOLockedValueBox(false)

    func fail(_ isFailing: Bool) { fails.withLockedValue { $0 = isFailing } }

    private func call() throws(StoreError) {
        guard !fails.withLockedValue({ $0 }) else { throw .unavailable("gone") }
    }

    func begin(_ session: DispatcherSession, at now: Timestamp) async throws(StoreError) { try call() }

    func beat(
        _ session: DispatcherSession,
        waits: [CommitWait]?,
        at now: Timestamp
    ) async throws(StoreError) -> Bool {
        try call()
        return true
    }

    func end(_ session: DispatcherSession) async throws(StoreError) { try call() }
}
