public import CarillonModel
public import Foundation

// Calls about the Device or the person that uses it. They need a Device, but no registration: without one, the Device is
// made known silently, with no device token and no consent.

extension CarillonClient {
    // MARK: - Tags

    /// The user's tags.
    ///
    /// - Returns: The ids of all tags, at most 16.
    /// - Throws: ``CarillonError``; `userRequired` without a user.
    public func tags() async throws(CarillonError) -> Set<TagID> {
        try await asUser { await $0.ask("GET", "tags", of: $1, as: TagSet.self) }.tags
    }

    /// Puts tags on the user, beside those that are there.
    ///
    /// - Parameter tags: Which ones.
    /// - Returns: The ids of all tags, at most 16.
    /// - Throws: ``CarillonError``; `userRequired` without a user, `refused` for a tag that the App does not have.
    @discardableResult
    public func addTags(_ tags: Set<TagID>) async throws(CarillonError) -> Set<TagID> {
        try await tell("POST", tags)
    }

    /// Puts tags on the user in place of all others.
    ///
    /// - Parameter tags: Which ones; may be empty.
    /// - Returns: The ids of all tags, at most 16.
    /// - Throws: ``CarillonError``; `userRequired` without a user, `refused` for a tag that the App does not have.
    @discardableResult
    public func setTags(_ tags: Set<TagID>) async throws(CarillonError) -> Set<TagID> {
        try await tell("PUT", tags)
    }

    /// Takes tags off the user; those that are not there do not matter.
    ///
    /// - Parameter tags: Which ones; none at all takes none off.
    /// - Returns: The ids of the tags that stay.
    /// - Throws: ``CarillonError``; `userRequired` without a user.
    @discardableResult
    public func removeTags(_ tags: Set<TagID>) async throws(CarillonError) -> Set<TagID> {
        guard tags.count <= TagSet.maximumCount else {
            throw .invalidArgument("there are at most \(TagSet.maximumCount) tags")
        }
        // Without a list the server would take off all.
        guard !tags.isEmpty else { return try await self.tags() }
        let list = tags.map(\.rawValue).sorted().joined(separator: ",")
        return try await asUser {
            await $0.ask("DELETE", "tags", query: "tags=" + list, of: $1, as: TagSet.self)
        }.tags
    }

    /// Takes all tags off the user.
    ///
    /// - Returns: The ids of the tags that stay: none.
    /// - Throws: ``CarillonError``; `userRequired` without a user.
    @discardableResult
    public func removeAllTags() async throws(CarillonError) -> Set<TagID> {
        try await asUser { await $0.ask("DELETE", "tags", of: $1, as: TagSet.self) }.tags
    }

    private func tell(_ method: String, _ tags: Set<TagID>) async throws(CarillonError) -> Set<TagID> {
        guard tags.count <= TagSet.maximumCount else {
            throw .invalidArgument("there are at most \(TagSet.maximumCount) tags")
        }
        let body = TagSet(tags: tags)
        return try await asUser { await $0.ask(method, "tags", of: $1, body: body, as: TagSet.self) }.tags
    }

    // MARK: - Attributes

    /// The user's attributes.
    ///
    /// - Returns: Texts, numbers and booleans by name; at most 64.
    /// - Throws: ``CarillonError``; `userRequired` without a user.
    public func attributes() async throws(CarillonError) -> [String: JSONValue] {
        try await asUser { await $0.ask("GET", "attributes", of: $1, as: UserAttributes.self) }.attributes
    }

    /// Changes some of the user's attributes; the others stay.
    ///
    /// - Parameter changes: Texts of at most 256 characters, numbers and booleans by name; `nil` takes one away. Names
    ///   are 1 through 64 letters, digits, dots, underscores and hyphens.
    /// - Returns: All attributes, at most 64.
    /// - Throws: ``CarillonError``; `userRequired` without a user, `invalidArgument` for a name or a value that cannot be.
    @discardableResult
    public func setAttributes(_ changes: [String: JSONValue?]) async throws(CarillonError) -> [String: JSONValue] {
        let body = try Checked.value(UserAttributes(attributes: changes.mapValues { $0 ?? .null }))
        return try await asUser {
            await $0.ask("PATCH", "attributes", of: $1, body: body, as: UserAttributes.self)
        }.attributes
    }

    /// Posts the user's id and their attributes to the app's own back end, which chooses by them whom to send to.
    ///
    /// The body is JSON: `{"appUserId": "u-17", "attributes": ["1", "3", "7"]}`. Neither App key nor secret go along, and
    /// redirects are not followed. It is tried once.
    ///
    /// - Parameters:
    ///   - attributes: All attributes.
    ///   - url: Where to: `https`.
    /// - Throws: ``CarillonError``; `userRequired` without a user, `invalidArgument` for another kind of URL.
    public func sendAttributes(_ attributes: [String], to url: URL) async throws(CarillonError) {
        guard url.scheme?.lowercased() == "https", url.host?.isEmpty == false else {
            throw .invalidArgument("the URL must be https with a host")
        }
        guard let user = try await registrations.memory().registration.user else { throw .userRequired }
        let message = BackEndAttributes(appUserId: user.rawValue, attributes: attributes)
        guard let body = try? JSONEncoder().encode(message) else { throw .invalidArgument("attributes") }
        try await withDeadline(of: configuration.deadline, time) { [api] () throws(CarillonError) in
            try await api.post(body, to: url).get()
        }
    }

    private struct BackEndAttributes: Encodable {
        let appUserId: String
        let attributes: [String]
    }
}
