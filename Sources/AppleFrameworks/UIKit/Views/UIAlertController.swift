public import Foundation

/// A message over a screen.
@MainActor
open class UIAlertController: UIViewController {
    /// How a message is shown.
    public enum Style: Int, Sendable {
        /// From the edge of the screen.
        case actionSheet
        /// In the middle of the screen.
        case alert
    }

    /// The text below the title.
    open var message: String?
    /// How it is shown.
    public let preferredStyle: Style
    /// The buttons, in order.
    open private(set) var actions: [UIAlertAction] = []

    /// Creates a message.
    ///
    /// - Parameters:
    ///   - title: The title.
    ///   - message: The text below it.
    ///   - preferredStyle: How it is shown.
    public init(title: String?, message: String?, preferredStyle: Style) {
        self.preferredStyle = preferredStyle
        super.init(nibName: nil, bundle: nil)
        self.title = title
        self.message = message
    }

    /// Archives are not supported here.
    public required nonisolated init?(coder: NSCoder) { nil }

    /// Adds a button.
    open func addAction(_ action: UIAlertAction) { actions.append(action) }

    /// Simulates a press of a button, which dismisses the message.
    package func press(_ action: UIAlertAction) {
        presentingViewController?.dismiss(animated: true)
        action.handler?(action)
    }
}

/// A button of a message.
@MainActor
open class UIAlertAction: NSObject {
    /// What a button looks like.
    public enum Style: Int, Sendable {
        /// Like most.
        case `default`
        /// Cancels.
        case cancel
        /// Destroys something.
        case destructive
    }

    /// The text.
    public let title: String?
    /// What it looks like.
    public let style: Style
    let handler: ((UIAlertAction) -> Void)?

    /// Creates a button.
    ///
    /// - Parameters:
    ///   - title: The text.
    ///   - style: What it looks like.
    ///   - handler: Called when it is pressed.
    public init(title: String?, style: Style, handler: ((UIAlertAction) -> Void)? = nil) {
        self.title = title
        self.style = style
        self.handler = handler
    }
}
