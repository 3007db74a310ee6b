import CarillonModel

/// A button that an app offers under its notifications.
public struct NotificationAction: Hashable, Sendable {
    /// How a text is asked for.
    public struct TextInput: Hashable, Sendable {
        /// What the button that sends the text shows.
        public var submit: String
        /// What the empty text field shows.
        public var hint: String

        /// Asks for a text.
        ///
        /// - Parameters:
        ///   - submit: What the button that sends the text shows.
        ///   - hint: What the empty text field shows.
        public init(submit: String, hint: String = "") {
            self.submit = submit
            self.hint = hint
        }
    }

    /// What the app is told; each once in a category.
    public var id: String
    /// What it shows.
    public var title: String
    /// Whether it brings the app to the front; otherwise the app does its work behind.
    public var opensApp: Bool
    /// Whether it destroys something, and looks so.
    public var isDestructive: Bool
    /// Whether the phone must be unlocked; it must be in any case for an action that ``opensApp``.
    public var needsAuthentication: Bool
    /// How a text is asked for; `nil`: it is not.
    public var textInput: TextInput?

    /// Makes an action.
    ///
    /// - Parameters:
    ///   - id: What the app is told.
    ///   - title: What it shows.
    ///   - opensApp: Whether it brings the app to the front.
    ///   - isDestructive: Whether it destroys something, and looks so.
    ///   - needsAuthentication: Whether the phone must be unlocked.
    ///   - textInput: How a text is asked for.
    public init(
        id: String,
        title: String,
        opensApp: Bool = false,
        isDestructive: Bool = false,
        needsAuthentication: Bool = false,
        textInput: TextInput? = nil
    ) {
        self.id = id
        self.title = title
        self.opensApp = opensApp
        self.isDestructive = isDestructive
        self.needsAuthentication = needsAuthentication
        self.textInput = textInput
    }
}

/// A kind of notification with the buttons that an app offers under it; a message's `category` picks it by its id.
///
/// There were two lists once, one for much room and one for little. Today's systems take one, and show the first two of
/// it where there is little room: so those of the short list come first in ``actions``.
public struct NotificationCategory: Hashable, Sendable {
    /// Where actions are shown.
    public enum Context: Hashable, Sendable, CaseIterable {
        /// Where there is room for four.
        case standard
        /// Where there is room for two.
        case minimal

        /// How many actions there is room for.
        public var limit: Int {
            switch self {
            case .standard: 4
            case .minimal: 2
            }
        }
    }

    /// What a message's `category` says: 1 through 64 characters.
    public let id: String
    private var lists: [Context: [NotificationAction]] = [:]

    /// Makes a category without actions.
    ///
    /// - Parameter id: What a message's `category` says; not empty, and not one of Carillon's own: `carillon`, or
    ///   what begins with `carillon.`.
    /// - Throws: ``CarillonError`` with code `invalidArgument`.
    public init(id: String) throws(CarillonError) {
        guard !id.isEmpty, id != DefaultCategory.identifier, !id.hasPrefix(DefaultCategory.identifier + ".") else {
            throw .invalidArgument("a category's id must not be empty, carillon or begin with carillon.")
        }
        self.id = id
    }

    /// Makes a category.
    ///
    /// - Parameters:
    ///   - id: What a message's `category` says.
    ///   - actions: The actions, in the order they are shown; the first four count.
    ///   - minimal: Those for little room; the first two count. `nil`: the first two of `actions`.
    /// - Throws: ``CarillonError`` with code `invalidArgument`.
    public init(
        id: String,
        actions: [NotificationAction],
        minimal: [NotificationAction]? = nil
    ) throws(CarillonError) {
        try self.init(id: id)
        try setActions(actions, for: .standard)
        if let minimal { try setActions(minimal, for: .minimal) }
    }

    /// Sets the actions of one context; those of the other stay.
    ///
    /// - Parameters:
    ///   - actions: The actions, in the order they are shown; those for which there is no room are left out. `nil` or
    ///     empty: none.
    ///   - context: Where they are shown.
    /// - Throws: ``CarillonError`` with code `invalidArgument` when an id or a title is empty, an id is there twice, or
    ///   means another action in the other context. Nothing is changed then.
    public mutating func setActions(_ actions: [NotificationAction]?, for context: Context) throws(CarillonError) {
        let actions = actions ?? []
        guard actions.allSatisfy({ !$0.id.isEmpty && !$0.title.isEmpty }) else {
            throw .invalidArgument("an action needs an id and a title")
        }
        guard Set(actions.map(\.id)).count == actions.count else {
            throw .invalidArgument("an action's id is there twice")
        }
        let others = lists.filter { $0.key != context }.values.joined()
        guard actions.allSatisfy({ action in others.allSatisfy { $0.id != action.id || $0 == action } }) else {
            throw .invalidArgument("an action's id means another one in the other context")
        }
        lists[context] = Array(actions.prefix(context.limit))
    }

    /// The actions of one context.
    ///
    /// - Parameter context: Where they are shown.
    /// - Returns: The actions, in the order they are shown; without a list of its own, the minimal context has the first
    ///   two of the other.
    public func actions(for context: Context) -> [NotificationAction] {
        lists[context] ?? (context == .minimal ? Array(actions(for: .standard).prefix(2)) : [])
    }

    /// The one list that today's systems take: the minimal ones first, then the others; at most four.
    public var actions: [NotificationAction] {
        let first = actions(for: .minimal)
        let ids = Set(first.map(\.id))
        return Array((first + actions(for: .standard).filter { !ids.contains($0.id) }).prefix(Context.standard.limit))
    }
}
