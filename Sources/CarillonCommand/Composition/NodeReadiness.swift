import ApplePushSender
import CarillonEngine
import CarillonModel
import CarillonServer
import NIOConcurrencyHelpers

/// Whether a running node can do its work: its master key, its dispatcher, and the way to APNs.
///
/// The store is asked before. An App that cannot send by itself, as without a push key, is no fault of the node.
struct NodeReadiness: Sendable {
    /// How long APNs may give no answer before it is said.
    private static let apnsPatience = Duration.seconds(120)

    let check: MasterKeyCheck
    let vault: Vault
    /// `nil` on a node that does not send.
    let dispatcher: Dispatcher?
    let sender: APNsSender
    let clock: any WallClock
    let isHeld: Bool
    /// For how long what was found out about the master key is told again.
    let lifetime: Duration
    private let lastLook = NIOLockedValueBox<(at: ContinuousClock.Instant, failure: Readiness.Reason?)?>(nil)

    init(
        check: MasterKeyCheck,
        vault: Vault,
        dispatcher: Dispatcher?,
        sender: APNsSender,
        clock: any WallClock,
        isHeld: Bool,
        lifetime: Duration
    ) {
        self.check = check
        self.vault = vault
        self.dispatcher = dispatcher
        self.sender = sender
        self.clock = clock
        self.isHeld = isHeld
        self.lifetime = lifetime
    }

    func readiness() async -> Readiness {
        var readiness = Readiness()
        readiness.isHeld = isHeld
        if let failure = await masterKeyFailure() { readiness.failures.append(failure) }
        if let failure = dispatcher.flatMap(\.health.failure) { readiness.failures.append(failure) }
        readiness.degradations = Self.degradations(sender.unreachable, at: clock.now())
        return readiness
    }

    /// What is said of environments of APNs that give no answer.
    static func degradations(
        _ unreachable: [(environment: String, since: Timestamp)],
        at now: Timestamp
    ) -> [Readiness.Reason] {
        unreachable.filter { $0.since <= now.advanced(by: .zero - apnsPatience) }.map { environment, since in
            Readiness.Reason(
                code: "apns-unreachable",
                detail: "APNs (\(environment)) has answered nothing since \(since)."
            )
        }
    }

    /// The store is asked once in a while, however often somebody asks the node.
    private func masterKeyFailure() async -> Readiness.Reason? {
        let now = ContinuousClock.now
        if let last = lastLook.withLockedValue({ $0 }), last.at.duration(to: now) < lifetime { return last.failure }
        let failure = await lookedUpFailure()
        lastLook.withLockedValue { $0 = (now, failure) }
        return failure
    }

    private func lookedUpFailure() async -> Readiness.Reason? {
        do throws(StoreError) {
            guard try await check.opensStore(vault) == false else { return nil }
            return Readiness.Reason(
                code: "master-key-mismatch",
                detail: "The node's master key does not open the store's secrets."
            )
        } catch {
            return Readiness.Reason(code: "store-unavailable", detail: "The store does not answer.")
        }
    }
}

extension DispatcherHealth {
    fileprivate var failure: Readiness.Reason? {
        switch self {
        case .running: nil
        case .stopped: Readiness.Reason(code: "dispatcher-stopped", detail: "The node's dispatcher does not run.")
        case .withoutHeartbeat:
            Readiness.Reason(
                code: "dispatcher-without-heartbeat",
                detail: "The node's dispatcher cannot show heartbeats: other nodes take its work over."
            )
        }
    }
}
