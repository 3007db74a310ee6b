/// The words of Carillon's own part of a payload, which stands beside `aps`: `{"aps":{…},"carillon":{"o":…,"r":…}}`.
///
/// The server writes them and the SDK reads them; the two that every notification carries are short.
public enum PayloadKey {
    /// The object that holds the others.
    public static let carillon = "carillon"
    /// The Occurrence's id: by it the SDK counts an event once (iOS shows apps no `apns-id`).
    public static let occurrence = "o"
    /// The ``Receipt``.
    public static let receipt = "r"
    /// Where a tap leads.
    public static let link = "link"
    /// The picture's URL.
    public static let image = "image"
    /// The picture, video or sound: an object `{"kind","source"}`.
    public static let media = "media"
    /// The buttons: an array of `{"id","title","kind","link","hint","submit"}`.
    public static let buttons = "buttons"
    /// `true` when the link leads to a survey.
    public static let survey = "survey"
}

/// The category of notifications whose message names none; it asks the system to report dismissal.
public enum DefaultCategory {
    /// The identifier that the SDK registers, and that its service extension writes; the server writes only categories
    /// that a message names.
    public static let identifier = "carillon"
}
