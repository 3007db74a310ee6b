/// The kinds of events that the app has a button for, in the order of the buttons; the raw values are the ministry's numbers.
public enum EventKind: String, CaseIterable, Hashable, Sendable, Identifiable {
    /// Concerts of music.
    case music = "1"
    /// Plays.
    case theatre = "2"
    /// Dance.
    case dance = "3"
    /// Events for families.
    case family = "4"
    /// Exhibitions.
    case exhibition = "6"
    /// Lectures.
    case lecture = "7"
    /// Films.
    case film = "8"
    /// Concerts of stars.
    case concert = "17"
    /// Everything else.
    case other = "15"

    /// The ministry's number.
    public var id: String { rawValue }
}
