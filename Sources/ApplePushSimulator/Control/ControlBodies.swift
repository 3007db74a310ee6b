import CarillonBytes
import Hummingbird

// Responses of the control API; `Resources/openapi.yaml` describes each field.

struct TokensAnswer: ResponseEncodable, Encodable {
    var tokens: [String]
}

/// Issued device tokens, and the position of the next page.
struct IssuedTokensAnswer: ResponseEncodable, Encodable {
    var tokens: [String]
    var next: Int?
}

struct HealthAnswer: ResponseEncodable, Encodable {
    var status: String
}

/// The id of an added fault.
struct FaultIDAnswer: ResponseEncodable, Encodable {
    var id: Int
}

/// A latency in the format of a request.
struct LatencyAnswer: Encodable {
    var kind: String
    var milliseconds: Int?
    var shortest: Int?
    var longest: Int?
    var mean: Int?
    var deviation: Int?
    var median: Int?
    var percentile99: Int?

    init(_ latency: Latency) {
        func count(_ span: Duration) -> Int { Int(span / .milliseconds(1)) }
        switch latency {
        case .constant(let span):
            kind = Latency.Form.constant.rawValue
            milliseconds = count(span)
        case .uniform(let shortest, let longest):
            kind = Latency.Form.uniform.rawValue
            (self.shortest, self.longest) = (count(shortest), count(longest))
        case .normal(let mean, let deviation):
            kind = Latency.Form.normal.rawValue
            (self.mean, self.deviation) = (count(mean), count(deviation))
        case .longTailed(let median, let percentile99):
            kind = Latency.Form.longTailed.rawValue
            (self.median, self.percentile99) = (count(median), count(percentile99))
        }
    }
}

/// An active fault.
struct FaultAnswer: ResponseEncodable, Encodable {
    var id: Int
    var hits: Int
    var kind: Fault.Kind
    var count: Int?
    var percent: Double?
    var token: String?
    var topic: String?
    var listener: String?
    var families: [PathFamily]
    var start: Int64?
    var end: Int64?
    var status: Int?
    var reason: String?
    var timestamp: Int64?
    var latency: LatencyAnswer?
    var errorCode: UInt32?
    var goAwayCount: Int?
    var emptyDebug: Bool?
    var streamLimit: UInt32?
    var takesEffect: Bool

    init(_ fault: Fault) {
        id = fault.id
        hits = fault.hits
        kind = fault.kind
        count = fault.count
        percent = fault.percent
        token = fault.token.map { Hexadecimal.encode($0) }
        topic = fault.topic
        listener = fault.listener
        families = fault.families.sorted { $0.rawValue < $1.rawValue }
        start = fault.start?.milliseconds
        end = fault.end?.milliseconds
        status = fault.status
        reason = fault.reason
        timestamp = fault.timestamp?.milliseconds
        latency = fault.latency.map(LatencyAnswer.init)
        errorCode = fault.errorCode
        goAwayCount = fault.kind == .goAway ? fault.goAwayCount : nil
        emptyDebug = fault.kind == .goAway ? fault.hasEmptyDebug : nil
        streamLimit = fault.streamLimit
        takesEffect = fault.takesEffect
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
