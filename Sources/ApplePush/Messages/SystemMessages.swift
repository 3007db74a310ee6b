// Push types that the system itself answers: their payloads are Apple's alone.

/// Notifies a File Provider extension of changes.
///
/// Source: "Using push notifications to signal changes" (File Provider).
public struct FileProviderMessage: AppMessage {
    /// Which container changed, in the extension's words or Apple's.
    public struct Container: RawRepresentable, Hashable, Sendable {
        /// The container's identifier.
        public let rawValue: String

        /// Makes an identifier.
        ///
        /// - Parameter rawValue: The identifier.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// Everything that the system keeps up to date.
        public static let workingSet = Container(rawValue: "NSFileProviderWorkingSetContainerItemIdentifier")
        /// The topmost folder.
        public static let root = Container(rawValue: "NSFileProviderRootContainerItemIdentifier")
    }

    /// Which container changed.
    public var container: Container
    /// Which domain of the extension it lies in; `nil` where there is only one.
    public var domain: String?
    /// Until when APNs may deliver; `nil` means up to 30 days.
    public var expiration: Expiration?

    /// A change.
    ///
    /// - Parameters:
    ///   - container: Which container changed.
    ///   - domain: Which domain it lies in.
    ///   - expiration: Until when APNs may deliver.
    public init(_ container: Container, domain: String? = nil, expiration: Expiration? = nil) {
        self.container = container
        self.domain = domain
        self.expiration = expiration
    }

    /// Always ``APNsPushType/fileProvider``.
    public var pushType: APNsPushType { .fileProvider }

    /// Apple's default, 10.
    public var priority: Priority? { nil }

    /// The two identifiers, without `aps`.
    public var payload: PayloadObject {
        var payload: PayloadObject = ["container-identifier": .string(container.rawValue)]
        payload["domain"] = domain.map(PayloadValue.string)
        return payload
    }
}

/// Makes a managed device contact its server.
///
/// Client certificate only; the topic is the `UID` in the certificate's subject, hence ``APNsMessage/request(topic:)``.
/// Source: "Sending notification requests to APNs".
public struct MDMMessage: APNsMessage {
    /// The word that the device gave its server when it enrolled.
    public var pushMagic: String
    /// Until when APNs may deliver; `nil` means up to 30 days.
    public var expiration: Expiration?

    /// A call to a device.
    ///
    /// - Parameters:
    ///   - pushMagic: The word that the device gave its server.
    ///   - expiration: Until when APNs may deliver.
    public init(pushMagic: String, expiration: Expiration? = nil) {
        self.pushMagic = pushMagic
        self.expiration = expiration
    }

    /// Always ``APNsPushType/mdm``.
    public var pushType: APNsPushType { .mdm }

    /// Apple's default, 10.
    public var priority: Priority? { nil }

    /// `{"mdm":"…"}`, without `aps`.
    public var payload: PayloadObject { ["mdm": .string(pushMagic)] }
}

/// Makes the system reload an app's widgets.
///
/// Source: "Updating widgets with WidgetKit push notifications".
public struct WidgetsMessage: AppMessage {
    /// Until when APNs may deliver; `nil` means up to 30 days.
    public var expiration: Expiration?
    /// The value of `apns-priority`; `nil` leaves the header out, which Apple reads as 10.
    public var priority: Priority?

    /// A call to reload.
    ///
    /// - Parameters:
    ///   - priority: How urgent it is.
    ///   - expiration: Until when APNs may deliver.
    public init(priority: Priority? = nil, expiration: Expiration? = nil) {
        self.priority = priority
        self.expiration = expiration
    }

    /// Always ``APNsPushType/widgets``.
    public var pushType: APNsPushType { .widgets }

    /// Always `{"aps":{"content-changed":true}}`.
    public var payload: PayloadObject { PayloadObject(aps: ["content-changed": true]) }
}

/// Makes the system reload an app's controls.
///
/// Source: "Updating controls locally and remotely" (WidgetKit).
public struct ControlsMessage: AppMessage {
    /// Until when APNs may deliver; `nil` means up to 30 days.
    public var expiration: Expiration?
    /// The value of `apns-priority`; `nil` leaves the header out, which Apple reads as 10.
    public var priority: Priority?

    /// A call to reload.
    ///
    /// - Parameters:
    ///   - priority: How urgent it is.
    ///   - expiration: Until when APNs may deliver.
    public init(priority: Priority? = nil, expiration: Expiration? = nil) {
        self.priority = priority
        self.expiration = expiration
    }

    /// Always ``APNsPushType/controls``.
    public var pushType: APNsPushType { .controls }

    /// Always `{"aps":{"content-changed":true}}`.
    public var payload: PayloadObject { PayloadObject(aps: ["content-changed": true]) }
}

/// Answers a notification that the system forwarded to an accessory.
///
/// The values are what the accessory's maker sealed; Apple's page names the keys. Source: "Responding to forwarded
/// notifications" (Accessory Notifications).
public struct AccessoryMessage: AppMessage {
    /// The answer, encrypted for the accessory: `encryptedData`.
    public var encryptedData: PayloadValue
    /// The session it belongs to: `sessionIdentifier`.
    public var sessionIdentifier: PayloadValue
    /// The key it is encrypted with: `keyID`.
    public var keyID: PayloadValue
    /// Its place in the session: `messageIndex`.
    public var messageIndex: PayloadValue
    /// Until when APNs may deliver; `nil` means up to 30 days.
    public var expiration: Expiration?

    /// An answer.
    ///
    /// - Parameters:
    ///   - encryptedData: The answer, encrypted.
    ///   - sessionIdentifier: The session it belongs to.
    ///   - keyID: The key it is encrypted with.
    ///   - messageIndex: Its place in the session.
    ///   - expiration: Until when APNs may deliver.
    public init(
        encryptedData: PayloadValue,
        sessionIdentifier: PayloadValue,
        keyID: PayloadValue,
        messageIndex: PayloadValue,
        expiration: Expiration? = nil
    ) {
        self.encryptedData = encryptedData
        self.sessionIdentifier = sessionIdentifier
        self.keyID = keyID
        self.messageIndex = messageIndex
        self.expiration = expiration
    }

    /// Always ``APNsPushType/accessory``.
    public var pushType: APNsPushType { .accessory }

    /// Apple's default, 10.
    public var priority: Priority? { nil }

    /// `aps` with the four members.
    public var payload: PayloadObject {
        PayloadObject(
            aps: [
                "encryptedData": encryptedData, "sessionIdentifier": sessionIdentifier, "keyID": keyID,
                "messageIndex": messageIndex,
            ]
        )
    }
}
