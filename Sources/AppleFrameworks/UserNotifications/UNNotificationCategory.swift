public import Foundation

/// A kind of notification, with the actions it offers.
open class UNNotificationCategory: NSObject {
    /// Names it; a payload's `aps.category` refers to it.
    public let identifier: String
    /// The actions, in the order they are shown.
    public let actions: [UNNotificationAction]
    /// Names of intents that go with it.
    public let intentIdentifiers: [String]
    /// How it behaves.
    public let options: UNNotificationCategoryOptions

    /// Makes a category.
    ///
    /// - Parameters:
    ///   - identifier: Names it.
    ///   - actions: The actions, in the order they are shown.
    ///   - intentIdentifiers: Names of intents that go with it.
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

    /// Wraps bits.
    public init(rawValue: UInt) { self.rawValue = rawValue }

    /// Throwing the notification away is told to the app.
    public static let customDismissAction = Self(rawValue: 1)
    /// Allowed on the car's screen.
    public static let allowInCarPlay = Self(rawValue: 2)
    /// The title is shown where previews are hidden.
    public static let hiddenPreviewsShowTitle = Self(rawValue: 4)
    /// The subtitle is shown where previews are hidden.
    public static let hiddenPreviewsShowSubtitle = Self(rawValue: 8)
}

/// A button under a notification.
open class UNNotificationAction: NSObject {
    /// Names it.
    public let identifier: String
    /// What it shows.
    public let title: String
    /// How it behaves.
    public let options: UNNotificationActionOptions

    /// Makes an action.
    ///
    /// - Parameters:
    ///   - identifier: Names it.
    ///   - title: What it shows.
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

/// A button that asks for a text.
open class UNTextInputNotificationAction: UNNotificationAction {
    /// What the button beside the text field shows.
    public let textInputButtonTitle: String
    /// What the empty text field shows.
    public let textInputPlaceholder: String

    /// Makes an action.
    ///
    /// - Parameters:
    ///   - identifier: Names it.
    ///   - title: What it shows.
    ///   - options: How it behaves.
    ///   - textInputButtonTitle: What the button beside the text field shows.
    ///   - textInputPlaceholder: What the empty text field shows.
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

    /// Wraps bits.
    public init(rawValue: UInt) { self.rawValue = rawValue }

    /// The phone must be unlocked.
    public static let authenticationRequired = Self(rawValue: 1)
    /// It destroys something, and looks so.
    public static let destructive = Self(rawValue: 2)
    /// It brings the app to the front.
    public static let foreground = Self(rawValue: 4)
}
