package import Carillon
import CarillonModel
import Foundation

extension TestKitServer {
    func answer(to request: TransportRequest) -> TransportAnswer {
        // Another server, such as the app's own back end, accepts everything.
        guard request.url.host == Self.url.host else { return TransportAnswer(status: 200) }
        guard request.headers["Carillon-App-Key"] == Self.appKey else { return .problem(401, "unknown-app-key") }
        let parts = request.url.path.split(separator: "/").map(String.init)
        if request.method == "POST", parts == ["v1", "events"] { return report(request) }
        guard parts.count >= 3, parts[0] == "v1", parts[1] == "devices", let device = DeviceID(parts[2]) else {
            return .problem(404, "not-found")
        }
        let secret = request.headers["Carillon-Device-Secret"] ?? ""
        guard secret.utf8.count == 43 else { return .problem(401, "missing-device-secret") }
        let call = TestKitCall(
            method: request.method,
            room: parts.dropFirst(3).joined(separator: "/"),
            device: device,
            secret: secret,
            query: request.url.query,
            body: request.body ?? Data()
        )
        return with { call.answer(&$0, now: now()) }
    }

    private func report(_ request: TransportRequest) -> TransportAnswer {
        guard let batch = try? JSONDecoder().decode(EventBatch.self, from: request.body ?? Data()) else {
            return .problem(400, "invalid-request")
        }
        return with { state in
            var answer = EventBatchAnswer(counted: 0, repeated: 0, rejected: [])
            for event in batch.events {
                let isKnown = state.events.contains {
                    $0.occurrence == event.occurrence && $0.kind == event.kind && $0.action == event.action
                }
                if isKnown {
                    answer.repeated += 1
                } else {
                    answer.counted += 1
                    state.events.append(event)
                }
            }
            return .json(answer)
        }
    }
}

/// A request of one Device.
struct TestKitCall {
    let method: String
    let room: String
    let device: DeviceID
    let secret: String
    let query: String?
    let body: Data

    func answer(_ state: inout TestKitServer.State, now: Timestamp) -> TransportAnswer {
        if let known = state.devices[device], known.secret != secret { return .problem(403, "wrong-device-secret") }
        if method == "PUT", room.isEmpty { return register(&state, now) }
        guard let known = state.devices[device] else { return .problem(404, "unknown-device") }
        switch room {
        case "": return record(&state, known)
        case "tags": return tags(&state, known)
        case "attributes": return attributes(&state, known)
        case "voip": return call(&state, known, now)
        case "inbox": return .json(inbox(state, known))
        case "inbox/read": return read(&state, known)
        case "forget": return forget(&state, known)
        default: return .problem(404, "not-found")
        }
    }

    private func decoded<Body: Decodable>(_ type: Body.Type = Body.self) -> Body? {
        try? JSONDecoder().decode(Body.self, from: body)
    }

    private func register(_ state: inout TestKitServer.State, _ now: Timestamp) -> TransportAnswer {
        guard let registration = decoded(Registration.self) else { return .problem(400, "invalid-request") }
        var device =
            state.devices[device] ?? TestKitDevice(secret: secret, registration: registration, registeredAt: now)
        device.registration = registration
        device.registeredAt = now
        state.devices[self.device] = device
        return record(of: device, state)
    }

    private func record(_ state: inout TestKitServer.State, _ known: TestKitDevice) -> TransportAnswer {
        switch method {
        case "GET": return record(of: known, state)
        case "DELETE":
            state.devices[device] = nil
            return TransportAnswer(status: 204)
        case "PATCH":
            guard let update = decoded(RegistrationUpdate.self) else { return .problem(400, "invalid-request") }
            var changed = known
            changed.registration = update.applied(to: known.registration)
            state.devices[device] = changed
            return record(of: changed, state)
        default: return .problem(405, "method-not-allowed")
        }
    }

    private func record(of known: TestKitDevice, _ state: TestKitServer.State) -> TransportAnswer {
        var record = DeviceRecord(
            device: device,
            app: AppID(milliseconds: 1_800_000_000_000, sequence: 1),
            registration: known.registration,
            tokenState: known.registration.token == nil ? .none : .active,
            createdAt: known.registeredAt,
            registeredAt: known.registeredAt
        )
        if !state.adRuleApplies { record.adRuleApplies = false }
        return .json(record)
    }

