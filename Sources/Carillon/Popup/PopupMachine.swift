/// The life of a window that is shown over an app: what it tells, and in which order.
///
/// The layout is built before it is shown; it tells that it will appear, that it appeared and that it disappeared, each
/// once a showing; a tap outside is told while it is seen, and may close it.
public struct PopupMachine: Hashable, Sendable {
    /// What a popup tells.
    public enum Event: Hashable, Sendable {
        /// It is about to be seen.
        case willAppear
        /// It is seen.
        case didAppear
        /// It is not seen any more.
        case didDisappear
        /// A finger came down beside it.
        case didTapOutside
    }

    /// Where it is in its life.
    public enum State: Hashable, Sendable {
        /// Nothing is built.
        case new
        /// It could be shown.
        case ready
        /// It is on its way onto the screen.
        case appearing
        /// It is seen.
        case visible
    }

    /// Where it is in its life.
    public private(set) var state = State.new
    /// Whether a tap outside closes it.
    public var closesOnOutsideTap: Bool

    /// Makes the life of a popup.
    ///
    /// - Parameter closesOnOutsideTap: Whether a tap outside closes it.
    public init(closesOnOutsideTap: Bool = true) { self.closesOnOutsideTap = closesOnOutsideTap }

    /// The layout is built.
    public mutating func build() {
        if state == .new { state = .ready }
    }

    /// It is to be shown.
    ///
    /// - Returns: What it tells; nothing when it is seen already or its layout is not built.
    public mutating func show() -> [Event] {
        guard state == .ready else { return [] }
        state = .appearing
        return [.willAppear]
    }

    /// It has come onto the screen.
    ///
    /// - Returns: What it tells.
    public mutating func finishShowing() -> [Event] {
        guard state == .appearing else { return [] }
        state = .visible
        return [.didAppear]
    }

    /// It is to go, by its close button or by the app; it may be shown again.
    ///
    /// - Returns: What it tells; nothing when it is not there.
    public mutating func hide() -> [Event] {
        switch state {
        case .new, .ready: return []
        case .appearing:
            // Whoever was told that it will appear is told that it did, so that the order is always the same.
            state = .ready
            return [.didAppear, .didDisappear]
        case .visible:
            state = .ready
            return [.didDisappear]
        }
    }

    /// A finger came down beside it.
    ///
    /// - Returns: What it tells; nothing while it is not seen.
    public mutating func tapOutside() -> [Event] {
        guard state == .visible else { return [] }
        return [.didTapOutside] + (closesOnOutsideTap ? hide() : [])
    }
}
