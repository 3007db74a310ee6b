package import CarillonModel
package import CarillonOperatorModel
import Foundation
import NIOConcurrencyHelpers

/// An App's rules with the sealed secret that its back end is asked with.
package struct StoredUserMessageRules: Hashable, Sendable {
    package var rules: UserMessageRules
    package var sealedSecret: [UInt8]?

    package init(rules: UserMessageRules, sealedSecret: [UInt8]?) {
        self.rules = rules
        self.sealedSecret = sealedSecret
    }
}

/// Keeps the rules by which Users send to each other.
package protocol UserMessageStore: Sendable {
    /// An App's rules; `nil` when nobody set any, which allows nothing.
    func rules(of app: AppID) async throws(StoreError) -> StoredUserMessageRules?

    /// Sets an App's rules.
    ///
    /// - Returns: False when there is no such App.
    func setRules(_ rules: StoredUserMessageRules, of app: AppID) async throws(StoreError) -> Bool

    /// Messages of an App's Users to Users, the latest first.
    ///
    /// - Parameters:
    ///   - app: Whose.
    ///   - id: Only those before this one.
    ///   - limit: How many at most.
    /// - Returns: The messages; those that were taken away say nothing.
    /// - Throws: ``StoreError``.
    func messages(app: AppID, before id: CampaignID?, limit: Int) async throws(StoreError) -> [ListedUserMessage]

    /// The User of a Device that calls.
    func user(of caller: DeviceCaller) async throws(StoreError) -> Result<UserID, EngineError>
}

/// Messages of Users to Users, where an App allows them.
///
/// A message is delivered as a Campaign to one User is, and no list of Campaigns shows it. Whether there is such a User is not told.
package struct UserMessages: Sendable {
    private struct Person: Hashable, Sendable {
        var app: AppID
        var user: UserID
    }

    /// Buckets of one rate each; rates are few.
    private struct Limits: Sendable {
        var devices: [Int: RateLimiter<DeviceCaller>] = [:]
        var senders: [Int: RateLimiter<Person>] = [:]
        var targets: [Int: RateLimiter<Person>] = [:]
    }

    private static let capacity = 50_000
    /// The most rows of a page.
    private static let maximumPage = 100

    private let store: any UserMessageStore
    private let apps: Apps
    private let campaigns: Campaigns
    private let client: any WebhookClient
    private let vault: Vault
    private let ids: IDSource
    private let clock: any WallClock
    private let timer: any DispatchClock
    private let limits = NIOLockedValueBox(Limits())

    /// Makes the service.
    ///
    /// - Parameters:
    ///   - store: Keeps the rules.
    ///   - apps: Says whose Users are proved.
    ///   - campaigns: Sends.
    ///   - client: Asks back ends.
    ///   - vault: Seals secrets.
    ///   - ids: Makes ids.
    ///   - clock: The wall clock.
    ///   - timer: What rates are measured by.
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

    /// Sets an App's rules; with an address a new secret is made.
    ///
    /// - Throws: ``EngineError/invalid(_:)`` for an address that is never asked; ``EngineError/conflict(_:)`` when the
    ///   App's Users are not proved.
    package func setRules(
        _ rules: UserMessageRules,
        of app: AppID
    ) async throws(EngineError) -> UserMessageRulesAnswer {
        if rules.isAllowed, try await apps.app(app).identity != .signed {
            throw .conflict("Users of an App with identity open are not proved: they cannot send to each other.")
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

    // MARK: - Looking

    /// Messages of an App's Users to Users, the latest first, for as long as the App keeps them.
    ///
    /// - Parameters:
    ///   - app: Whose.
    ///   - id: Only those before this one.
    ///   - limit: 1 through 100; others are brought into that range.
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

    // MARK: - Sending

    /// Sends a message of the User of a Device to another User.
    ///
    /// - Parameters:
    ///   - message: What and to whom.
    ///   - caller: Who says to send it.
    /// - Returns: `nil` when it is sent; else how long to wait, since the Device sends or the other User is sent too much.
    /// - Throws: ``EngineError/refused(_:)`` when the App does not allow it, its back end says no or does not answer, or
    ///   the Device is not who it says; ``EngineError/invalid(_:)`` when it is longer than the App allows.
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
        // What a person types is no template, and nobody is to be kept from an answer.
        notification.isLiteral = true
        var request = CampaignRequest(app: caller.app, audience: .users([message.to]), message: notification)
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

    /// Counts a message: for the Device and its User, who may have many, and for whom it is to.
    ///
    /// - Returns: How long to wait; `nil` when it may be sent.
    private func limit(
        _ caller: DeviceCaller,
        _ sender: UserID,
        _ target: UserID,
        _ rules: UserMessageRules
    ) -> Duration? {
        let now = timer.now()
        let (from, to) = (Person(app: caller.app, user: sender), Person(app: caller.app, user: target))
        let (perSender, perTarget) = (rules.perDevice, rules.perTarget)
        // Changed where they are: a copy would be of all buckets.
        return limits.withLockedValue { limits in
            limits.devices[perSender, default: Self.limiter(perSender)].take(caller, now: now)
                ?? limits.senders[perSender, default: Self.limiter(perSender)].take(from, now: now)
                ?? limits.targets[perTarget, default: Self.limiter(perTarget)].take(to, now: now)
        }
    }

    private static func limiter<Key>(_ perMinute: Int) -> RateLimiter<Key> {
        RateLimiter(rate: Double(perMinute) / 60, burst: Double(perMinute), capacity: capacity)
    }

    /// Asks the App's back end, if the App wants that; no answer means no.
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

    /// What the back end is asked.
    private struct Question: Encodable {
        var type = "user-message.check"
        var app: AppID
        var from: UserID
        var message: UserMessage
    }
}
