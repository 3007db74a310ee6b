import Carillon
import CarillonModel
import Foundation
import Testing

/// The server as the SDK sees it, in memory; it records a test failure for whatever a Device must not send.
///
/// Unchecked: `lock` protects everything.
final class FakeServer: Transport, @unchecked Sendable {
    struct Request: Equatable {
        var method: String
        var path: String
        var query: String?
        var body: Data?
        var headers: [String: String] = [:]
    }

    struct Unreachable: Error {}

    static let appKey = "pk_test"

    let lock = NSLock()
    /// What lies under Devices; `lock` protects it.
    var person = FakePerson()
    private var devices: [DeviceID: (secret: String, registration: Registration)] = [:]
    private var counted: Set<String> = []
    private var log: [Request] = []
    private var scripted: [TransportAnswer?] = []
    private var always: TransportAnswer??
    private var poison: (@Sendable (Event) -> Bool)?
    private var gate: (@Sendable () async -> Void)?

    /// Every request so far.
    var requests: [Request] { lock.withLock { log } }

    /// The methods of all requests so far that are about Devices themselves.
    var deviceMethods: [String] {
        requests.filter { $0.path.hasPrefix("/v1/devices/") && $0.path.split(separator: "/").count == 3 }.map(\.method)
    }

    /// The methods and paths of all requests so far about what lies under Devices, as `PUT tags`.
    var personRequests: [String] {
        requests.filter { $0.path.hasPrefix("/v1/devices/") && $0.path.split(separator: "/").count > 3 }
            .map { $0.method + " " + $0.path.split(separator: "/").dropFirst(3).joined(separator: "/") }
    }

    /// What the server knows.
    var registrations: [Registration] { lock.withLock { devices.values.map(\.registration) } }
    /// The numbers on their icons that Devices reported, in the order of the requests.
    var badges: [Int] {
        requests.compactMap { request in
            guard let body = request.body else { return nil }
            return (try? JSONSerialization.jsonObject(with: body) as? [String: Any])?["badge"] as? Int
        }
    }
    var secrets: [String] { lock.withLock { devices.values.map(\.secret) } }

    /// Events that count: occurrence, kind, action.
    var events: Set<String> { lock.withLock { counted } }

    /// Gives the next answers; `nil` is none at all.
    func answerNext(_ answers: TransportAnswer?...) { lock.withLock { scripted += answers } }

    /// Gives every answer from now on; `nil` is none at all.
    func answerAlways(_ answer: TransportAnswer?) { lock.withLock { always = .some(answer) } }

    /// Answers by itself again.
    func recover() { lock.withLock { always = nil } }

    /// Forgets all Devices.
    func forget() { lock.withLock { devices = [:] } }

    /// Gives a Device's id to somebody else.
    func stealIDs() {
        lock.withLock { devices = devices.mapValues { (secret: String(repeating: "x", count: 43), $0.registration) } }
    }

    /// Refuses batches with such an event in them.
    func refuseBatches(with poison: @escaping @Sendable (Event) -> Bool) { lock.withLock { self.poison = poison } }

    /// Makes the next request wait before it is taken.
    func holdNext(_ gate: @escaping @Sendable () async -> Void) { lock.withLock { self.gate = gate } }

    /// Whether the next request waits, and none has come.
    var isHolding: Bool { lock.withLock { gate != nil } }

    private func takeGate() -> (@Sendable () async -> Void)? {
        lock.withLock {
            defer { gate = nil }
            return gate
        }
    }

    func send(_ request: TransportRequest) async throws -> TransportAnswer {
        await takeGate()?()
        let path = request.url.path
        return try lock.withLock {
            log.append(
                Request(
                    method: request.method,
                    path: path,
                    query: request.url.query,
                    body: request.body,
                    headers: request.headers
                )
            )
            if !scripted.isEmpty {
                guard let answer = scripted.removeFirst() else { throw Unreachable() }
                return answer
            }
            if let always {
                guard let answer = always else { throw Unreachable() }
                return answer
            }
            guard request.url.host == "push.example.com" || request.url.host == "127.0.0.1" else {
                #expect(request.headers["Carillon-App-Key"] == nil)
                return TransportAnswer(status: person.backEndStatus)
            }
            // Who comes to open a connection has no key.
            guard path != "/health" else { return TransportAnswer(status: 200) }
            #expect(request.headers["Carillon-App-Key"] == Self.appKey)
            switch (request.method, path) {
            case ("POST", "/v1/events"): return try report(request)
            case (_, _) where path.hasPrefix("/v1/devices/"): return try device(request)
            default:
                Issue.record("no Device asks for \(request.method) \(path)")
                return .problem(404, "not-found")
            }
        }
    }

