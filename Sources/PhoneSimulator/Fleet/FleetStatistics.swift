/// Counts of a fleet.
package struct FleetStatistics: Hashable, Sendable, Codable {
    package var phones = 0
    /// Phones that the server has registered.
    package var registered = 0
    /// Phones that the server refused.
    package var refused = 0
    /// Notifications that reached a phone.
    package var delivered = 0
    /// Notifications that were shown.
    package var shown = 0
    /// Notifications that replaced another on a screen.
    package var replaced = 0
    /// Notifications that were not shown: no permission, or silent.
    package var hidden = 0
    /// Phones that showed more than one copy of an Occurrence at a time.
    ///
    /// Must be 0.
    package var shownTwice = 0
    /// Phones that were alerted again by a copy that replaced another.
    package var realerted = 0
    /// Notifications that were tapped.
    package var opened = 0
    /// Notifications that were dismissed.
    package var dismissed = 0
    /// Buttons that were pressed.
    package var actions = 0
    /// Service extensions whose time ran out.
    package var extensionTimeouts = 0
    /// Errors of the app, as a completion handler called twice.
    ///
    /// Must be 0.
    package var complaints = 0

    package init() {}
}
