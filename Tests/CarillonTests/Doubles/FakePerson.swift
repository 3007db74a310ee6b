import Carillon
import CarillonModel
import Foundation
import Testing

/// What the server keeps under Devices and for their Users.
struct FakePerson {
    /// The tags that the App has.
    var knownTags: Set<TagID> = []
    var tags: [UserID: Set<TagID>] = [:]
    var attributes: [UserID: [String: JSONValue]] = [:]
    var calls: [DeviceID: VoIPRegistration] = [:]
    /// What is in everybody's inbox, newest first.
    var inbox: [InboxMessage] = []
    /// What was read, by user or Device.
    var reads: [String: Set<OccurrenceID>] = [:]
    var forgotten: [Bool] = []
    /// What Users follow: by user, set and name.
    var follows: [UserID: [String: [String: JSONValue]]] = [:]
    /// What was sent from user to user: from, message.
    var messages: [(UserID, UserMessage)] = []
    /// What the app's own back end answers.
    var backEndStatus = 200

    mutating func answer(
        _ request: TransportRequest,
        _ path: String,
        _ device: DeviceID,
        _ registration: Registration
    ) throws -> TransportAnswer {
        if path.hasPrefix("content-sets/") { return try answerFollows(request, path, registration.user) }
        switch (request.method, path) {
        case (_, "tags"): return try answerTags(request, registration.user)
        case (_, "attributes"): return try answerAttributes(request, registration.user)
        case (_, "voip"): return try answerCalls(request, device)
        case ("GET", "inbox"): return try .json(shown(to: owner(device, registration)))
        case ("POST", "inbox/read"): return try read(request, owner(device, registration))
        case ("POST", "messages"):
            guard let user = registration.user else { return .problem(409, "user-required") }
            messages.append((user, try JSONDecoder().decode(UserMessage.self, from: #require(request.body))))
            return TransportAnswer(status: 204)
        case ("POST", "forget"):
            let wish = try JSONDecoder().decode(ForgetRequest.self, from: #require(request.body))
            forgotten.append(wish.user)
            calls[device] = nil
            if wish.user, let user = registration.user { (tags[user], attributes[user]) = (nil, nil) }
            return TransportAnswer(status: 204)
        default:
            Issue.record("no Device asks for \(request.method) \(path)")
            return .problem(404, "not-found")
        }
    }

    private mutating func answerFollows(
        _ request: TransportRequest,
        _ path: String,
        _ user: UserID?
    ) throws -> TransportAnswer {
        guard let user else { return .problem(409, "user-required") }
        let parts = path.split(separator: "/").map(String.init)
        #expect(parts[2] == "follows")
        let set = parts[1]
        let named = { (follow: JSONValue, name: String) -> JSONValue in
            .object((follow.object ?? [:]).merging(["name": .string(name), "set": .string(set)]) { $1 })
        }
        guard parts.count == 4 else {
            let items = follows[user, default: [:]][set, default: [:]].map { named($1, $0) }
            return try .json(["items": items])
        }
        guard request.method == "PUT" else {
            let isKnown = follows[user]?[set]?.removeValue(forKey: parts[3]) != nil
            return isKnown ? TransportAnswer(status: 204) : .problem(404, "unknown-content-follow")
        }
        let follow = try JSONDecoder().decode(JSONValue.self, from: #require(request.body))
        follows[user, default: [:]][set, default: [:]][parts[3]] = follow
        return try .json(named(follow, parts[3]))
    }

    private func owner(_ device: DeviceID, _ registration: Registration) -> String {
        registration.user?.rawValue ?? device.description
    }

    private func shown(to owner: String) -> Inbox {
        Inbox(
            messages: inbox.prefix(100).map { message in
                var message = message
                message.isRead = reads[owner, default: []].contains(message.occurrence)
                return message
            }
        )
    }

    private mutating func read(_ request: TransportRequest, _ owner: String) throws -> TransportAnswer {
        let reading = try JSONDecoder().decode(InboxReading.self, from: #require(request.body))
        reads[owner, default: []].formUnion(reading.occurrences ?? inbox.map(\.occurrence))
        return try .json(InboxUnread(unread: shown(to: owner).unread))
    }

    private mutating func answerTags(_ request: TransportRequest, _ user: UserID?) throws -> TransportAnswer {
        guard let user else { return .problem(409, "user-required") }
        var known = tags[user, default: []]
        if request.method == "DELETE" {
            let list = URLComponents(url: request.url, resolvingAgainstBaseURL: false)?.queryItems?.first?.value
            let names = list?.split(separator: ",").compactMap { TagID(rawValue: String($0)) }
            known = names.map { known.subtracting($0) } ?? []
        } else if request.method != "GET" {
            let told = try JSONDecoder().decode(TagSet.self, from: #require(request.body)).tags
            guard told.isSubset(of: knownTags) else { return .problem(422, "invalid-field") }
            known = request.method == "PUT" ? told : known.union(told)
        }
        tags[user] = known
        return try .json(TagSet(tags: known))
    }

    private mutating func answerAttributes(_ request: TransportRequest, _ user: UserID?) throws -> TransportAnswer {
        guard let user else { return .problem(409, "user-required") }
        if request.method == "PATCH" {
            let change = try JSONDecoder().decode(UserAttributes.self, from: #require(request.body))
            for (name, value) in change.attributes {
                attributes[user, default: [:]][name] = value == .null ? nil : value
            }
        }
        return try .json(UserAttributes(attributes: attributes[user, default: [:]]))
    }

    private mutating func answerCalls(_ request: TransportRequest, _ device: DeviceID) throws -> TransportAnswer {
        switch request.method {
        case "PUT": calls[device] = try JSONDecoder().decode(VoIPRegistration.self, from: #require(request.body))
        case "DELETE":
            calls[device] = nil
            return TransportAnswer(status: 204)
        default: break
        }
        guard let known = calls[device] else { return .problem(404, "unknown-voip-token") }
        let at = Timestamp(rawValue: 0)
        return try .json(VoIPRecord(pushType: known.pushType, tokenState: .active, registeredAt: at))
    }
}

extension FakeServer {
    /// Reads or changes what lies under Devices.
    func with<Result>(_ body: (inout FakePerson) -> Result) -> Result { lock.withLock { body(&person) } }
}

extension TransportAnswer {
    static func json(_ value: some Encodable) throws -> TransportAnswer {
        TransportAnswer(status: 200, body: try JSONEncoder().encode(value))
    }
}
