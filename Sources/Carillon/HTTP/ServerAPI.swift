import CarillonModel
import Foundation

/// The Device's part of the server's V1 API.
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

    /// `PUT /v1/devices/{device}`: registers the Device.
    func register(_ registration: Registration, as identity: DeviceIdentity) async -> ServerReply {
        await device("PUT", identity, body: try? JSONEncoder().encode(registration))
    }

    /// `PATCH /v1/devices/{device}`: sends what changed.
    func update(_ update: RegistrationUpdate, as identity: DeviceIdentity) async -> ServerReply {
        await device("PATCH", identity, body: try? JSONEncoder().encode(update))
    }

    /// `GET /v1/devices/{device}`: fetches the server's record.
    func record(of identity: DeviceIdentity) async -> ServerReply {
        await device("GET", identity, body: nil)
    }

    /// `DELETE /v1/devices/{device}`: deletes the Device.
    func delete(_ identity: DeviceIdentity) async -> ServerReply {
        await send("DELETE", "v1/devices/\(identity.device)", secret: identity.secret, body: nil)
    }

    /// `POST /v1/devices/{device}/forget`: erases the Device's data and, optionally, its User's.
    func erase(_ identity: DeviceIdentity, user: Bool) async -> ServerReply {
        await request("POST", "forget", of: identity, body: ["user": user])
    }

    /// `POST /v1/events`: reports what happened to notifications.
    func report(_ batch: EventBatch) async -> ServerReply {
        await send("POST", "v1/events", secret: nil, body: try? JSONEncoder().encode(batch))
    }

    /// Sends a request about a Device.
    ///
    /// - Parameters:
    ///   - method: The HTTP method.
    ///   - path: The path after `/v1/devices/{device}/`.
    ///   - query: The query, percent-encoded.
    ///   - identity: The Device.
    ///   - body: The body, sent as JSON.
    /// - Returns: The answer.
    func request(
        _ method: String,
        _ path: String,
        query: String? = nil,
        of identity: DeviceIdentity,
        body: (any Encodable)? = nil
    ) async -> ServerReply {
        await data(method, path, query: query, of: identity, body: body.flatMap { try? JSONEncoder().encode($0) })
    }

    /// Sends a request about a Device, with a body that is JSON already.
    func data(
        _ method: String,
        _ path: String,
        query: String? = nil,
        of identity: DeviceIdentity,
        body: Data?
    ) async -> ServerReply {
        let path = "v1/devices/\(identity.device)/" + path
        return await send(method, path, query: query, secret: identity.secret, body: body)
    }

    /// Sends a request without a Device.
    func request(
        _ method: String,
        _ path: String,
        query: String?,
        headers: [String: String],
        body: Data?
    ) async -> ServerReply {
        await send(method, path, query: query, secret: nil, headers: headers, body: body)
    }

    /// Posts JSON to a server that is not Carillon's, without App key and secret.
    func post(_ body: Data, to url: URL) async -> ServerReply {
        let headers = ["Content-Type": "application/json", "User-Agent": "carillon-swift/" + CarillonVersion.current]
        let request = TransportRequest(method: "POST", url: url, headers: headers, body: body, timeLimit: timeLimit)
        return await perform(request)
    }

    // MARK: - Private

    /// An answer is valid when it has the Device's id: a newer server may send a record that this SDK cannot read, and has
    /// accepted the registration all the same.
    private struct RecordEssence: Decodable {
        let device: DeviceID

        init(from decoder: any Decoder) throws {
            device = try decoder.container(keyedBy: AnyKey.self).decode(DeviceID.self, forKey: "device")
        }
    }

    private func device(_ method: String, _ identity: DeviceIdentity, body: Data?) async -> ServerReply {
        let reply = await send(method, "v1/devices/\(identity.device)", secret: identity.secret, body: body)
        guard case .success = reply else { return reply }
        let isValid = reply.value(as: RecordEssence.self)?.device == identity.device
        return isValid ? reply : .unreachable(.badAnswer)
    }

    private func send(
        _ method: String,
        _ path: String,
        query: String? = nil,
        secret: String?,
        headers further: [String: String] = [:],
        body: Data?
    ) async -> ServerReply {
        var headers = further
        headers["Carillon-App-Key"] = appKey
        headers["Accept"] = "application/json, application/problem+json"
        headers["User-Agent"] = "carillon-swift/" + CarillonVersion.current
        headers["Carillon-Device-Secret"] = secret
        if body != nil { headers["Content-Type"] = "application/json" }
        let request = TransportRequest(
            method: method,
            url: url(path, query),
            headers: headers,
            body: body,
            timeLimit: timeLimit
        )
        return await perform(request)
    }

    private func url(_ path: String, _ query: String?) -> URL {
        let url = server.appendingPathComponent(path)
        guard let query, var parts = URLComponents(url: url, resolvingAgainstBaseURL: false) else { return url }
        parts.percentEncodedQuery = query
        return parts.url ?? url
    }

    private func perform(_ request: TransportRequest) async -> ServerReply {
        do {
            return ServerReply(try await transport.send(request), now: time.now())
        } catch {
            return .unreachable(CarillonError.Cause(error))
        }
    }
}
