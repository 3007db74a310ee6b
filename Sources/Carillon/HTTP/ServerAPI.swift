import CarillonModel
import Foundation

/// The server's V1 API, as far as a Device uses it.
struct ServerAPI: Sendable {
    private let server: URL
    private let appKey: String
    private let timeLimit: TimeInterval
    private let transport: any Transport
    private let time: any TimeSource

    init(_ configuration: CarillonConfiguration, transport: any Transport, time: any TimeSource) {
        server = configuration.server
        appKey = configuration.appKey
        timeLimit = configuration.deadline
        self.transport = transport
        self.time = time
    }

    /// `PUT /v1/devices/{device}`: says everything.
    func register(_ registration: Registration, as identity: DeviceIdentity) async -> ServerReply<DeviceRecord?> {
        await device("PUT", identity, body: try? JSONEncoder().encode(registration))
    }

    /// `PATCH /v1/devices/{device}`: says what changed.
    func update(_ update: RegistrationUpdate, as identity: DeviceIdentity) async -> ServerReply<DeviceRecord?> {
        await device("PATCH", identity, body: try? JSONEncoder().encode(update))
    }

    /// `GET /v1/devices/{device}`: asks what the server knows.
    func record(of identity: DeviceIdentity) async -> ServerReply<DeviceRecord?> {
        await device("GET", identity, body: nil)
    }

    /// `DELETE /v1/devices/{device}`: takes the Device back.
    func delete(_ identity: DeviceIdentity) async -> ServerReply<DeviceRecord?> {
        let answer = await send("DELETE", "v1/devices/\(identity.device)", secret: identity.secret, body: nil)
        return ServerReply(answer, now: time.now()) { _ in .some(nil) }
    }

    /// `POST /v1/events`: reports what happened to notifications.
    func report(_ batch: EventBatch) async -> ServerReply<EventBatchAnswer> {
        let answer = await send("POST", "v1/events", secret: nil, body: try? JSONEncoder().encode(batch))
        return ServerReply(answer, now: time.now()) { try? JSONDecoder().decode(EventBatchAnswer.self, from: $0) }
    }

    // MARK: - Private

    /// Only the Device's id decides whether an answer makes sense: a newer server may write a record with words that
    /// this SDK does not know, and has taken the registration all the same.
    private struct RecordEssence: Decodable {
        let device: DeviceID
    }

    private func device(
        _ method: String,
        _ identity: DeviceIdentity,
        body: Data?
    ) async -> ServerReply<DeviceRecord?> {
        let answer = await send(method, "v1/devices/\(identity.device)", secret: identity.secret, body: body)
        return ServerReply(answer, now: time.now()) { data in
            guard let essence = try? JSONDecoder().decode(RecordEssence.self, from: data),
                essence.device == identity.device
            else { return nil }
            return .some(try? JSONDecoder().decode(DeviceRecord.self, from: data))
        }
    }

    private func send(_ method: String, _ path: String, secret: String?, body: Data?) async -> TransportAnswer? {
        var headers = ["Carillon-App-Key": appKey, "Accept": "application/json, application/problem+json"]
        headers["User-Agent"] = "carillon-swift/" + SDKVersion.current
        headers["Carillon-Device-Secret"] = secret
        if body != nil { headers["Content-Type"] = "application/json" }
        let request = TransportRequest(
            method: method,
            url: server.appendingPathComponent(path),
            headers: headers,
            body: body,
            timeLimit: timeLimit
        )
        return try? await transport.send(request)
    }
}

/// The SDK's own version.
package enum SDKVersion {
    package static let current = "0.1.0"
}
