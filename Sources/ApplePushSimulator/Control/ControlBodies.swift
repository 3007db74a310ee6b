import Crypto
import Foundation
import Hummingbird

// The bodies of the control API. Each names its fields, so that a misspelled one is refused and not ignored.

protocol ControlBody: Decodable {
    associatedtype CodingKeys: CodingKey, CaseIterable
}

struct TokensBody: ControlBody {
    var topic: String?
    var environment: PushEnvironment?
    var count: Int?
    var online: Bool?

    enum CodingKeys: CodingKey, CaseIterable { case topic, environment, count, online }
}

struct TokensAnswer: ResponseEncodable, Encodable {
    var tokens: [String]
}

struct HealthAnswer: ResponseEncodable, Encodable {
    var status: String
}

struct ExpiryBody: ControlBody {
    var timestamp: Int64?
    var reason: String?

    enum CodingKeys: CodingKey, CaseIterable { case timestamp, reason }
}

struct AvailabilityBody: ControlBody {
    var available: Bool

    enum CodingKeys: CodingKey, CaseIterable { case available }
}

struct FeedBody: ControlBody {
    var tokens: [String]

    enum CodingKeys: CodingKey, CaseIterable { case tokens }
}

struct KeyBody: ControlBody {
    var keyID: String
    var teamID: String
    var publicKeyPEM: String?
    var p8: String?
    var environment: PushEnvironment?
    var topics: [String]?

    enum CodingKeys: CodingKey, CaseIterable { case keyID, teamID, publicKeyPEM, p8, environment, topics }

    func key() throws -> SigningKey {
        let publicKey: P256.Signing.PublicKey
        switch (publicKeyPEM, p8) {
        case (let pem?, nil):
            guard let key = try? P256.Signing.PublicKey(pemRepresentation: pem) else {
                throw HTTPError(.badRequest, message: "publicKeyPEM: wanted the PEM of a P-256 public key")
            }
            publicKey = key
        case (nil, let p8?):
            guard let key = try? P256.Signing.PrivateKey(pemRepresentation: p8) else {
                throw HTTPError(.badRequest, message: "p8: wanted the PEM of a P-256 private key in PKCS#8")
            }
            publicKey = key.publicKey
        default:
            throw HTTPError(.badRequest, message: "wanted either publicKeyPEM or p8")
        }
        return SigningKey(
            keyID: keyID,
            teamID: teamID,
            publicKey: publicKey,
            environment: environment,
            topics: topics.map(Set.init)
        )
    }
}

struct FaultBody: ControlBody, ResponseEncodable, Encodable {
    var kind: Fault.Kind?
    var count: Int?
    var percent: Double?
    var token: String?
    var status: Int?
    var reason: String?
    var timestamp: Int64?
    var latencyMilliseconds: Int?
    var errorCode: UInt32?
    var takesEffect: Bool?

    enum CodingKeys: CodingKey, CaseIterable {
        case kind, count, percent, token, status, reason, timestamp, latencyMilliseconds, errorCode, takesEffect
    }

    init(_ fault: Fault) {
        kind = fault.kind
        count = fault.count
        percent = fault.percent
        token = fault.token.map { hexadecimal($0) }
        status = fault.status
        reason = fault.reason
        timestamp = fault.timestamp?.milliseconds
        if case .constant(let latency)? = fault.latency {
            latencyMilliseconds = Int(latency / .milliseconds(1))
        }
        errorCode = fault.errorCode ?? (fault.kind == .reset ? 2 : nil)
        takesEffect = fault.takesEffect
    }

    /// The fault, when every number is in its range.
    func fault() throws -> Fault {
        var fault = Fault(kind ?? .answer, count: count, status: status, reason: reason)
        try check(count.map { $0 >= 1 }, "count: wanted a number of at least 1, or null")
        try check(percent.map { $0 > 0 && $0 <= 100 }, "percent: wanted a number above 0 and up to 100")
        try check(status.map { (400...599).contains($0) }, "status: wanted a number from 400 through 599")
        try check(
            latencyMilliseconds.map { (0...600_000).contains($0) },
            "latencyMilliseconds: wanted a number from 0 through 600000"
        )
        try check((reason?.utf8.count).map { (1...200).contains($0) }, "reason: wanted 1 through 200 bytes")
        try check(reason.map { _ in status != nil || kind == .goAway }, "reason: goes with a status or kind goaway")
        fault.percent = percent
        fault.timestamp = timestamp.map { WallTime(milliseconds: $0) }
        fault.latency = latencyMilliseconds.map { .milliseconds($0) }
        fault.errorCode = errorCode
        fault.takesEffect = takesEffect ?? false
        if let token {
            guard let bytes = try? SimulatorHandle.decode(token, at: 0) else {
                throw HTTPError(.badRequest, message: "token: wanted 64 through 512 hexadecimal digits")
            }
            fault.token = bytes
        }
        return fault
    }

    private func check(_ condition: Bool?, _ message: String) throws {
        guard condition ?? true else { throw HTTPError(.badRequest, message: message) }
    }
}

/// A fault in force.
struct FaultAnswer: ResponseEncodable, Encodable {
    var id: Int
    var fault: FaultBody?

    init(id: Int) {
        self.id = id
    }

    init(_ fault: Fault) {
        id = fault.id
        self.fault = FaultBody(fault)
    }

    enum CodingKeys: CodingKey { case id }

    /// The fault's own fields stand beside its id.
    func encode(to encoder: any Encoder) throws {
        try fault?.encode(to: encoder)
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(id, forKey: .id)
    }
}

struct RequestAnswer: ResponseEncodable, Encodable {
    var connection: Int
    var stream: Int32
    var at: Int64
    var headers: [[String]]
    /// The body as text; bytes that are not UTF-8 are replaced.
    var body: String
    var bodyLength: Int
    var keyID: String?
    var teamID: String?
    var issuedAt: Int64?
    var status: Int?
    var reason: String?

    init(_ recorded: RecordedRequest) {
        connection = recorded.connection
        stream = recorded.stream
        at = recorded.at.milliseconds
        headers = recorded.request.headers.map { [$0.name, $0.value] }
        body = String(decoding: recorded.request.body, as: UTF8.self)
        bodyLength = recorded.request.bodyLength
        keyID = recorded.keyID
        teamID = recorded.teamID
        issuedAt = recorded.issuedAt
        status = recorded.status
        reason = recorded.reason
    }
}

extension Counters: ResponseEncodable {}
