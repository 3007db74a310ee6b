/// The notifications on a phone's screen, by Occurrence.
///
/// A pure value, also of use without a phone: fault tests have one for each of many thousand device tokens.
package struct Screen: Hashable, Sendable {
    /// The effect of a notification.
    package enum Change: Hashable, Sendable {
        case shown
        /// It replaced one with the same identifier.
        case replaced
    }

    /// Occurrences by the identifier of their notification.
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
    ///   - identifier: Its identifier: the collapse id if there is one.
    ///   - occurrence: Its Occurrence; empty when it is not Carillon's.
    ///   - alerts: Whether it alerts.
    /// - Returns: The effect.
    @discardableResult
    package mutating func show(_ identifier: String, of occurrence: String, alerts: Bool = true) -> Change {
        let replaced = visible.updateValue(occurrence, forKey: identifier)
        guard !occurrence.isEmpty else { return replaced == nil ? .shown : .replaced }
        if visible.values.filter({ $0 == occurrence }).count > 1 { shownTwice.insert(occurrence) }
        if replaced == occurrence, alerts { realerted.insert(occurrence) }
        return replaced == nil ? .shown : .replaced
    }

    /// Removes a notification.
    ///
    /// - Parameter identifier: Its identifier.
    package mutating func remove(_ identifier: String) { visible[identifier] = nil }
}
