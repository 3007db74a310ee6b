/// The state machine of a popup: its events and their order.
///
/// The layout is built before the popup is shown; the events that it will appear, that it appeared and that it disappeared
/// occur once each time it is shown; a tap outside is an event while it is visible, and may close it.
public struct PopupMachine: Hashable, Sendable {
    /// An event for the delegate.
    public enum Event: Hashable, Sendable {
        /// The popup is about to appear.
        case willAppear
        /// The popup appeared.
        case didAppear
        /// The popup disappeared.
        case didDisappear
        /// The person tapped outside of the popup.
        case didTapOutside
    }

    /// The state.
    public enum State: Hashable, Sendable {
        /// The layout is not built.
        case new
        /// It can be shown.
        case ready
        /// It is appearing.
        case appearing
        /// It is visible.
        case visible
    }

    /// The state.
    public private(set) var state = State.new
    /// Whether a tap outside closes the popup.
    public var closesOnOutsideTap: Bool

    /// Makes the state machine of a popup.
    ///
    /// - Parameter closesOnOutsideTap: Whether a tap outside closes it.
    public init(closesOnOutsideTap: Bool = true) { self.closesOnOutsideTap = closesOnOutsideTap }

    /// The layout is built.
    public mutating func build() {
        if state == .new { state = .ready }
    }

    /// Shows the popup.
    ///
    /// - Returns: The events; none when it is shown already or its layout is not built.
    public mutating func show() -> [Event] {
        guard state == .ready else { return [] }
        state = .appearing
        return [.willAppear]
    }

    /// The popup appeared.
    ///
    /// - Returns: The events.
    public mutating func finishShowing() -> [Event] {
        guard state == .appearing else { return [] }
        state = .visible
        return [.didAppear]
    }

    /// Hides the popup, which may be shown again.
    ///
    /// - Returns: The events; none when it is hidden.
    public mutating func hide() -> [Event] {
        switch state {
        case .new, .ready: return []
        case .appearing:
            // The order of events is always the same: after willAppear comes didAppear.
            state = .ready
            return [.didAppear, .didDisappear]
        case .visible:
            state = .ready
            return [.didDisappear]
        }
    }

    /// The person tapped outside of the popup.
    ///
    /// - Returns: The events; none while it is not visible.
    public mutating func tapOutside() -> [Event] {
        guard state == .visible else { return [] }
        return [.didTapOutside] + (closesOnOutsideTap ? hide() : [])
    }
}
