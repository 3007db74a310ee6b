import Foundation
import NIOConcurrencyHelpers

/// What a client of `GET /events` has received, to compute the next frame.
struct EventFrames: Sendable {
    /// Maximum number of requests in a frame; older ones are only counted.
    static let limit = 100

    private var sent: Counters?
    /// The number of the last request sent.
    private var last: Int?

    /// - Parameter last: The number of the last request that the client knows; nil for new ones only.
    init(after last: Int? = nil) {
        self.last = last
    }

    /// The next frame; nil when nothing has changed.
    mutating func next(_ core: SimulatorCore) -> String? {
        let (counters, recorded, requests) = core.state.withLockedValue { state in
            let recorder = state.gateway.recorder
            let new = min(max(recorder.recorded - (last ?? recorder.recorded), 0), Self.limit)
            return (state.gateway.currentCounters, recorder.recorded, recorder.numbered(new))
        }
        var text = ""
        if let last, recorded - last > requests.count {
            text += EventText.event("missed", data: #"{"count":\#(recorded - last - requests.count)}"#)
        }
        for entry in requests.reversed() {
            text += EventText.event("request", data: Self.json(RequestEvent(entry)), id: entry.number)
        }
        last = recorded
        if sent != counters {
            sent = counters
            text += EventText.event("stats", data: Self.json(counters))
        }
        return text.isEmpty ? nil : text
    }

    private static func json(_ value: some Encodable) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return (try? encoder.encode(value)).map { String(decoding: $0, as: UTF8.self) } ?? "{}"
    }
}

/// A request's summary for `GET /events`; `GET /requests` has the details.
struct RequestEvent: Encodable, Hashable, Sendable {
    var number: Int
    var connection: Int
    var stream: Int32
    var at: Int64
    /// The first and last characters of the device token.
    var token: String
    var pushType: String?
    var topic: String?
    var id: String?
    var status: Int?
    var reason: String?

    init(_ entry: Snapshot.Entry) {
        let request = entry.request
        number = entry.number
        connection = request.connection
        stream = request.stream
        at = request.at.milliseconds
        token = request.request.shortToken
        pushType = request.request.text(.apnsPushType).map { Wording.shortened($0) }
        topic = request.request.text(.apnsTopic).map { Wording.shortened($0) }
        id = request.request.text(.apnsID).map { Wording.shortened($0) }
        status = request.status
        reason = request.reason
    }
}
