/// The keys of Carillon's own object in a payload, beside `aps`: `{"aps":{…},"carillon":{"o":…,"r":…}}`.
///
/// The server writes them and the SDK reads them; the two in every notification are short.
public enum PayloadKey {
    /// The object of the others.
    public static let carillon = "carillon"
    /// The Occurrence's id: the SDK counts an event once by it (iOS does not pass `apns-id` to apps).
    public static let occurrence = "o"
    /// The ``Receipt``.
    public static let receipt = "r"
    /// The link of a tap.
    public static let link = "link"
    /// The image's URL.
    public static let image = "image"
    /// The image, video or sound: an object `{"kind","source"}`.
    public static let media = "media"
    /// The buttons: an array of `{"id","title","kind","link","hint","submit"}`.
    public static let buttons = "buttons"
    /// `true` when the link leads to a survey.
    public static let survey = "survey"
}

/// The category of notifications without one of their own; it makes the system report dismissal.
public enum DefaultCategory {
    /// The identifier that the SDK registers, and that its service extension sets; the server sends only a message's
    /// own category.
    public static let identifier = "carillon"
}
