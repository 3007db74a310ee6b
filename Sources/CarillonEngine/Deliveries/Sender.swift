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
    /// - Throws: ``RenderingError`` when the payload exceeds the service's limit.
    func render(_ draft: NotificationDraft) throws(RenderingError) -> Rendering

    /// Sends a batch and waits for its answers.
    ///
    /// - Parameters:
    ///   - batch: The notifications, which share a payload.
    ///   - deadline: When to stop waiting; what has no answer by then comes back as
    ///     ``Consequence/retryLater(_:after:)`` with reason ``FailureReason/noAnswer``.
    /// - Returns: One consequence for each notification, in the batch's order.
    func send(_ batch: NotificationBatch, until deadline: ContinuousClock.Instant) async -> [Consequence]

    /// Whether a cause of failure concerns the device token: it is invalid, malformed or another app's.
    func blamesToken(_ reason: FailureReason) -> Bool

    /// Asks the push service about a key, with a device token that cannot exist.
    ///
    /// - Parameters:
    ///   - account: The key and the topic.
    ///   - isInUse: Whether the App sends with the key, so that its provider token is shared.
    /// - Returns: The results by environment, as far as the service's answers tell; empty for a service without keys.
    func checkKey(_ account: PushAccount, isInUse: Bool) async -> [PushKeyCheck.Environment]
}

extension Sender {
    /// By default there is nothing to ask.
    package func checkKey(_ account: PushAccount, isInUse: Bool) async -> [PushKeyCheck.Environment] { [] }

    /// By default no reason concerns the token.
    package func blamesToken(_ reason: FailureReason) -> Bool { false }
}

/// A message in one language, to be rendered.
package struct NotificationDraft: Sendable {
    package var message: Message
    /// A key of the message's content; `nil` for a silent message.
    package var language: String?
    package var occurrence: OccurrenceID
    /// When the Occurrence began.
    package var sentAt: Timestamp
    package var channel: Campaign.Channel
    /// The payload keys that the App's phones understand, besides Carillon's own.
    package var dialect: App.Dialect
    /// Whether it is for development builds.
    package var isSandbox: Bool
    /// The App's maximum bytes, if below the service's limit.
    package var limit: Int?
    /// Whether Devices fill it in: its final size is unknown.
    package var isTemplate = false
    /// The text to write, as a JSON string, where the number on the icon belongs; each Device gets a number in its place.
    package var badgeMark: String?

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

/// A payload that all notifications of a batch share, except for the receipt.
package struct Rendering: Hashable, Sendable {
    /// The payload; the slot is filled with 24 zeros (`0`).
    package var bytes: [UInt8]
    /// Where the 24 bytes of the receipt begin; ``noReceipt`` when there is none.
    package var receiptOffset: Int
    /// The maximum bytes of the payload.
    package var limit: Int
    /// Fields that are filled in for each Device; `nil` when all get the same bytes.
    package var template: PersonalTemplate?

    /// The offset of a payload without a receipt: events that a phone reports of it are not counted.
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

/// How to deliver a notification.
package struct DeliveryOptions: Hashable, Sendable {
    /// Shown to the person, for the app only, or a call.
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
        /// One attempt, without storing.
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

/// Notifications of one App, Occurrence, push type and language, in columns: no allocation per notification.
package struct NotificationBatch: Sendable {
    package var app: AppID
    package var occurrence: OccurrenceID
    package var pushType: PushType
    package var options: DeliveryOptions
    package var rendering: Rendering
    /// The Devices' internal numbers.
    ///
    /// With the Occurrence they form a notification's id at the service, the same for every attempt.
    package var devices: [DeviceNumber]
    /// The device tokens' bytes.
    package var tokens = ByteColumn()
    /// The receipts, 24 bytes each, concatenated.
    package var receipts: [UInt8]
    /// Where Devices have payloads of their own: these, with their receipts; otherwise empty.
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

/// The consequence of a push service's answer, or of a missing answer.
package enum Consequence: Hashable, Sendable {
    /// The service accepted the notification.
    case accepted
    /// The token is invalid, since an instant by the service's clock if it gave one.
    case dropDeviceToken(FailureReason, since: Timestamp?)
    /// The token belongs elsewhere: it is not used until the Device registers it again.
    case quarantineDeviceToken(FailureReason)
    /// This notification will never be accepted.
    case dropMessage(FailureReason)
    /// It may be accepted later, after the delay that the service asked for, if it did.
    case retryLater(FailureReason, after: Duration?)
    /// No notification will be accepted until a setting changes: wrong key, wrong topic.
    case halt(FailureReason)
}

/// Why a notification was not accepted: a reason of the push service or of Carillon.
///
/// Open, since services add reasons.
package struct FailureReason: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    package let rawValue: String

    /// Stores at most 64 characters: the reason is a label, not a text.
    package init(rawValue: String) { self.rawValue = String(rawValue.prefix(64)) }

    package var description: String { rawValue }

    /// The connection ended, or the deadline passed, before an answer.
    package static let noAnswer = FailureReason(rawValue: "NoAnswer")
    /// There was no connection.
    package static let notSent = FailureReason(rawValue: "NotSent")
    /// A Campaign's alarm: it could not begin in time.
    package static func late(_ dueAt: Timestamp) -> FailureReason {
        FailureReason(rawValue: "Late: due at \(dueAt.wholeSeconds); resume or cancel")
    }
    /// The App has no push key.
    package static let noPushKey = FailureReason(rawValue: "NoPushKey")
}
