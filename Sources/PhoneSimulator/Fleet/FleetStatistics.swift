/// What happened on all phones of a fleet.
package struct FleetStatistics: Hashable, Sendable, Codable {
    package var phones = 0
    /// Phones that the server has registered.
    package var registered = 0
    /// Phones that the server did not take.
    package var refused = 0
    /// Notifications that reached a phone.
    package var delivered = 0
    /// Notifications that came on a screen anew.
    package var shown = 0
    /// Notifications that took another's place on a screen.
    package var replaced = 0
    /// Notifications that nobody saw: no permission, or silent.
    package var hidden = 0
    /// Phones that had more than one copy of an Occurrence visible at a time.
    ///
    /// Must be 0.
    package var shownTwice = 0
    /// Phones that were alerted again by a copy that replaced another.
    package var realerted = 0
    /// Notifications that were tapped.
    package var opened = 0
    /// Notifications that were thrown away.
    package var dismissed = 0
    /// Buttons that were pressed.
    package var actions = 0
    /// Service extensions whose time ran out.
    package var extensionTimeouts = 0
    /// Wrongs that phones noticed of the app, as a completion handler called twice.
    ///
    /// Must be 0.
    package var complaints = 0

    package init() {}
}
