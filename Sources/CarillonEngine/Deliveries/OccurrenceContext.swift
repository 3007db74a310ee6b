package import CarillonModel
package import CarillonOperatorModel
import Foundation
import NIOConcurrencyHelpers
import Synchronization

/// What all chunks of an Occurrence share: its facts, and what was worked out once for each edition and environment.
package final class OccurrenceContext: Sendable {
    private struct Memory {
        /// By language: one for each variant.
        var places: [String: [Int]] = [:]
        /// Two for each of the editions: production's, then the sandbox's.
        var renderings: [Result<Rendering, RenderingError>?]
        /// The bytes of those that were rendered.
        var renderedByteCount = 0
    }

    /// How many phones' languages are remembered; phones may name any.
    private static let capacity = 4_096

    package let facts: OccurrenceFacts
    /// All that it says.
    package let editions: Editions
    /// Which Devices get which variant; `nil` when all get the same.
    package let split: VariantSplit?
    /// What Devices fill for themselves; empty when all get the same.
    package let personalFields: [PersonalField]
    private let sender: any Sender
    /// What the duplicate guard tells the message by; made when the App has one.
    package let messageHash: MessageHash?
    private let memory: NIOLockedValueBox<Memory>
    private let hasAcceptance = Atomic(false)
    /// How many bytes audience, message and variants have as texts.
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

    /// Where the editions for a phone's language stand, one for each variant.
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

    /// The payload of one of ``editions``, for a push type of the channel's.
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

    /// How many bytes what was worked out takes, about.
    var rememberedByteCount: Int {
        memory.withLockedValue { memory in
            // A key of a dictionary and an array of its own, each on the heap.
            memory.renderedByteCount + memory.places.count * (128 + 8 * editions.variantCount)
        }
    }

    /// Whether the push service has taken one of its notifications: key, topic and environment are right.
    var isProven: Bool { hasAcceptance.load(ordering: .relaxed) }

    /// Notes that the push service has taken a notification.
    func prove() { hasAcceptance.store(true, ordering: .relaxed) }

    /// Whether a repeat of a notification takes the place of its first copy on the screen, and nobody waits for it.
    package var isReplaceable: Bool {
        !facts.rules.isTransactional && facts.channel != .voip && facts.message.collapses
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
    func lastAttempt(retryUntil: Timestamp) -> Timestamp? {
        guard expiresIn != 0 else { return nil }
        let expiry = rules.mayWait ? nil : expiresAt(sentAt: startedAt)
        let deadline = rules.local == nil ? deadline(localTime: nil) : nil
        return [expiry, deadline].compactMap(\.self).reduce(retryUntil, min)
    }
}

extension Rendering {
    /// How many bytes it takes, about: a template knows where each of its fields goes.
    fileprivate var byteCount: Int { 256 + (template == nil ? 1 : 4) * bytes.capacity }
}

extension OccurrenceFacts {
    /// How many bytes audience, message and variants have as JSON; lists are counted without being written.
    fileprivate var textByteCount: Int {
        let encoder = JSONEncoder()
        let audienceSize =
            switch audience {
            case .users(let users): users.reduce(0) { $0 + 16 + $1.rawValue.utf8.count }
            case .devices(let devices): 16 * devices.count
            case .all, .saved, .redacted: 0
            // A rule is a tree of boxes.
            case .rule: 4 * ((try? encoder.encode(audience))?.count ?? 0)
            }
        let messageSize = (try? encoder.encode(message))?.count ?? 0
        let variantsSize = content.variants.isEmpty ? 0 : (try? encoder.encode(content.variants))?.count ?? 0
        return audienceSize + messageSize + variantsSize
    }
}
