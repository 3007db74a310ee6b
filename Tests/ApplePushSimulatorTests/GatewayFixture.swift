@testable import ApplePushSimulator

/// A gateway with one key and one connection, and a clock in the test's hand.
struct GatewayFixture {
    static let token = String(repeating: "ab", count: 32)
    static let otherToken = String(repeating: "cd", count: 32)
    static let alert = #"{"aps":{"alert":"Hello"},"carillon":{"o":"campaign-1"}}"#

    /// What came of one request.
    struct Outcome: Equatable, CustomStringConvertible {
        var status: Int
        var reason: String?

        static let accepted = Outcome(status: 200)

        static func refused(_ status: Int, _ reason: String) -> Outcome {
            Outcome(status: status, reason: reason)
        }

        var description: String { "\(status) \(reason ?? "")" }
    }

    let signer = TestSigner()
    /// A provider token in order.
    ///
    /// Signatures are random, so it is made once.
    let providerToken: String
    var gateway: Gateway
    var connection = ConnectionState()
    var now = SimulatedTime(seconds: 1_800_000_000)

    init(_ change: (inout ValidationRules) -> Void = { _ in }, recording: Int = 0) {
        var rules = ValidationRules()
        change(&rules)
        gateway = Gateway(rules: [rules], recording: recording, seed: 1)
        gateway.keys.add(signer.key)
        providerToken = signer.token(issuedAt: 1_800_000_000)
    }

    /// The fields of a request that is in order.
    func headers(token: String = token) -> [(name: String, value: String)] {
        [
            (":method", "POST"), (":scheme", "https"), (":authority", "localhost"),
            (":path", "/3/device/\(token)"),
            ("authorization", "bearer \(providerToken)"),
            ("apns-topic", "com.example.app"),
            ("apns-push-type", "alert"),
        ]
    }

    /// Sends a request that is in order but for some fields.
    ///
    /// - Parameters:
    ///   - changes: New values; nil removes a field.
    ///   - extra: Further fields, after the others.
    ///   - token: The device token in the path.
    ///   - body: The body.
    /// - Returns: Status and reason.
    @discardableResult
    mutating func send(
        _ changes: [String: String?] = [:],
        also extra: [(name: String, value: String)] = [],
        token: String = token,
        body: String = alert
    ) -> Outcome {
        let reply = reply(changes, also: extra, token: token, body: body)
        return Outcome(status: reply.status, reason: reply.reason)
    }

    /// Sends one that is in order; tells what a feed gets.
    mutating func delivery(body: String = alert) -> (feed: FeedID, delivery: Delivery)? {
        _ = reply(body: body)
        return gateway.outbox.first
    }

    /// The same, with all that is to be done; what feeds get is in the gateway's outbox afterwards.
    mutating func reply(
        _ changes: [String: String?] = [:],
        also extra: [(name: String, value: String)] = [],
        token: String = token,
        body: String = alert
    ) -> Reply {
        var fields = headers(token: token).filter { changes[$0.name] == nil }
        fields += changes.compactMap { name, value in value.map { (name, $0) } }.sorted { $0.0 < $1.0 }
        gateway.outbox = []
        var request = IncomingRequest(headers: fields + extra, body: Array(body.utf8))
        return gateway.receive(
            &request,
            connection: &connection,
            from: Gateway.Origin(connection: 1, stream: 1),
            now: now
        )
    }
}