    private func tags(_ state: inout TestKitServer.State, _ known: TestKitDevice) -> TransportAnswer {
        guard let user = known.registration.user else { return .problem(409, "user-required") }
        var tags = state.tags[user] ?? []
        let listed = (query ?? "").split(separator: "=").last.map { $0.split(separator: ",").map(String.init) }
        let sent = decoded(TagSet.self)?.tags
        switch method {
        case "PUT", "POST":
            guard let sent else { return .problem(400, "invalid-request") }
            if let known = state.knownTags, !sent.isSubset(of: known) { return .problem(422, "invalid-field") }
            tags = method == "PUT" ? sent : tags.union(sent)
        case "DELETE": tags = listed.map { names in tags.filter { !names.contains($0.rawValue) } } ?? []
        default: break
        }
        guard tags.count <= TagSet.maximumCount else { return .problem(422, "too-many-tags") }
        state.tags[user] = tags
        return .json(TagSet(tags: tags))
    }

    private func attributes(_ state: inout TestKitServer.State, _ known: TestKitDevice) -> TransportAnswer {
        guard let user = known.registration.user else { return .problem(409, "user-required") }
        var attributes = state.attributes[user] ?? [:]
        if method == "PATCH" {
            guard let sent = decoded(UserAttributes.self) else { return .problem(400, "invalid-request") }
            for (name, value) in sent.attributes { attributes[name] = value == .null ? nil : value }
            state.attributes[user] = attributes
        }
        return .json(UserAttributes(attributes: attributes))
    }

    private func call(
        _ state: inout TestKitServer.State,
        _ known: TestKitDevice,
        _ now: Timestamp
    ) -> TransportAnswer {
        var changed = known
        switch method {
        case "PUT":
            guard let registration = decoded(VoIPRegistration.self) else { return .problem(400, "invalid-request") }
            changed.voIP = registration
        case "DELETE": changed.voIP = nil
        default: break
        }
        state.devices[device] = changed
        guard method != "DELETE" else { return TransportAnswer(status: 204) }
        guard let registration = changed.voIP else { return .problem(404, "not-found") }
        return .json(VoIPRecord(pushType: registration.pushType, tokenState: .active, registeredAt: now))
    }

    private func reader(_ known: TestKitDevice) -> String {
        known.registration.user?.rawValue ?? device.description
    }

    private func inbox(_ state: TestKitServer.State, _ known: TestKitDevice) -> Inbox {
        let read = state.reads[reader(known)] ?? []
        let messages = state.messages.map { message in
            var message = message
            message.isRead = read.contains(message.occurrence)
            return message
        }
        return Inbox(messages: Array(messages.reversed().prefix(Inbox.maximumCount)))
    }

    private func read(_ state: inout TestKitServer.State, _ known: TestKitDevice) -> TransportAnswer {
        guard let reading = decoded(InboxReading.self) else { return .problem(400, "invalid-request") }
        let read = reading.all ? state.messages.map(\.occurrence) : reading.occurrences ?? []
        state.reads[reader(known), default: []].formUnion(read)
        return .json(InboxUnread(unread: inbox(state, known).unread))
    }

    private func forget(_ state: inout TestKitServer.State, _ known: TestKitDevice) -> TransportAnswer {
        state.devices[device] = nil
        state.reads[reader(known)] = nil
        if let user = known.registration.user, !state.devices.values.contains(where: { $0.registration.user == user }) {
            state.tags[user] = nil
            state.attributes[user] = nil
        }
        state.events = []
        return TransportAnswer(status: 204)
    }
}

extension TransportAnswer {
    package static func problem(_ status: Int, _ code: String) -> TransportAnswer {
        var answer = json(Problem(code: code, title: code, status: status))
        answer.status = status
        return answer
    }

    package static func json(_ value: some Encodable) -> TransportAnswer {
        TransportAnswer(status: 200, body: (try? JSONEncoder().encode(value)) ?? Data())
    }
}
