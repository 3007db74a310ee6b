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
    /// By address: keys that are compared although it has sent too many wrong ones.
    private let comparedKeys: Buckets<String>?
    /// By address: look-ups of what may be no key at all.
    ///
    /// They are no guesses of keys, and do not count as such.
    private let lookUps: Buckets<String>?
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
        comparedKeys = Self.comparedBuckets(limits)
        lookUps = Self.comparedBuckets(limits)
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
        try check(delay(of: network, in: unknownKeys), .unknownKey, Self.wrongKeys)
    }

    /// Checks that a key of an address may be compared, however many wrong ones it has sent.
    ///
    /// Where all phones of an App have one key, a right one passes: others behind the address of an attacker are not
    /// blocked. The bound keeps the attacker from trying keys without end.
    func checkComparedKey(network: String) throws(ProblemAnswer) {
        guard knowsWrongKeys else { return }
        try check(delay(of: network, in: comparedKeys), .unknownKey, Self.wrongKeys)
    }

    /// Counts a key that was compared and is wrong.
    ///
    /// - Throws: 429 when the address has sent too many of them before.
    func countComparedKey(network: String) throws(ProblemAnswer) {
        guard let delay = consume(network, from: unknownKeys) else { return }
        _ = consume(network, from: comparedKeys)
        throw refuse(delay, .unknownKey, Self.wrongKeys)
    }

    /// Counts a look-up of what may be no key at all, such as a segment of a path.
    ///
    /// - Returns: False when the address has caused too many.
    func mayLookUp(network: String) -> Bool { consume(network, from: lookUps) == nil }

    /// Counts a look-up of a code that may be of no App.
    ///
    /// - Throws: 429 when the address has caused too many.
    func checkLookUp(network: String) throws(ProblemAnswer) {
        try check(consume(network, from: lookUps), .unknownKey, Self.wrongKeys)
    }

    /// Counts a code that was looked up and is of no App.
    ///
    /// - Throws: 429 when the address has sent too many of them, or of wrong keys, before.
    func countUnknownCode(network: String) throws(ProblemAnswer) {
        try check(consume(network, from: unknownKeys), .unknownKey, Self.wrongKeys)
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

    private static let wrongKeys = "Too many wrong keys or secrets come from this address."

    private static func buckets<Key>(_ rate: Double?, leastBurst: Double = 1, capacity: Int) -> Buckets<Key>? {
        rate.map {
            NIOLockedValueBox(
                RateLimiter(rate: $0, burst: max(leastBurst, $0 * RequestLimits.burstSeconds), capacity: capacity)
            )
        }
    }

    private static func comparedBuckets(_ limits: RequestLimits?) -> Buckets<String>? {
        buckets(
            (limits?.unknownKey).map { $0 * RequestLimits.comparedKeys },
            leastBurst: RequestLimits.leastComparedKeys,
            capacity: 100_000
        )
    }

    private func delay<Key>(of key: Key, in buckets: Buckets<Key>?) -> Duration? {
        buckets.flatMap { $0.withLockedValue { $0.delay(of: key, now: .now) } }
    }

    private func consume<Key>(_ key: Key, from buckets: Buckets<Key>?) -> Duration? {
        // Changed in place: a copy would copy all buckets.
        buckets.flatMap { $0.withLockedValue { $0.consume(key, now: .now) } }
    }

    private func check(_ delay: Duration?, _ kind: Kind, _ detail: String) throws(ProblemAnswer) {
        if let delay { throw refuse(delay, kind, detail) }
    }
}
