package import CarillonBytes
package import CarillonModel
package import CarillonOperatorModel

/// A push service, as the engine sees it: it renders a message once and sends it to many device tokens.
///
/// The engine knows neither HTTP/2 nor a service's reasons, only consequences.
package protocol Sender: Sendable {
    /// Renders a message in one language.
    ///
    /// - Parameter draft: What to render.
    /// - Returns: The payload with its slot for the receipt, within the service's limit unless it is a template.
    /// - Throws: ``RenderingError`` when the payload would be larger than the service takes.
    func render(_ draft: NotificationDraft) throws(RenderingError) -> Rendering

    /// Sends a batch and waits for its answers.
    ///
    /// - Parameters:
    ///   - batch: The notifications. They share a payload.
    ///   - deadline: When to stop waiting; what has no answer by then comes back as
    ///     ``Consequence/retryLater(_:after:)`` with reason ``FailureReason/noAnswer``.
    /// - Returns: One consequence for each notification, in the batch's order.
    func send(_ batch: NotificationBatch, until deadline: ContinuousClock.Instant) async -> [Consequence]

    /// Whether a cause of failure is the device token's fault: it is dead, malformed or another app's.
    func blamesToken(_ reason: FailureReason) -> Bool
}

extension Sender {
    /// A service that does not say blames no token.
    package func blamesToken(_ reason: FailureReason) -> Bool { false }
}

/// A message of one language that waits to be rendered.
package struct NotificationDraft: Sendable {
    package var message: Message
    /// A key of the message's content; `nil` for a silent message.
    package var language: String?
    package var occurrence: OccurrenceID
    /// When the Occurrence began.
    package var sentAt: Timestamp
    package var channel: Campaign.Channel
    /// The words that the App's phones understand, beside Carillon's own.
    package var dialect: App.Dialect
    /// Whether it is for apps that are being developed.
    package var isSandbox: Bool
    /// The most bytes that the App allows, if they are fewer than the service takes.
    package var limit: Int?
    /// Devices fill it for themselves: how large it is is not known yet.
    package var isTemplate = false

    package init(
        message: Message,
        language: String?,
        occurrence: OccurrenceID,
        sentAt: Timestamp,
        channel: Campaign.Channel = .notification,
        dialect: App.Dialect = .carillon,
        isSandbox: Bool = false
    ) {
        self.message = message
        self.language = language
        self.occurrence = occurrence
        self.sentAt = sentAt
        self.channel = channel
        self.dialect = dialect
        self.isSandbox = isSandbox
    }
}

/// A payload that all notifications of a batch share, but for the receipt.
package struct Rendering: Hashable, Sendable {
    /// The payload; the slot is filled with 24 zeros (`0`).
    package var bytes: [UInt8]
    /// Where the 24 bytes of the receipt begin; ``noReceipt`` when there is none.
    package var receiptOffset: Int
    /// The most bytes that it may have.
    package var limit: Int
    /// What Devices fill for themselves; `nil` when all get the same bytes.
    package var template: PersonalTemplate?

    /// The offset of a payload without a receipt: whatever a phone reports of it is not counted.
    package static let noReceipt = -1

    package init(bytes: [UInt8], receiptOffset: Int, limit: Int = 4_096) {
        self.bytes = bytes
        self.receiptOffset = receiptOffset
        self.limit = limit
    }
}

/// The rendered payload is larger than the push service takes.
package struct RenderingError: Error, Hashable, Sendable {
    package var language: String?
    package var byteCount: Int
    package var limit: Int

    package init(language: String?, byteCount: Int, limit: Int) {
        self.language = language
        self.byteCount = byteCount
        self.limit = limit
    }
}

/// How a notification is to be delivered.
package struct DeliveryOptions: Hashable, Sendable {
    /// Shown to the person, for the app alone, or a call.
    package enum Purpose: Hashable, Sendable {
        case alert
        case background
        case call
    }

    package var purpose: Purpose
    package var priority: Message.Priority
    /// When the push service stops trying.
    package var expiration: Expiration
    /// 1 through 64 bytes.
    package var collapseID: String?

    /// When the push service stops trying to deliver.
    package enum Expiration: Hashable, Sendable {
        /// The service's own policy.
        case unset
        /// One attempt, nothing is stored.
        case immediately
        case at(Timestamp)
    }

    package init(purpose: Purpose, priority: Message.Priority, expiration: Expiration, collapseID: String?) {
        self.purpose = purpose
        self.priority = priority
        self.expiration = expiration
        self.collapseID = collapseID
    }
}

/// Notifications of one App, one Occurrence, one push type and one language, in columns: nothing is allocated for a
/// single one of them.
package struct NotificationBatch: Sendable {
    package var app: AppID
    package var occurrence: OccurrenceID
    package var pushType: PushType
    package var options: DeliveryOptions
    package var rendering: Rendering
    /// The Devices' internal numbers.
    ///
    /// With the Occurrence they make a notification's id at the service, the same for
    /// every attempt.
    package var devices: [DeviceNumber]
    /// The device tokens' bytes.
    package var tokens = ByteColumn()
    /// The receipts, 24 bytes each, one after another.
    package var receipts: [UInt8]
    /// Where Devices have payloads of their own: these, receipts and all; else empty.
    package var payloads = ByteColumn()

    package init(
        app: AppID,
        occurrence: OccurrenceID,
        pushType: PushType,
        options: DeliveryOptions,
        rendering: Rendering
    ) {
        self.app = app
        self.occurrence = occurrence
        self.pushType = pushType
        self.options = options
        self.rendering = rendering
        devices = []
        receipts = []
    }

    package var count: Int { devices.count }
}

/// What follows from a push service's answer, or from none.
package enum Consequence: Hashable, Sendable {
    /// The service took the notification.
    case accepted
    /// The token is dead since an instant by the service's clock, if it told one.
    case dropDeviceToken(FailureReason, since: Timestamp?)
    /// The token belongs elsewhere: it waits until the Device registers it again.
    case quarantineDeviceToken(FailureReason)
    /// This notification will never be taken.
    case dropMessage(FailureReason)
    /// It may be taken later; not before a time, if the service told one.
    case retryLater(FailureReason, after: Duration?)
    /// Nobody's notification will be taken as things are: wrong key, wrong topic.
    case halt(FailureReason)
}

/// Why a notification was not taken: a word of the push service's or of ours.
///
/// Open, since services invent words.
package struct FailureReason: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    package let rawValue: String

    /// Keeps at most 64 characters: the reason is a label, not a text.
    package init(rawValue: String) { self.rawValue = String(rawValue.prefix(64)) }

    package var description: String { rawValue }

    /// The connection ended or the deadline passed before an answer.
    package static let noAnswer = FailureReason(rawValue: "NoAnswer")
    /// There was no connection to send it on.
    package static let notSent = FailureReason(rawValue: "NotSent")
    /// A Campaign's alarm: it could not begin in time.
    package static func late(_ dueAt: Timestamp) -> FailureReason {
        FailureReason(rawValue: "Late: due at \(dueAt.wholeSeconds); resume or cancel")
    }
    /// The App has no key to send with.
    package static let noPushKey = FailureReason(rawValue: "NoPushKey")
}
