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

    // MARK: - Groups and places

    /// Tells which groups this installation is in.
    ///
    /// - Parameter categories: Ids, or labels by dimension; `nil`: ``DeviceCategories/standard`` again.
    /// - Throws: ``CarillonError``; `invalidArgument` for what cannot be; otherwise the change is kept and sent later.
    public func setCategories(_ categories: DeviceCategories?) async throws(CarillonError) {
        let categories = try categories.map(Checked.value)
        try await change { $0.categories = categories }
        try await introduce()
    }

    /// Whether the phone's place may be told at all; at first what the configuration says.
    ///
    /// Switching it off stops telling; ``setLocation(_:)`` with `nil` also has the server forget.
    public var isLocationEnabled: Bool {
        get { locations.isOn }
        set { locations.isOn = newValue }
    }

    /// Tells where the phone is, or that the server is to forget it.
    ///
    /// - Parameter location: The place; `nil` has the server forget.
    /// - Returns: Whether it was told; false when it is not enabled, and then nothing happens.
    /// - Throws: ``CarillonError``; `invalidArgument` for no place on earth; otherwise the change is kept and sent later.
    @discardableResult
    public func setLocation(_ location: DeviceLocation?) async throws(CarillonError) -> Bool {
        guard location == nil || isLocationEnabled else { return false }
        let location = try location.map(Checked.value)
        try await change { $0.location = location }
        if location != nil { try await introduce() }
        return true
    }

    // MARK: - Calls

    /// Tells the token that PushKit gave the app.
    ///
    /// It is kept and told by itself whenever the server may have lost it.
    ///
    /// - Parameter token: The token.
    /// - Returns: What the server knows of it.
    /// - Throws: ``CarillonError``; the token is kept and sent later.
    @discardableResult
    public func setVoIPToken(_ token: DeviceToken) async throws(CarillonError) -> VoIPRecord {
        let isSandbox = facts().pushType.isSandbox
        let pushType: PushType = isSandbox ? .apnsVoIPSandbox : .apnsVoIP
        try await calls.want(VoIPRegistration(token: token, pushType: pushType))
        try await settleCalls()
        guard let record = try await calls.record() else { throw .notRegistered }
        return record
    }

    /// Asks the server what it knows of the token for calls.
    ///
    /// - Returns: What it knows.
    /// - Throws: ``CarillonError``; `notRegistered` when there is no such token.
    public func voIPRegistration() async throws(CarillonError) -> VoIPRecord {
        guard try await calls.wanted() != nil else { throw .notRegistered }
        return try await asDevice { await $0.ask("GET", "voip", of: $1) }
    }

    /// The token for calls that was registered last, from the phone's own memory.
    ///
    /// - Returns: The token and its environment; `nil` when there is none.
    /// - Throws: ``CarillonError`` when the memory cannot be read.
    public func lastVoIPToken() async throws(CarillonError) -> VoIPRegistration? { try await calls.wanted() }

    /// Asks the server to forget the token for calls; the one for notifications stays.
    ///
    /// - Throws: ``CarillonError``; it is tried again until the server has forgotten.
    public func removeVoIPToken() async throws(CarillonError) {
        try await calls.want(nil)
        try await settleCalls()
    }

    private func settleCalls() async throws(CarillonError) {
        defer { signal.wake() }
        let facts = facts()
        try await withDeadline(of: configuration.deadline, time) { [calls] () throws(CarillonError) in
            try await calls.settle(facts, hurry: true)
        }
    }
}

// MARK: - Asking as the Device

extension CarillonClient {
    typealias Question<Value: Sendable> = @Sendable (ServerAPI, DeviceIdentity) async -> ServerReply<Value>

    /// Asks something about the user.
    func asUser<Value>(_ question: @escaping Question<Value>) async throws(CarillonError) -> Value {
        try await asDevice(needsUser: true, question)
    }

    /// Asks something as this Device, which is made known first if need be; once more if the server has lost it.
    func asDevice<Value>(
        needsUser: Bool = false,
        _ question: @escaping Question<Value>
    ) async throws(CarillonError) -> Value {
        let facts = facts()
        defer { signal.wake() }
        return try await withDeadline(of: configuration.deadline, time) {
            [registrations, api] () throws(CarillonError) in
            let identity = try await registrations.introduce(facts, needsUser: needsUser)
            let reply = await question(api, identity)
            guard case .refused(let problem) = reply, problem.code == ProblemCode.unknownDevice else {
                return try reply.get()
            }
            try await registrations.markUnknown()
            return try await question(api, registrations.introduce(facts, needsUser: needsUser)).get()
        }
    }

    /// Sees to it that the server knows the Device.
    private func introduce() async throws(CarillonError) {
        let facts = facts()
        try await withDeadline(of: configuration.deadline, time) { [registrations] () throws(CarillonError) in
            _ = try await registrations.introduce(facts, needsUser: false)
        }
    }
}

/// Holds values against the server's own rules before they are kept: one that it refuses would hold up all others.
enum Checked {
    static func value<Value: Codable>(_ value: Value) throws(CarillonError) -> Value {
        do {
            return try JSONDecoder().decode(Value.self, from: JSONEncoder().encode(value))
        } catch let error as FieldError {
            throw .invalidArgument(error.field + " " + error.problem)
        } catch {
            throw .invalidArgument("the value cannot be written as JSON")
        }
    }
}

/// Whether the phone's place may be told.
///
/// Unchecked: `lock` protects it.
final class LocationSwitch: @unchecked Sendable {
    private let lock = NSLock()
    private var value: Bool

    init(_ value: Bool) { self.value = value }

    var isOn: Bool {
        get {
            lock.lock()
            defer { lock.unlock() }
            return value
        }
        set {
            lock.lock()
            defer { lock.unlock() }
            value = newValue
        }
    }
}
