import Carillon
import CarillonModel
import Foundation

extension TestKitCall {
    func user(_ state: TestKitServer.State) throws(Problem) -> UserID {
        guard let user = try known(state).registration.user else { throw .userRequired }
        return user
    }

    // MARK: - Tags

    func tags(_ state: inout TestKitServer.State) throws -> TransportAnswer {
        let sent = method == "PUT" || method == "POST" ? try body.decoded(TagSet.self).tags : []
        let listed = method == "DELETE" ? try listedTags() : nil
        let user = try user(state)
        var tags = state.tags[user] ?? []
        if let all = state.knownTags, let unknown = sent.subtracting(tags).subtracting(all).min() {
            throw Problem.unknownTag(unknown)
        }
        switch method {
        case "PUT": tags = sent
        case "POST": tags.formUnion(sent)
        case "DELETE": tags = listed.map(tags.subtracting) ?? []
        default: break
        }
        guard tags.count <= TagSet.maximumCount else {
            throw Problem.invalidField("tags", "must leave the User at most \(TagSet.maximumCount) tags in all")
        }
        state.tags[user] = tags
        return .json(TagSet(tags: tags))
    }

    /// The tags in the query; `nil` without one.
    private func listedTags() throws(Problem) -> Set<TagID>? {
        guard let query, query.hasPrefix("tags=") else { return nil }
        let texts = query.dropFirst(5).split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        let ids = texts.compactMap(TagID.init(rawValue:))
        guard ids.count == texts.count, ids.count <= TagSet.maximumCount else {
            throw .invalidField(
                "tags",
                "must be 1 through \(TagSet.maximumCount) ids of tags, with commas between them"
            )
        }
        return Set(ids)
    }

    // MARK: - Attributes

    func attributes(_ state: inout TestKitServer.State) throws -> TransportAnswer {
        let change = method == "PATCH" ? try body.decoded(UserAttributes.self) : UserAttributes(attributes: [:])
        let user = try user(state)
        let attributes = (state.attributes[user] ?? [:])
            .merging(change.attributes) { _, new in new }
            .filter { $0.value != .null }
        guard attributes.count <= UserAttributes.maximumCount else {
            let problem = "must leave the User at most \(UserAttributes.maximumCount) attributes in all"
            throw Problem.invalidField("attributes", problem)
        }
        state.attributes[user] = attributes
        return .json(UserAttributes(attributes: attributes))
    }

    // MARK: - Messages to other Users

    func sendMessage(_ state: inout TestKitServer.State) throws -> TransportAnswer {
        let message = try body.decoded(UserMessage.self)
        let user = try user(state)
        guard state.allowsUserMessages else { throw Problem.userMessagesOff }
        state.userMessages.append(.init(from: user, to: message.to, title: message.title, body: message.body))
        return TransportAnswer(status: 204)
    }

    // MARK: - Inbox

    func inbox(of known: TestKitDevice, _ state: TestKitServer.State) -> Inbox {
        let numbers = known.inbox
        let read = numbers.reduce(into: Set<OccurrenceID>()) { $0.formUnion(state.reads[$1] ?? []) }
        let messages = state.messages.lazy.filter { !$0.readers.isDisjoint(with: numbers) }.map { entry in
            var message = entry.message
            message.isRead = read.contains(message.occurrence)
            return message
        }
        return Inbox(messages: Array(messages.reversed().prefix(Inbox.maximumCount)))
    }

    func read(_ state: inout TestKitServer.State) throws -> TransportAnswer {
        let reading = try body.decoded(InboxReading.self)
        let known = try known(state)
        let mine = inbox(of: known, state).messages.map(\.occurrence)
        let named = Set(reading.occurrences ?? [])
        let read = reading.all ? mine : mine.filter(named.contains)
        state.reads[known.number, default: []].formUnion(read)
        return .json(InboxUnread(unread: inbox(of: known, state).unread))
    }
}
