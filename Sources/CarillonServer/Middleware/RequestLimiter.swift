import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import NIOConcurrencyHelpers

/// Limits how many requests callers may send, by their credentials.
///
/// Each bucket table has a bounded number of keys. A request costs one or two look-ups.
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
    /// By the App whose vendor API a back end calls.
    private let backEnds: Buckets<AppID>?
    /// By Device and secret: the App key is public, and somebody who guesses secrets must not exhaust the Device's own
    /// limit.
    private let devices: Buckets<DeviceCaller>?
    private let unknownKeys: Buckets<String>?
    private let costly: Places<AppID>?
    private let metrics: ServerMetrics

    /// Creates full buckets.
    ///
    /// - Parameters:
    ///   - limits: The limits; unlimited when `nil`.
    ///   - metrics: Counts the refused requests.
    init(_ limits: RequestLimits?, metrics: ServerMetrics) {
        apiKeys = Self.buckets(limits?.apiKey, capacity: 10_000)
        apps = Self.buckets(limits?.appKey, capacity: 10_000)
        backEnds = Self.buckets(limits?.apiKey, capacity: 10_000)
        devices = Self.buckets(limits?.device, capacity: 100_000)
        unknownKeys = Self.buckets(limits?.unknownKey, capacity: 100_000)
        costly = (limits?.costly).map { Places(total: 4 * $0, perKey: $0) }
        self.metrics = metrics
    }

    // MARK: Callers

    /// Counts a request of an API key.
    ///
    /// - Throws: 429 above the limit, as do the other methods.
    func count(_ key: APIKeyID) throws(ProblemAnswer) {
        try check(consume(key, from: apiKeys), .apiKey, "The API key sends too many requests.")
    }

    /// Counts a request with an App key.
    func count(_ app: AppID) throws(ProblemAnswer) {
        try check(consume(app, from: apps), .appKey, "The App's phones send too many requests.")
    }

    /// Counts a request with a vendor's secret, as one of an API key.
    func countBackEnd(of app: AppID) throws(ProblemAnswer) {
        try check(consume(app, from: backEnds), .apiKey, "The App's back end sends too many requests.")
    }

    /// Counts a request of a Device, whose secret is not verified yet.
    ///
    /// - Parameter caller: The Device; not asked for without a limit.
    /// - Throws: 429 above the limit.
    func count(_ caller: @autoclosure () -> DeviceCaller) throws(ProblemAnswer) {
        guard let devices else { return }
        try check(consume(caller(), from: devices), .device, "The Device sends too many requests.")
    }

    /// Creates the response to a request above a limit, and counts it.
    func refuse(_ delay: Duration, _ kind: Kind, _ detail: String) -> ProblemAnswer {
        metrics.countLimited(kind)
        return .tooManyRequests(detail, retryAfter: Int(delay.components.seconds) + 1)
    }

    // MARK: Wrong keys and secrets

    /// Whether any wrong key or secret was counted.
    var knowsWrongKeys: Bool { unknownKeys.map { $0.withLockedValue { $0.count > 0 } } ?? false }

    /// Checks that an address may send an unknown key.
    func checkUnknownKey(network: String) throws(ProblemAnswer) {
        try check(
            unknownKeys.flatMap { $0.withLockedValue { $0.delay(of: network, now: .now) } },
            .unknownKey,
            "Too many wrong keys or secrets come from this address."
        )
    }

    /// Checks that an address may send a Device secret that was not counted before.
    ///
    /// Without a limit for Devices all secrets pass, so that phones behind the address of an attacker are not blocked.
    func checkUnknownSecret(_ caller: DeviceCaller, network: String) throws(ProblemAnswer) {
        guard knowsWrongKeys, let devices, !devices.withLockedValue({ $0.contains(caller) }) else { return }
        try checkUnknownKey(network: network)
    }

    /// Counts a wrong key or secret of an address.
    func countUnknownKey(network: String) { _ = consume(network, from: unknownKeys) }

    // MARK: What costs much

    /// Acquires a place for an expensive request.
    ///
    /// - Parameter app: The App whose data it reads.
    /// - Returns: The place, to be held while the store works; `nil` without a limit.
    /// - Throws: 429 when all places are in use.
    func acquireCostly(_ app: AppID) throws(ProblemAnswer) -> Places<AppID>.Place? {
        guard let costly else { return nil }
        do {
            return try costly.acquire(app)
        } catch {
            throw refuse(.zero, .costly, "Too many exports, estimates, dry runs and large Campaigns are running.")
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

    private func consume<Key>(_ key: Key, from buckets: Buckets<Key>?) -> Duration? {
        // Changed in place: a copy would copy all buckets.
        buckets.flatMap { $0.withLockedValue { $0.consume(key, now: .now) } }
    }

    private func check(_ delay: Duration?, _ kind: Kind, _ detail: String) throws(ProblemAnswer) {
        if let delay { throw refuse(delay, kind, detail) }
    }
}
