public import Foundation

/// A colour.
open class UIColor: NSObject, @unchecked Sendable {
    /// Its grey level, 0 (black) through 1 (white).
    public let white: CGFloat
    /// Its opacity, 0 through 1.
    public let alpha: CGFloat

    /// Creates a grey.
    ///
    /// - Parameters:
    ///   - white: 0 (black) through 1 (white).
    ///   - alpha: The opacity, 0 through 1.
    public init(white: CGFloat, alpha: CGFloat) {
        self.white = white
        self.alpha = alpha
    }

    /// The background of the screen.
    public static let systemBackground = UIColor(white: 1, alpha: 1)
    /// Black.
    public static let black = UIColor(white: 0, alpha: 1)
    /// Transparent.
    public static let clear = UIColor(white: 0, alpha: 0)

    /// The same colour with another opacity.
    ///
    /// - Parameter alpha: The opacity, 0 through 1.
    /// - Returns: The colour.
    open func withAlphaComponent(_ alpha: CGFloat) -> UIColor { UIColor(white: white, alpha: alpha) }
}

/// A view.
@MainActor
open class UIView: UIResponder {
    /// How a view follows its parent's size.
    public struct AutoresizingMask: OptionSet, Sendable {
        /// The bits.
        public let rawValue: UInt

        /// Creates options from bits.
        public init(rawValue: UInt) { self.rawValue = rawValue }

        /// The width changes.
        public static let flexibleWidth = Self(rawValue: 2)
        /// The height changes.
        public static let flexibleHeight = Self(rawValue: 16)
    }

    /// The frame in its parent's coordinates.
    open var frame: CGRect
    /// Its own coordinates.
    open var bounds: CGRect { CGRect(origin: .zero, size: frame.size) }
    /// The middle of the frame; setting it moves the frame.
    open var center: CGPoint {
        get { CGPoint(x: frame.origin.x + frame.size.width / 2, y: frame.origin.y + frame.size.height / 2) }
        set {
            frame.origin = CGPoint(x: newValue.x - frame.size.width / 2, y: newValue.y - frame.size.height / 2)
        }
    }
    /// The background.
    open var backgroundColor: UIColor?
    /// Whether it is hidden.
    open var isHidden = false
    /// Whether subviews are clipped.
    open var clipsToBounds = false
    /// How it follows its parent's size.
    open var autoresizingMask: AutoresizingMask = []
    /// The label for VoiceOver.
    open var accessibilityLabel: String?
    /// Whether VoiceOver ignores other views.
    open var accessibilityViewIsModal = false
    /// The subviews, the rearmost first.
    open private(set) var subviews: [UIView] = []
    /// The parent.
    open private(set) weak var superview: UIView?

    /// Creates a view.
    ///
    /// - Parameter frame: The frame in its parent's coordinates.
    public init(frame: CGRect) {
        self.frame = frame
        super.init()
    }

    /// Adds a subview in front of the others.
    ///
    /// - Parameter view: The subview.
    open func addSubview(_ view: UIView) {
        view.removeFromSuperview()
        subviews.append(view)
        view.superview = self
    }

    /// Removes it from its parent.
    open func removeFromSuperview() {
        superview?.subviews.removeAll { $0 === self }
        superview = nil
    }
}

/// A label.
@MainActor
open class UILabel: UIView {
    /// The text.
    open var text: String?
    /// The alignment of the text.
    open var textAlignment = NSTextAlignment.natural
}

/// The alignment of a text.
public enum NSTextAlignment: Int, Sendable {
    /// At the left.
    case left
    /// In the middle.
    case center
    /// At the right.
    case right
    /// Justified.
    case justified
    /// The default of the language.
    case natural
}

/// An image.
open class UIImage: NSObject, @unchecked Sendable {
    /// The name of the system's symbol.
    package let symbol: String

    /// Creates an image of a symbol of the system; any name has one here.
    ///
    /// - Parameter name: The symbol's name.
    public init?(systemName name: String) { symbol = name }
}

/// The action of a button or a menu.
@MainActor
open class UIAction: NSObject {
    /// The title.
    public let title: String
    /// The image.
    public let image: UIImage?
    private let handler: @MainActor (UIAction) -> Void

    /// Creates an action.
    ///
    /// - Parameters:
    ///   - title: The title.
    ///   - image: The image.
    ///   - handler: Performs the action.
    public init(title: String = "", image: UIImage? = nil, handler: @escaping @MainActor (UIAction) -> Void) {
        self.title = title
        self.image = image
        self.handler = handler
        super.init()
    }

    func perform() { handler(self) }
}

/// A view that handles events.
@MainActor
open class UIControl: UIView {
    /// Events of a control.
    public struct Event: OptionSet, Sendable {
        /// The bits.
        public let rawValue: UInt

        /// Creates options from bits.
        public init(rawValue: UInt) { self.rawValue = rawValue }

        /// A touch ended within it.
        public static let touchUpInside = Self(rawValue: 64)
    }

    private var actions: [(event: Event, action: UIAction)] = []

    /// Adds an action.
    ///
    /// - Parameters:
    ///   - action: The action.
    ///   - controlEvents: The events.
    open func addAction(_ action: UIAction, for controlEvents: Event) {
        actions.append((controlEvents, action))
    }

    /// Performs the actions of an event.
    ///
    /// - Parameter controlEvents: The event.
    open func sendActions(for controlEvents: Event) {
        for entry in actions where !entry.event.isDisjoint(with: controlEvents) { entry.action.perform() }
    }
}

/// A button.
@MainActor
open class UIButton: UIControl {
    /// The style of a button.
    public enum ButtonType: Int, Sendable {
        /// Designed by the app.
        case custom
        /// The system's style.
        case system
        /// A cross.
        case close = 7
    }

    /// Creates a button.
    ///
    /// - Parameters:
    ///   - buttonType: The style.
    ///   - primaryAction: The action.
    public convenience init(type buttonType: ButtonType, primaryAction: UIAction?) {
        self.init(frame: .zero)
        if let primaryAction { addAction(primaryAction, for: .touchUpInside) }
    }
}
