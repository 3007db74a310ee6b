/// What a phone's screen shows, as far as counting goes: which notifications of which Occurrence are visible.
///
/// A pure value, of use without a phone: fault tests keep one for each of many thousand device tokens.
package struct Screen: Hashable, Sendable {
    /// What a notification did to the screen.
    package enum Change: Hashable, Sendable {
        case shown
        /// It took the place of one with the same identifier.
        case replaced
    }

    /// Occurrences by the identifier they are visible under.
    private var visible: [String: String] = [:]

    /// Occurrences that had two copies visible at a time.
    package private(set) var shownTwice: Set<String> = []

    /// Occurrences that alerted again when a copy replaced another.
    package private(set) var realerted: Set<String> = []

    package init() {}

    /// How many notifications are visible.
    package var count: Int { visible.count }

    /// Shows a notification.
    ///
    /// - Parameters:
    ///   - identifier: Its name on the screen: the collapse id if there is one.
    ///   - occurrence: Which Occurrence it is of; empty when it is not Carillon's.
    ///   - alerts: Whether it makes itself noticed.
    /// - Returns: What it did to the screen.
    @discardableResult
    package mutating func show(_ identifier: String, of occurrence: String, alerts: Bool = true) -> Change {
        let replaced = visible.updateValue(occurrence, forKey: identifier)
        guard !occurrence.isEmpty else { return replaced == nil ? .shown : .replaced }
        if visible.values.filter({ $0 == occurrence }).count > 1 { shownTwice.insert(occurrence) }
        if replaced == occurrence, alerts { realerted.insert(occurrence) }
        return replaced == nil ? .shown : .replaced
    }

    /// Takes a notification off the screen.
    ///
    /// - Parameter identifier: Its name on the screen.
    package mutating func remove(_ identifier: String) { visible[identifier] = nil }
}
