package import CarillonModel
package import CarillonOperatorModel
import Foundation
import NIOConcurrencyHelpers
import Synchronization

/// What all Chunks of an Occurrence share: its facts, and what was computed once per edition and environment.
package final class OccurrenceContext: Sendable {
    private struct Memory {
        /// By language: one index per variant.
        var places: [String: [Int]] = [:]
        /// Two per edition: production's, then the sandbox's.
        var renderings: [Result<Rendering, RenderingError>?]
        /// The total bytes of the renderings.
        var renderedByteCount = 0
    }

    /// Maximum number of phone languages in the cache; phones may name any.
    private static let capacity = 4_096

    package let facts: OccurrenceFacts
    /// All editions.
    package let editions: Editions
    /// Assigns variants to Devices; `nil` when all get the same.
    package let split: VariantSplit?
    /// Fields that are filled in for each Device; empty when all get the same.
    package let personalFields: [PersonalField]
    private let sender: any Sender
    /// The message's hashes for the duplicate guard; `nil` unless the App has one.
    package let messageHash: MessageHash?
    private let memory: NIOLockedValueBox<Memory>
    private let hasAcceptance = Atomic(false)
    /// The size of audience, message and variants as text.
    let factsByteCount: Int

    package init(facts: OccurrenceFacts, sender: any Sender) {
        self.facts = facts
        self.sender = sender
        messageHash = facts.isRemembered ? MessageHash(facts) : nil
        factsByteCount = facts.textByteCount
        editions = Editions(facts.message, isAd: facts.isAd, rules: facts.content)
        split = facts.content.split(of: facts.campaign)
        personalFields = editions.personalFields
        memory = NIOLockedValueBox(Memory(renderings: Array(repeating: nil, count: 2 * editions.all.count)))
    }

    /// The languages of ``editions``; one `nil` when it is silent.
    package var contentKeys: [String?] { editions.all.map(\.language) }

    /// The indices of the editions for a phone's language, one per variant.
    package func places(for language: String?) -> [Int] {
        let language = language ?? ""
        if let known = memory.withLockedValue({ $0.places[language] }) { return known }
        let places = (0..<editions.variantCount).map { editions.place(for: language, variant: $0) }
        memory.withLockedValue { memory in
            if memory.places.count >= Self.capacity { memory.places.removeAll(keepingCapacity: true) }
            memory.places[language] = places
        }
        return places
    }

    /// The payload of one of ``editions``, for a push type of the channel.
    package func rendering(at place: Int, for pushType: PushType) throws(RenderingError) -> Rendering {
        let index = 2 * place + (pushType.isSandbox ? 1 : 0)
        if let known = memory.withLockedValue({ $0.renderings[index] }) { return try known.get() }
        let order = RenderingOrder(
            occurrence: facts.occurrence,
            sentAt: facts.startedAt,
            channel: facts.channel,
            dialect: facts.dialect,
            isSandbox: pushType.isSandbox
        )
        let result: Result<Rendering, RenderingError>
        do throws(RenderingError) {
            result = .success(
                try editions.rendering(editions.all[place], order, fields: personalFields, by: sender)
            )
        } catch {
            result = .failure(error)
        }
        memory.withLockedValue { memory in
            memory.renderings[index] = result
            if case .success(let rendering) = result { memory.renderedByteCount += rendering.byteCount }
        }
        return try result.get()
    }

    /// The estimated bytes of everything computed.
    var rememberedByteCount: Int {
        memory.withLockedValue { memory in
            // A key of a dictionary and an array, each on the heap.
            memory.renderedByteCount + memory.places.count * (128 + 8 * editions.variantCount)
        }
    }

    /// Whether the push service accepted one of its notifications: key, topic and environment are right.
    var isProven: Bool { hasAcceptance.load(ordering: .relaxed) }

    /// Records that the push service accepted a notification.
    func prove() { hasAcceptance.store(true, ordering: .relaxed) }

    /// Whether a second copy of a notification replaces the first on the screen, and nobody waits for it.
    package var isReplaceable: Bool {
        !facts.rules.isTransactional && facts.channel != .voip && facts.message.collapses
    }

    /// Returns the delivery options of a group of notifications.
    ///
    /// - Parameters:
    ///   - cap: When the push service has to stop trying at the latest.
    ///   - now: The wall clock.
    /// - Returns: Options that the group shares.
    package func options(expiringBy cap: Timestamp?, at now: Timestamp) -> DeliveryOptions {
        let message = facts.message
        let expiration = expiration(by: cap, at: now)
        // A call rings at once or never, and none replaces another.
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
    /// The channel's push types.
    package var pushTypes: (production: PushType, sandbox: PushType) {
        switch self {
        case .notification: (.apns, .apnsSandbox)
        case .voip: (.apnsVoIP, .apnsVoIPSandbox)
        }
    }
}

extension OccurrenceFacts {
    /// How long the push service tries, in seconds; a call without a value gets one attempt.
    var expiresIn: Int? { message.expiresIn ?? (channel == .voip ? 0 : nil) }

    /// When the message itself expires; `nil` when it does not, or has one attempt only.
    ///
    /// Where each Device has a time of its own, it counts from the sending.
    func expiresAt(sentAt now: Timestamp) -> Timestamp? {
        guard let seconds = expiresIn, seconds > 0 else { return nil }
        return (rules.mayWait ? now : startedAt).advanced(by: .seconds(seconds))
    }

    /// Until when failed attempts are retried; `nil` when it is sent once.
    ///
    /// An expired message is not sent, even if the Campaign would retry for longer.
    func lastAttempt(retryUntil: Timestamp) -> Timestamp? {
        guard expiresIn != 0 else { return nil }
        let expiry = rules.mayWait ? nil : expiresAt(sentAt: startedAt)
        let deadline = rules.local == nil ? deadline(localTime: nil) : nil
        return [expiry, deadline].compactMap(\.self).reduce(retryUntil, min)
    }
}

extension Rendering {
    /// The estimated bytes: a template stores the position of each field.
    fileprivate var byteCount: Int { 256 + (template == nil ? 1 : 4) * bytes.capacity }
}

extension OccurrenceFacts {
    /// The size of audience, message and variants as JSON; lists are estimated without encoding.
    fileprivate var textByteCount: Int {
        let encoder = JSONEncoder()
        let audienceSize =
            switch audience {
            case .users(let users): users.reduce(0) { $0 + 16 + $1.rawValue.utf8.count }
            case .devices(let devices): 16 * devices.count
            case .all, .saved, .redacted: 0
            // A rule is a tree of boxed values.
            case .rule: 4 * ((try? encoder.encode(audience))?.count ?? 0)
            }
        let messageSize = (try? encoder.encode(message))?.count ?? 0
        let variantsSize = content.variants.isEmpty ? 0 : (try? encoder.encode(content.variants))?.count ?? 0
        return audienceSize + messageSize + variantsSize
    }
}
