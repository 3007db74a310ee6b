import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import NIOConcurrencyHelpers

/// Bounds how many requests callers may send, by who they are.
///
/// Each bucket table has a bounded number of keys. A request costs one look into one or two of them.
final class RequestLimiter: Sendable {
    /// What is limited; also the label of the metric.
    enum Kind: String, CaseIterable {
        case apiKey = "api-key"
        case appKey = "app-key"
        case device
        case unknownKey = "unknown-key"
        case registration
        case costly
    }

    private typealias Buckets<Key: Hashable & Sendable> = NIOLockedValueBox<RateLimiter<Key>>

    private let apiKeys: Buckets<APIKeyID>?
    private let apps: Buckets<AppID>?
    /// By Device and secret: the App key is public, and who guesses at a secret must not use up what its Device may send.
    private let devices: Buckets<DeviceCaller>?
    private let unknownKeys: Buckets<String>?
    private let costly: Places<AppID>?
    private let metrics: ServerMetrics

    /// Makes full buckets.
    ///
    /// - Parameters:
    ///   - limits: How many may pass; `nil` bounds nothing.
    ///   - metrics: Counts those that may not.
    init(_ limits: RequestLimits?, metrics: ServerMetrics) {
        apiKeys = Self.buckets(limits?.apiKey, capacity: 10_000)
        apps = Self.buckets(limits?.appKey, capacity: 10_000)
        devices = Self.buckets(limits?.device, capacity: 100_000)
        unknownKeys = Self.buckets(limits?.unknownKey, capacity: 100_000)
        costly = (limits?.costly).map { Places(total: 4 * $0, perKey: $0) }
        self.metrics = metrics
    }

    // MARK: Callers

    /// Counts a request of an API key.
    ///
    /// - Throws: 429 when the key has sent too many, as all that follow.
    func count(_ key: APIKeyID) throws(ProblemAnswer) {
        try check(take(key, from: apiKeys), .apiKey, "The API key sends too many requests.")
    }

    /// Counts a request with an App key.
    func count(_ app: AppID) throws(ProblemAnswer) {
        try check(take(app, from: apps), .appKey, "The App's phones send too many requests.")
    }

    /// Counts a request of a Device, whose secret need not be its own.
    func count(_ caller: DeviceCaller) throws(ProblemAnswer) {
        try check(take(caller, from: devices), .device, "The Device sends too many requests.")
    }

    /// The answer to a request beyond a limit, which is counted.
    func refuse(_ delay: Duration, _ kind: Kind, _ detail: String) -> ProblemAnswer {
        metrics.countLimited(kind)
        return .tooManyRequests(detail, retryAfter: Int(delay.components.seconds) + 1)
    }

    // MARK: Wrong keys and secrets

    /// Whether any wrong key or secret was counted.
    var knowsWrongKeys: Bool { unknownKeys.map { $0.withLockedValue { $0.count > 0 } } ?? false }

    /// Checks that an address may send a key that is not known yet.
    func checkUnknownKey(network: String) throws(ProblemAnswer) {
        try check(
            unknownKeys.flatMap { $0.withLockedValue { $0.delay(of: network, now: .now) } },
            .unknownKey,
            "Too many wrong keys or secrets come from this address."
        )
    }

    /// Checks that an address may send a Device's secret that no request was counted with yet.
    ///
    /// Where Devices are not bounded no secret is told from another, and phones beside the one that guesses go on.
    func checkUnknownSecret(_ caller: DeviceCaller, network: String) throws(ProblemAnswer) {
        guard knowsWrongKeys, let devices, !devices.withLockedValue({ $0.contains(caller) }) else { return }
        try checkUnknownKey(network: network)
    }

    /// Counts a wrong key or secret of an address.
    func countUnknownKey(network: String) { _ = take(network, from: unknownKeys) }

    // MARK: What costs much

    /// Acquires the place of a request that costs the store much.
    ///
    /// - Parameter app: Whose data it reads.
    /// - Returns: The place, to be held as long as the store is asked; `nil` when they are not bounded.
    /// - Throws: 429 when as many run as may.
    func acquireCostly(_ app: AppID) throws(ProblemAnswer) -> Places<AppID>.Place? {
        guard let costly else { return nil }
        do {
            return try costly.acquire(app)
        } catch {
            throw refuse(.zero, .costly, "Too many exports, estimates and dry runs are under way.")
        }
    }

    // MARK: - Private

    private static func buckets<Key>(_ rate: Double?, capacity: Int) -> Buckets<Key>? {
        rate.map {
            NIOLockedValueBox(
                RateLimiter(rate: $0, burst: max(1, $0 * RequestLimits.burstSeconds), capacity: capacity)
            )
        }
    }

    private func take<Key>(_ key: Key, from buckets: Buckets<Key>?) -> Duration? {
        // Changed where they are: a copy would be of all buckets.
        buckets.flatMap { $0.withLockedValue { $0.take(key, now: .now) } }
    }

    private func check(_ delay: Duration?, _ kind: Kind, _ detail: String) throws(ProblemAnswer) {
        if let delay { throw refuse(delay, kind, detail) }
    }
}
