/// The keys of a payload, `{"aps":{…},"carillon":{"o":…,"r":…}}`: the server writes them and the SDK reads them.
///
/// The two that every notification carries are short.
public enum PayloadKey {
    /// Apple's object.
    public static let aps = "aps"
    /// Carillon's object, which has the keys from ``occurrence`` to ``survey``.
    public static let carillon = "carillon"
    /// The Occurrence's id: the SDK counts an event once by it (iOS does not pass `apns-id` to apps).
    public static let occurrence = "o"
    /// The ``Receipt``.
    public static let receipt = "r"
    /// The link of a tap.
    public static let link = "link"
    /// The image's URL.
    public static let image = "image"
    /// The picture, video or sound: an object with the keys of ``Media``.
    public static let media = "media"
    /// The buttons: an array of objects with the keys of ``Button``.
    public static let buttons = "buttons"
    /// `true` when the link leads to a survey.
    public static let survey = "survey"

    /// The keys of ``media``.
    public enum Media {
        /// `image`, `video` or `audio`.
        public static let kind = "kind"
        /// The URL.
        public static let source = "source"
    }

    /// The keys of one of the ``buttons``.
    public enum Button {
        /// Names the button in its action event.
        public static let id = "id"
        /// Its text.
        public static let title = "title"
        /// `openApp`, `openURL`, `reply` or `dismiss`.
        public static let kind = "kind"
        /// Where `openURL` leads.
        public static let link = "link"
        /// The placeholder of a reply's text field.
        public static let hint = "hint"
        /// The text of a reply's send button.
        public static let submit = "submit"
    }

    /// The keys that apps built for CORE PUSH read, beside `aps`.
    public enum CorePush {
        /// The push's id, by which apps report launches.
        public static let pushID = "push_id"
        /// Where a tap leads.
        public static let url = "url"
        /// The text `1` when the link leads to a survey.
        public static let survey = "CoreResearch"
    }

    /// The keys that apps built for TOAST Push read, beside `aps`.
    public enum ToastPush {
        /// Whether the app reports what it receives and opens.
        public static let reportsDelivery = "messageDeliveryReceipt"
        /// What it reports that with: an object of ``messageID`` and ``sentAt``.
        public static let delivery = "messageDeliveryReceiptData"
        /// The push's id, a number.
        public static let messageID = "messageId"
        /// When it was sent.
        public static let sentAt = "sentDateTime"
        /// An object of ``media`` and ``buttons``.
        public static let richMessage = "richMessage"
        /// Where a tap leads.
        public static let link = "clickAction"
        /// An object of ``mediaType`` and ``source``.
        public static let media = "media"
        /// `IMAGE`, `VIDEO` or `AUDIO`.
        public static let mediaType = "mediaType"
        /// The media's URL.
        public static let source = "source"
        /// An array of objects of ``Button``.
        public static let buttons = "buttons"

        /// The keys of one of the ``buttons``.
        public enum Button {
            /// Names the button.
            public static let id = "id"
            /// Its text.
            public static let title = "name"
            /// `OPEN_APP`, `OPEN_URL`, `REPLY` or `DISMISS`.
            public static let kind = "buttonType"
            /// Where `OPEN_URL` leads.
            public static let link = "link"
            /// The placeholder of a reply's text field.
            public static let hint = "hint"
            /// The text of a reply's send button.
            public static let submit = "submitName"
        }
    }
}

/// The category of notifications without one of their own; it makes the system report dismissal.
public enum DefaultCategory {
    /// The identifier that the SDK registers, and that its service extension sets; the server sends only a message's
    /// own category.
    public static let identifier = "carillon"
}
