package import CarillonModel
package import CarillonOperatorModel
import Foundation
import NIOConcurrencyHelpers

/// An App's rules, with the sealed secret that signs requests to its back end.
package struct StoredUserMessageRules: Hashable, Sendable {
    package var rules: UserMessageRules
    package var sealedSecret: [UInt8]?

    package init(rules: UserMessageRules, sealedSecret: [UInt8]?) {
        self.rules = rules
        self.sealedSecret = sealedSecret
    }
}

/// Stores the rules for messages between Users.
package protocol UserMessageStore: Sendable {
    /// Returns an App's rules; `nil` when there are none, which allows nothing.
    func rules(of app: AppID) async throws(StoreError) -> StoredUserMessageRules?

    /// Sets an App's rules.
    ///
    /// - Returns: False when there is no such App.
    func setRules(_ rules: StoredUserMessageRules, of app: AppID) async throws(StoreError) -> Bool

    /// Returns messages of an App's Users to Users, the latest first.
    ///
    /// - Parameters:
    ///   - app: The App.
    ///   - id: Only those before this one.
    ///   - limit: The maximum number of messages.
    /// - Returns: The messages; redacted ones have no content.
    /// - Throws: ``StoreError``.
    func messages(app: AppID, before id: CampaignID?, limit: Int) async throws(StoreError) -> [ListedUserMessage]

    /// Returns the User of a calling Device.
    func user(of caller: DeviceCaller) async throws(StoreError) -> Result<UserID, EngineError>
}

