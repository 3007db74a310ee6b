/// One thing that the SDK did or met, for the app's own log.
///
/// No secret, no device token and nothing a person typed is ever in it.
public struct CarillonLogEntry: Hashable, Sendable {
    /// How much it matters.
    public enum Level: Int, Hashable, Sendable, Comparable {
        /// For finding out how something came about.
        case debug
        /// Worth knowing.
        case info
        /// Something was lost or does not work.
        case warning

        /// Whether one matters less than another.
        public static func < (lhs: Self, rhs: Self) -> Bool { lhs.rawValue < rhs.rawValue }
    }

    /// How much it matters.
    public let level: Level
    /// What happened: the same text each time.
    public let message: String
    /// What belongs to this time, by name.
    public let facts: [String: String]
}

/// Hands entries to the app, if it wants them.
struct CarillonLog: Sendable {
    let sink: (@Sendable (CarillonLogEntry) -> Void)?

    func callAsFunction(_ level: CarillonLogEntry.Level, _ message: String, _ facts: [String: String] = [:]) {
        sink?(CarillonLogEntry(level: level, message: message, facts: facts))
    }
}
