import ApplePushSender
import CarillonEngine
import CarillonModel
import CarillonServer
import NIOConcurrencyHelpers

/// The readiness of a running node: its master key, its dispatcher, and its connection to APNs.
///
/// The store is checked before. An App that cannot send, for example without a push key, is no fault of the node.
struct NodeReadiness: Sendable {
    /// How long APNs may be unreachable before it is reported.
    private static let apnsPatience = Duration.seconds(120)

    let check: MasterKeyCheck
    let vault: Vault
    /// `nil` on a node that does not send.
    let dispatcher: Dispatcher?
    let sender: APNsSender
    let clock: any WallClock
    let isHeld: Bool
    /// How long the check of the master key is cached.
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

    /// The degradations for unreachable environments of APNs.
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

    /// Queries the store at most once per lifetime.
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
                detail: "The node's dispatcher cannot show heartbeats: other nodes take over its work."
            )
        }
    }
}