/// Messages of Users to Users, where an App allows them.
///
/// A message is delivered like a Campaign to one User, but lists of Campaigns leave it out. The answer does not reveal
/// whether the other User exists.
package struct UserMessages: Sendable {
    private struct Person: Hashable, Sendable {
        var app: AppID
        var user: UserID
    }

    /// Buckets grouped by rate, since there are few rates.
    private struct Limits: Sendable {
        var devices: [Int: RateLimiter<DeviceCaller>] = [:]
        var senders: [Int: RateLimiter<Person>] = [:]
        var targets: [Int: RateLimiter<Person>] = [:]
    }

    private static let capacity = 50_000
    /// Maximum number of rows of a page.
    private static let maximumPage = 200

    private let store: any UserMessageStore
    private let apps: Apps
    private let campaigns: Campaigns
    private let client: any WebhookClient
    private let vault: Vault
    private let ids: IDSource
    private let clock: any WallClock
    private let timer: any DispatchClock
    private let limits = NIOLockedValueBox(Limits())

    /// Creates the service.
    ///
    /// - Parameters:
    ///   - store: Stores the rules.
    ///   - apps: Decides whose Users are proved.
    ///   - campaigns: Sends the messages.
    ///   - client: Posts to back ends.
    ///   - vault: Seals secrets.
    ///   - ids: Generates ids.
    ///   - clock: The wall clock.
    ///   - timer: The monotonic clock of rates.
    package init(
        store: any UserMessageStore,
        apps: Apps,
        campaigns: Campaigns,
        client: any WebhookClient,
        vault: Vault,
        ids: IDSource,
        clock: any WallClock,
        timer: any DispatchClock = SystemDispatchClock()
    ) {
        self.store = store
        self.apps = apps
        self.campaigns = campaigns
        self.client = client
        self.vault = vault
        self.ids = ids
        self.clock = clock
        self.timer = timer
    }

    // MARK: - Rules

    package func rules(of app: AppID) async throws(EngineError) -> UserMessageRules {
        _ = try await apps.app(app)
        return try await stored(try await store.rules(of: app))?.rules ?? .init()
    }

    /// Sets an App's rules; with an address, generates a new secret.
    ///
    /// - Throws: ``EngineError/invalid(_:)`` for a forbidden address; ``EngineError/conflict(_:)`` when the App's Users
    ///   are not proved.
    package func setRules(
        _ rules: UserMessageRules,
        of app: AppID
    ) async throws(EngineError) -> UserMessageRulesAnswer {
        if rules.isAllowed, try await apps.app(app).identity != .signed {
            throw .conflict("Users of an App with open identity are not proved: they cannot send to each other.")
        }
        if let url = rules.checkURL, let objection = client.objection(to: url) {
            throw .invalid(FieldError(field: "checkURL", problem: "must \(objection)"))
        }
        let secret = rules.checkURL.map { _ in WebhookSignature.secret(.system) }
        let sealed = try secret.map { secret throws(EngineError) in
            try vault.sealed(Array(secret.utf8), purpose: Self.purpose(app))
        }
        let isKept = try await stored(
            try await store.setRules(StoredUserMessageRules(rules: rules, sealedSecret: sealed), of: app)
        )
        guard isKept else { throw .notFound(.app) }
        return UserMessageRulesAnswer(rules: rules, secret: secret)
    }

    // MARK: - Reading

    /// Returns messages of an App's Users to Users, the latest first, for as long as the App stores them.
    ///
    /// - Parameters:
    ///   - app: The App.
    ///   - id: Only those before this one.
    ///   - limit: 1 through 100; other values are clamped.
    /// - Returns: A page, whose cursor is the last message's id.
    /// - Throws: ``EngineError/notFound(_:)`` when there is no such App.
    package func list(
        app: AppID,
        before id: CampaignID?,
        limit: Int
    ) async throws(EngineError) -> Page<ListedUserMessage> {
        _ = try await apps.facts(app)
        let limit = min(max(1, limit), Self.maximumPage)
        let found = try await stored(try await store.messages(app: app, before: id, limit: limit + 1))
        return Page(found, limit: limit) { $0.id.description }
    }

    /// Returns the User of a calling Device.
    ///
    /// - Throws: ``EngineError/notFound(_:)``; ``EngineError/refused(_:)`` when the secret is not the Device's, or it has
    ///   no User.
    package func user(of caller: DeviceCaller) async throws(EngineError) -> UserID {
        try await stored(try await store.user(of: caller)).get()
    }

    // MARK: - Sending

    /// Sends a message of the User of a Device to another User.
    ///
    /// - Parameters:
    ///   - message: The message and its recipient.
    ///   - caller: The sending Device.
    /// - Returns: `nil` when it is sent; otherwise the delay, since the Device sends or the other User receives too
    ///   much.
    /// - Throws: ``EngineError/refused(_:)`` when the App does not allow it, its back end refuses or does not answer,
    ///   or the secret is not the Device's; ``EngineError/invalid(_:)`` when it is longer than the App allows.
    package func send(_ message: UserMessage, from caller: DeviceCaller) async throws(EngineError) -> Duration? {
        let found = try await stored(try await store.rules(of: caller.app))
        let sender = try await stored(try await store.user(of: caller)).get()
        guard let found, found.rules.isAllowed, try await apps.facts(caller.app).identity == .signed else {
            throw .refused(.userMessagesOff)
        }
        try check(message, found.rules)
        if let wait = limit(caller, sender, message.to, found.rules) { return wait }
        try await ask(found, message, from: sender, app: caller.app)
        var content = LocalizedContent(body: message.body)
        content.title = message.title
        var notification = Message(content: [Message.defaultLanguage: content])
        notification.data = ["from": .string(sender.rawValue)]
        notification.collapses = false
        // A person's text is not a template, and rules for Campaigns must not delay an answer.
        notification.isLiteral = true
        var request = CampaignRequest(audience: .users([message.to]), message: notification)
        request.isTransactional = true
        try await campaigns.sendUserMessage(app: caller.app, request)
        return nil
    }

    // MARK: - Private

    static func purpose(_ app: AppID) -> String { "user-message-secret \(app)" }

    private func check(_ message: UserMessage, _ rules: UserMessageRules) throws(EngineError) {
        if let title = message.title, title.count > rules.titleLength {
            throw .invalid(FieldError(field: "title", problem: "must have at most \(rules.titleLength) characters"))
        }
        guard message.body.count <= rules.bodyLength else {
            throw .invalid(FieldError(field: "body", problem: "must have at most \(rules.bodyLength) characters"))
        }
    }

    /// Counts a message against the rates of the Device, of its User, who may have many, and of the recipient.
    ///
    /// - Returns: The delay; `nil` when it may be sent.
    private func limit(
        _ caller: DeviceCaller,
        _ sender: UserID,
        _ target: UserID,
        _ rules: UserMessageRules
    ) -> Duration? {
        let now = timer.now()
        let (from, to) = (Person(app: caller.app, user: sender), Person(app: caller.app, user: target))
        let (perSender, perTarget) = (rules.perDevice, rules.perTarget)
        // Modified in place: a copy would duplicate all buckets.
        return limits.withLockedValue { limits in
            limits.devices[perSender, default: Self.limiter(perSender)].consume(caller, now: now)
                ?? limits.senders[perSender, default: Self.limiter(perSender)].consume(from, now: now)
                ?? limits.targets[perTarget, default: Self.limiter(perTarget)].consume(to, now: now)
        }
    }

    private static func limiter<Key>(_ perMinute: Int) -> RateLimiter<Key> {
        RateLimiter(rate: Double(perMinute) / 60, burst: Double(perMinute), capacity: capacity)
    }

    /// Asks the App's back end, if the App has set one; a missing answer refuses.
    private func ask(
        _ stored: StoredUserMessageRules,
        _ message: UserMessage,
        from sender: UserID,
        app: AppID
    ) async throws(EngineError) {
        guard let url = stored.rules.checkURL else { return }
        let question = Question(app: app, from: sender, message: message)
        guard let sealed = stored.sealedSecret, let secret = vault.open(sealed, purpose: Self.purpose(app)),
            let body = try? JSONEncoder().encode(question)
        else { throw .store(.failed("The App's secret cannot be decrypted with this master key.")) }
        let id = (ids.next() as WebhookMessageID).description
        let now = clock.now()
        let signature = WebhookSignature.value(
            id: id,
            timestamp: now,
            body: Array(body),
            secrets: [String(decoding: secret, as: UTF8.self)]
        )
        let post = WebhookPost(
            app: app,
            url: url,
            id: id,
            timestamp: now,
            signature: signature,
            body: Array(body)
        )
        guard case .answered(200..<300, _) = await client.post(post) else { throw .refused(.userMessageRefused) }
    }

    /// The body of the request to the back end.
    private struct Question: Encodable {
        var type = "user-message.check"
        var app: AppID
        var from: UserID
        var message: UserMessage
    }
}
