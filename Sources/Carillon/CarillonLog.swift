import Foundation

/// An entry for the app's own log.
///
/// It never has secrets, device tokens or text that a person typed.
public struct CarillonLogEntry: Hashable, Sendable {
    /// The severity.
    public enum Level: Int, Hashable, Sendable, Comparable {
        /// For debugging.
        case debug
        /// For operators.
        case info
        /// Something was lost or does not work.
        case warning

        /// Compares by severity.
        public static func < (lhs: Self, rhs: Self) -> Bool { lhs.rawValue < rhs.rawValue }
    }

    /// The severity.
    public let level: Level
    /// What happened, as a constant text.
    public let message: String
    /// The metadata of this entry, by name.
    public let facts: [String: String]
}

/// Passes entries to the app's log, if it has set one.
struct CarillonLog: Sendable {
    let sink: (@Sendable (CarillonLogEntry) -> Void)?

    /// Writes to the system's console why the SDK cannot start: an app that ignores the error would do nothing, in silence.
    static func console(_ error: CarillonError) { NSLog("%@", "Carillon cannot start: \(error)") }

    func callAsFunction(_ level: CarillonLogEntry.Level, _ message: String, _ facts: [String: String] = [:]) {
        sink?(CarillonLogEntry(level: level, message: message, facts: facts))
    }
}