    private func device(_ request: TransportRequest) throws -> TransportAnswer {
        let parts = request.url.path.split(separator: "/").map(String.init)
        let name = parts[2]
        #expect(name == name.lowercased())
        let id = try #require(DeviceID(name))
        let secret = try #require(request.headers["Carillon-Device-Secret"])
        #expect(secret.utf8.count == 43)
        if let known = devices[id], known.secret != secret { return .problem(403, "wrong-device-secret") }
        guard parts.count == 3 else {
            guard let registration = devices[id]?.registration else { return .problem(404, "unknown-device") }
            let answer = try person.answer(request, parts[3...].joined(separator: "/"), id, registration)
            if parts[3] == "forget", answer.status == 204 { devices[id] = nil }
            return answer
        }
        switch (request.method, devices[id]) {
        case ("PUT", _):
            let registration = try JSONDecoder().decode(Registration.self, from: #require(request.body))
            devices[id] = (secret, registration)
            return .record(id, registration)
        case (_, nil): return .problem(404, "unknown-device")
        case ("PATCH", let known?):
            let update = try JSONDecoder().decode(RegistrationUpdate.self, from: #require(request.body))
            #expect(!update.isEmpty)
            let registration = update.applied(to: known.registration)
            devices[id] = (secret, registration)
            return .record(id, registration)
        case ("GET", let known?): return .record(id, known.registration)
        case ("DELETE", _):
            devices[id] = nil
            person.calls[id] = nil
            return TransportAnswer(status: 204)
        default:
            Issue.record("no Device sends \(request.method)")
            return .problem(405, "method-not-allowed")
        }
    }

    private func report(_ request: TransportRequest) throws -> TransportAnswer {
        #expect(request.headers["Carillon-Device-Secret"] == nil)
        let batch = try JSONDecoder().decode(EventBatch.self, from: #require(request.body))
        #expect((1...EventBatch.maximumCount).contains(batch.events.count))
        if let poison, batch.events.contains(where: poison) { return .problem(400, "invalid-request") }
        var answer = EventBatchAnswer(counted: 0, repeated: 0, rejected: [])
        for event in batch.events {
            let key = "\(event.occurrence) \(event.kind.rawValue)" + (event.action.map { " " + $0 } ?? "")
            if counted.insert(key).inserted { answer.counted += 1 } else { answer.repeated += 1 }
        }
        return TransportAnswer(status: 200, body: try JSONEncoder().encode(answer))
    }
}

extension TransportAnswer {
    static func problem(_ status: Int, _ code: String, headers: [String: String] = [:]) -> TransportAnswer {
        let body = try? JSONEncoder().encode(Problem(code: code, title: code, status: status))
        return TransportAnswer(status: status, headers: headers, body: body ?? Data())
    }

    static func record(_ id: DeviceID, _ registration: Registration) -> TransportAnswer {
        let app = AppID(milliseconds: 1_800_000_000_000, sequence: 1)
        let record = DeviceRecord(
            device: id,
            app: app,
            registration: registration,
            tokenState: registration.token == nil ? .none : .active,
            createdAt: Timestamp(rawValue: 0),
            registeredAt: Timestamp(rawValue: 0)
        )
        return TransportAnswer(status: 200, body: (try? JSONEncoder().encode(record)) ?? Data())
    }
}

/// A transport for what must not send at all.
struct NoTransport: Transport {
    struct Used: Error {}

    func send(_ request: TransportRequest) async throws -> TransportAnswer {
        Issue.record("nothing may be sent here, but \(request.method) \(request.url.path) was")
        throw Used()
    }
}
