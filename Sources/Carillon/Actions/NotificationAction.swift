import CarillonModel

/// A button that an app adds to its notifications.
public struct NotificationAction: Hashable, Sendable {
    /// The text field of an action.
    public struct TextInput: Hashable, Sendable {
        /// The text of the send button.
        public var submit: String
        /// The placeholder of the text field.
        public var hint: String

        /// Makes a text field.
        ///
        /// - Parameters:
        ///   - submit: The text of the send button.
        ///   - hint: The placeholder of the text field.
        public init(submit: String, hint: String = "") {
            self.submit = submit
            self.hint = hint
        }
    }

    /// The id that the app receives; unique in a category.
    public var id: String
    /// Its text.
    public var title: String
    /// Whether it brings the app to the foreground; otherwise the app handles it in the background.
    public var opensApp: Bool
    /// Whether it destroys something, and is shown accordingly.
    public var isDestructive: Bool
    /// Whether the phone must be unlocked, as it must be in any case for an action that ``opensApp``.
    public var needsAuthentication: Bool
    /// The text field; `nil`: none.
    public var textInput: TextInput?

    /// Makes an action.
    ///
    /// - Parameters:
    ///   - id: The id that the app receives.
    ///   - title: Its text.
    ///   - opensApp: Whether it brings the app to the foreground.
    ///   - isDestructive: Whether it destroys something.
    ///   - needsAuthentication: Whether the phone must be unlocked.
    ///   - textInput: The text field.
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

/// A category of notifications with the app's own buttons; a message's `category` selects it by its id.
///
/// Early systems had two lists, a standard and a minimal one. Today's have one and show its first two actions where space
/// is limited, so ``actions`` begins with those of the minimal list.
public struct NotificationCategory: Hashable, Sendable {
    /// The space for actions.
    public enum Context: Hashable, Sendable, CaseIterable {
        /// Space for four.
        case standard
        /// Space for two.
        case minimal

        /// The maximum of actions.
        public var limit: Int {
            switch self {
            case .standard: 4
            case .minimal: 2
            }
        }
    }

    /// The value of a message's `category`: 1 through 64 characters.
    public let id: String
    private var standard: [NotificationAction]?
    private var minimal: [NotificationAction]?

    /// Makes a category without actions.
    ///
    /// - Parameter id: The value of a message's `category`; not empty, and not one of Carillon's own: `carillon`, or one
    ///   that begins with `carillon.`.
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
    ///   - id: The value of a message's `category`.
    ///   - actions: The actions, in the order they are shown; the first four count.
    ///   - minimal: Those of the minimal context; the first two count. `nil`: the first two of `actions`.
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
    ///   - actions: The actions, in the order they are shown; those over the limit are left out. `nil` or empty: none.
    ///   - context: The context.
    /// - Throws: ``CarillonError`` with code `invalidArgument` when an id or a title is empty, an id occurs twice, or is
    ///   another action's in the other context. Nothing is changed then.
    public mutating func setActions(_ actions: [NotificationAction]?, for context: Context) throws(CarillonError) {
        let actions = actions ?? []
        guard actions.allSatisfy({ !$0.id.isEmpty && !$0.title.isEmpty }) else {
            throw .invalidArgument("an action needs an id and a title")
        }
        guard Set(actions.map(\.id)).count == actions.count else {
            throw .invalidArgument("an action's id is there twice")
        }
        let others = (context == .standard ? minimal : standard) ?? []
        guard actions.allSatisfy({ action in others.allSatisfy { $0.id != action.id || $0 == action } }) else {
            throw .invalidArgument("an action's id means another one in the other context")
        }
        let shown = Array(actions.prefix(context.limit))
        switch context {
        case .standard: standard = shown
        case .minimal: minimal = shown
        }
    }

    /// The actions of one context.
    ///
    /// - Parameter context: The context.
    /// - Returns: The actions, in the order they are shown; without a list of its own, the minimal context has the first
    ///   two of the other.
    public func actions(for context: Context) -> [NotificationAction] {
        switch context {
        case .standard: standard ?? []
        case .minimal: minimal ?? Array(actions(for: .standard).prefix(2))
        }
    }

    /// The list for today's systems: the minimal ones first, then the others; at most four.
    public var actions: [NotificationAction] {
        let first = actions(for: .minimal)
        let ids = Set(first.map(\.id))
        return Array((first + actions(for: .standard).filter { !ids.contains($0.id) }).prefix(Context.standard.limit))
    }
}
