public import Foundation

/// A kind of notification with its actions.
open class UNNotificationCategory: NSObject {
    /// Its identifier, for a payload's `aps.category`.
    public let identifier: String
    /// The actions in order.
    public let actions: [UNNotificationAction]
    /// Identifiers of intents.
    public let intentIdentifiers: [String]
    /// How it behaves.
    public let options: UNNotificationCategoryOptions

    /// Creates a category.
    ///
    /// - Parameters:
    ///   - identifier: Its identifier.
    ///   - actions: The actions in order.
    ///   - intentIdentifiers: Identifiers of intents.
    ///   - options: How it behaves.
    public init(
        identifier: String,
        actions: [UNNotificationAction],
        intentIdentifiers: [String],
        options: UNNotificationCategoryOptions = []
    ) {
        self.identifier = identifier
        self.actions = actions
        self.intentIdentifiers = intentIdentifiers
        self.options = options
    }

    open override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? UNNotificationCategory else { return false }
        return identifier == other.identifier && actions == other.actions && options == other.options
            && intentIdentifiers == other.intentIdentifiers
    }

    open override var hash: Int { identifier.hashValue }
}

/// How a category behaves.
public struct UNNotificationCategoryOptions: OptionSet, Sendable {
    /// The bits.
    public let rawValue: UInt

    /// Creates options from bits.
    public init(rawValue: UInt) { self.rawValue = rawValue }

    /// The app is notified of dismissal.
    public static let customDismissAction = Self(rawValue: 1)
    /// Allowed in CarPlay.
    public static let allowInCarPlay = Self(rawValue: 2)
    /// The title is shown where previews are hidden.
    public static let hiddenPreviewsShowTitle = Self(rawValue: 4)
    /// The subtitle is shown where previews are hidden.
    public static let hiddenPreviewsShowSubtitle = Self(rawValue: 8)
}

/// A button of a notification.
open class UNNotificationAction: NSObject {
    /// Its identifier.
    public let identifier: String
    /// Its title.
    public let title: String
    /// How it behaves.
    public let options: UNNotificationActionOptions

    /// Creates an action.
    ///
    /// - Parameters:
    ///   - identifier: Its identifier.
    ///   - title: Its title.
    ///   - options: How it behaves.
    public init(identifier: String, title: String, options: UNNotificationActionOptions = []) {
        self.identifier = identifier
        self.title = title
        self.options = options
    }

    open override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? UNNotificationAction else { return false }
        return identifier == other.identifier && title == other.title && options == other.options
    }

    open override var hash: Int { identifier.hashValue }
}

/// A button with a text field.
open class UNTextInputNotificationAction: UNNotificationAction {
    /// The title of the button beside the text field.
    public let textInputButtonTitle: String
    /// The placeholder of the text field.
    public let textInputPlaceholder: String

    /// Creates an action.
    ///
    /// - Parameters:
    ///   - identifier: Its identifier.
    ///   - title: Its title.
    ///   - options: How it behaves.
    ///   - textInputButtonTitle: The title of the button beside the text field.
    ///   - textInputPlaceholder: The placeholder of the text field.
    public init(
        identifier: String,
        title: String,
        options: UNNotificationActionOptions = [],
        textInputButtonTitle: String,
        textInputPlaceholder: String
    ) {
        self.textInputButtonTitle = textInputButtonTitle
        self.textInputPlaceholder = textInputPlaceholder
        super.init(identifier: identifier, title: title, options: options)
    }
}

/// How an action behaves.
public struct UNNotificationActionOptions: OptionSet, Sendable {
    /// The bits.
    public let rawValue: UInt

    /// Creates options from bits.
    public init(rawValue: UInt) { self.rawValue = rawValue }

    /// The phone must be unlocked.
    public static let authenticationRequired = Self(rawValue: 1)
    /// It is destructive, and displayed so.
    public static let destructive = Self(rawValue: 2)
    /// It brings the app to the foreground.
    public static let foreground = Self(rawValue: 4)
}
