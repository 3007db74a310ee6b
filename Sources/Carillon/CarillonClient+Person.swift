public import CarillonModel
public import Foundation

// Requests about the Device or its user. They need a Device, but no registration by the app: without one, the Device is
// registered with no device token and no consent.

extension CarillonClient {
    // MARK: - Tags

    /// Fetches the user's tags.
    ///
    /// - Returns: The ids of all tags, at most 16.
    /// - Throws: ``CarillonError``; `userRequired` without a user.
    public func fetchTags() async throws(CarillonError) -> Set<TagID> {
        try await requestAsUser("GET", "tags").get(TagSet.self).tags
    }

    /// Adds tags to the user.
    ///
    /// - Parameter tags: The tags.
    /// - Returns: The ids of all tags, at most 16.
    /// - Throws: ``CarillonError``; `userRequired` without a user, `refused` for a tag that the App does not have.
    @discardableResult
    public func addTags(_ tags: Set<TagID>) async throws(CarillonError) -> Set<TagID> {
        try await sendTags("POST", tags)
    }

    /// Replaces all tags of the user.
    ///
    /// - Parameter tags: The tags; may be empty.
    /// - Returns: The ids of all tags, at most 16.
    /// - Throws: ``CarillonError``; `userRequired` without a user, `refused` for a tag that the App does not have.
    @discardableResult
    public func setTags(_ tags: Set<TagID>) async throws(CarillonError) -> Set<TagID> {
        try await sendTags("PUT", tags)
    }

    /// Removes tags from the user; those that the user does not have are ignored.
    ///
    /// - Parameter tags: The tags; an empty set removes none.
    /// - Returns: The ids of the remaining tags.
    /// - Throws: ``CarillonError``; `userRequired` without a user.
    @discardableResult
    public func removeTags(_ tags: Set<TagID>) async throws(CarillonError) -> Set<TagID> {
        guard tags.count <= TagSet.maximumCount else {
            throw .invalidArgument("there are at most \(TagSet.maximumCount) tags")
        }
        // Without a list the server would remove all.
        guard !tags.isEmpty else { return try await fetchTags() }
        let list = tags.map(\.rawValue).inOrder().joined(separator: ",")
        return try await requestAsUser("DELETE", "tags", query: "tags=" + list).get(TagSet.self).tags
    }

    /// Removes all tags from the user.
    ///
    /// - Returns: The ids of the remaining tags: none.
    /// - Throws: ``CarillonError``; `userRequired` without a user.
    @discardableResult
    public func removeAllTags() async throws(CarillonError) -> Set<TagID> {
        try await requestAsUser("DELETE", "tags").get(TagSet.self).tags
    }

    private func sendTags(_ method: String, _ tags: Set<TagID>) async throws(CarillonError) -> Set<TagID> {
        guard tags.count <= TagSet.maximumCount else {
            throw .invalidArgument("there are at most \(TagSet.maximumCount) tags")
        }
        return try await requestAsUser(method, "tags", body: TagSet(tags: tags)).get(TagSet.self).tags
    }

    // MARK: - Attributes

    /// Fetches the user's attributes.
    ///
    /// - Returns: Texts, numbers and booleans by name; at most 64.
    /// - Throws: ``CarillonError``; `userRequired` without a user.
    public func fetchAttributes() async throws(CarillonError) -> [String: JSONValue] {
        try await requestAsUser("GET", "attributes").get(UserAttributes.self).attributes
    }

    /// Changes some of the user's attributes; the others stay.
    ///
    /// - Parameter changes: Texts of at most 256 characters, numbers and booleans by name; `nil` removes one. Names
    ///   are 1 through 64 letters, digits, dots, underscores and hyphens.
    /// - Returns: All attributes, at most 64.
    /// - Throws: ``CarillonError``; `userRequired` without a user, `invalidArgument` for an invalid name or value.
    @discardableResult
    public func setAttributes(_ changes: [String: JSONValue?]) async throws(CarillonError) -> [String: JSONValue] {
        let body = UserAttributes(attributes: changes.mapValues { $0 ?? .null })
        try validate(try body.validate())
        return try await requestAsUser("PATCH", "attributes", body: body).get(UserAttributes.self).attributes
    }

    /// Posts the user's id and attributes to the app's own back end, which selects recipients by them.
    ///
    /// The body is JSON: `{"appUserId": "u-17", "attributes": ["1", "3", "7"]}`. It has neither App key nor secret.
    /// Redirects are not followed, and it is not retried.
    ///
    /// - Parameters:
    ///   - attributes: All attributes.
    ///   - url: An `https` URL.
    /// - Throws: ``CarillonError``; `userRequired` without a user, `invalidArgument` for another kind of URL.
    public func sendAttributes(_ attributes: [String], to url: URL) async throws(CarillonError) {
        guard url.scheme?.lowercased() == "https", url.host?.isEmpty == false else {
            throw .invalidArgument("the URL must be https with a host")
        }
        guard let user = try await registrations.memory().registration.user else { throw .userRequired }
        let message: [String: JSONValue] = [
            "appUserId": .string(user.rawValue), "attributes": .array(attributes.map(JSONValue.string)),
        ]
        guard let body = try? JSONEncoder().encode(message) else { throw .invalidArgument("attributes") }
        try await withDeadline(of: configuration.deadline, time) { [api] () throws(CarillonError) in
            await api.post(body, to: url)
        }.get()
    }
}
