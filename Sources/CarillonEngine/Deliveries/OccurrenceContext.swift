package import CarillonModel
package import CarillonOperatorModel
import NIOConcurrencyHelpers

/// What all chunks of an Occurrence share: its facts, and what was worked out once for each language and environment.
package final class OccurrenceContext: Sendable {
    private struct Memory {
        var places: [String: Int] = [:]
        /// Two for each of the keys: production's, then the sandbox's.
        var renderings: [Result<Rendering, RenderingError>?]
    }

    /// How many phones' languages are remembered; phones may name any.
    private static let capacity = 4_096

    package let facts: OccurrenceFacts
    /// The keys of the message's content; one `nil` when it is silent.
    package let contentKeys: [String?]
    private let placeOfKey: [String: Int]
    private let sender: any Sender
    /// What the duplicate guard tells the message by; made when the App has one.
    package let messageHash: MessageHash?
    private let memory: NIOLockedValueBox<Memory>

    package init(facts: OccurrenceFacts, sender: any Sender) {
        self.facts = facts
        self.sender = sender
        messageHash = facts.isRemembered ? MessageHash(facts) : nil
        let keys = facts.message.content.keys.sorted()
        contentKeys = keys.isEmpty ? [nil] : keys
        placeOfKey = Dictionary(uniqueKeysWithValues: keys.enumerated().map { ($1, $0) })
        memory = NIOLockedValueBox(Memory(renderings: Array(repeating: nil, count: 2 * max(1, keys.count))))
    }

    /// Where the content for a phone's language stands in ``contentKeys``.
    package func place(for language: String?) -> Int {
        let language = language ?? ""
        if let known = memory.withLockedValue({ $0.places[language] }) { return known }
        let place = facts.message.language(for: language).flatMap { placeOfKey[$0] } ?? 0
        memory.withLockedValue { memory in
            if memory.places.count >= Self.capacity { memory.places.removeAll(keepingCapacity: true) }
            memory.places[language] = place
        }
        return place
    }

    /// The payload of one of ``contentKeys``, for a push type of the channel's.
    package func rendering(at place: Int, for pushType: PushType) throws(RenderingError) -> Rendering {
        let index = 2 * place + (pushType.isSandbox ? 1 : 0)
        if let known = memory.withLockedValue({ $0.renderings[index] }) { return try known.get() }
        let draft = NotificationDraft(
            message: facts.message,
            language: contentKeys[place],
            occurrence: facts.occurrence,
            sentAt: facts.startedAt,
            channel: facts.channel,
            dialect: facts.dialect,
            isSandbox: pushType.isSandbox
        )
        let result: Result<Rendering, RenderingError>
        do throws(RenderingError) {
            result = .success(try sender.render(draft))
        } catch {
            result = .failure(error)
        }
        memory.withLockedValue { $0.renderings[index] = result }
        return try result.get()
    }

    /// How notifications are to be delivered.
    ///
    /// - Parameters:
    ///   - cap: When the push service has to stop trying at the latest.
    ///   - now: The wall clock.
    /// - Returns: Options that a group of notifications shares.
    package func options(expiringBy cap: Timestamp?, at now: Timestamp) -> DeliveryOptions {
        let message = facts.message
        let expiration = expiration(by: cap, at: now)
        // A call rings at once or never, and each is a call of its own.
        if facts.channel == .voip {
            return DeliveryOptions(purpose: .call, priority: .high, expiration: expiration, collapseID: nil)
        }
        return DeliveryOptions(
            purpose: message.silent ? .background : .alert,
            priority: message.priority ?? (message.silent ? .normal : .high),
            expiration: expiration,
            collapseID: message.collapses ? message.collapseID ?? facts.occurrence.description : nil
        )
    }

    private func expiration(by cap: Timestamp?, at now: Timestamp) -> DeliveryOptions.Expiration {
        switch (facts.expiresAt(sentAt: now), cap) {
        case _ where facts.expiresIn == 0: .immediately
        case (nil, nil): .unset
        case (let time?, nil), (nil, let time?): .at(time)
        case (let own?, let cap?): .at(min(own, cap))
        }
    }
}

extension Campaign.Channel {
    /// The push types that are sent to.
    package var pushTypes: (production: PushType, sandbox: PushType) {
        switch self {
        case .notification: (.apns, .apnsSandbox)
        case .voip: (.apnsVoIP, .apnsVoIPSandbox)
        }
    }
}

extension OccurrenceFacts {
    /// How long the push service tries, in seconds; a call that does not say is for now or never.
    var expiresIn: Int? { message.expiresIn ?? (channel == .voip ? 0 : nil) }

    /// When the message itself expires; `nil` when it does not or is now or never.
    ///
    /// Where each Device has a time of its own, it counts from the sending.
    func expiresAt(sentAt now: Timestamp) -> Timestamp? {
        guard let seconds = expiresIn, seconds > 0 else { return nil }
        return (rules.mayWait ? now : startedAt).advanced(by: .seconds(seconds))
    }

    /// Until when failed attempts are repeated; `nil` when it is sent once.
    ///
    /// What has expired is not sent any more, however long the Campaign would repeat its attempts.
    var lastAttemptAt: Timestamp? {
        guard expiresIn != 0 else { return nil }
        let expiry = rules.mayWait ? nil : expiresAt(sentAt: startedAt)
        let deadline = rules.local == nil ? deadline(localTime: nil) : nil
        return [expiry, deadline].compactMap(\.self).reduce(retryUntil, min)
    }
}
