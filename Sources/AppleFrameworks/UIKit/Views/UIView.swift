public import Foundation

/// A colour.
open class UIColor: NSObject, @unchecked Sendable {
    /// Its grey, 0 (black) through 1 (white).
    public let white: CGFloat
    /// How much of it is seen, 0 through 1.
    public let alpha: CGFloat

    /// Makes a grey.
    ///
    /// - Parameters:
    ///   - white: 0 (black) through 1 (white).
    ///   - alpha: How much of it is seen, 0 through 1.
    public init(white: CGFloat, alpha: CGFloat) {
        self.white = white
        self.alpha = alpha
    }

    /// What lies behind everything.
    public static let systemBackground = UIColor(white: 1, alpha: 1)
    /// Black.
    public static let black = UIColor(white: 0, alpha: 1)
    /// Nothing.
    public static let clear = UIColor(white: 0, alpha: 0)

    /// The same colour, seen more or less.
    ///
    /// - Parameter alpha: How much of it is seen, 0 through 1.
    /// - Returns: The colour.
    open func withAlphaComponent(_ alpha: CGFloat) -> UIColor { UIColor(white: white, alpha: alpha) }
}

/// A part of the screen.
@MainActor
open class UIView: UIResponder {
    /// How a view follows its parent's size.
    public struct AutoresizingMask: OptionSet, Sendable {
        /// The bits.
        public let rawValue: UInt

        /// Wraps bits.
        public init(rawValue: UInt) { self.rawValue = rawValue }

        /// It grows to the sides.
        public static let flexibleWidth = Self(rawValue: 2)
        /// It grows up and down.
        public static let flexibleHeight = Self(rawValue: 16)
    }

    /// Where it is in its parent.
    open var frame: CGRect
    /// Its own coordinates.
    open var bounds: CGRect { CGRect(origin: .zero, size: frame.size) }
    /// What lies behind its parts.
    open var backgroundColor: UIColor?
    /// Whether it is not seen.
    open var isHidden = false
    /// Whether parts that stick out are cut off.
    open var clipsToBounds = false
    /// How it follows its parent's size.
    open var autoresizingMask: AutoresizingMask = []
    /// What people who do not see it are told.
    open var accessibilityLabel: String?
    /// Whether people who do not see it meet nothing else.
    open var accessibilityViewIsModal = false
    /// Its parts, the rearmost first.
    open private(set) var subviews: [UIView] = []
    /// What it is a part of.
    open private(set) weak var superview: UIView?

    /// Makes a view.
    ///
    /// - Parameter frame: Where it is in its parent.
    public init(frame: CGRect) {
        self.frame = frame
        super.init()
    }

    /// Adds a part, in front of the others.
    ///
    /// - Parameter view: The part.
    open func addSubview(_ view: UIView) {
        view.removeFromSuperview()
        subviews.append(view)
        view.superview = self
    }

    /// Takes it off its parent.
    open func removeFromSuperview() {
        superview?.subviews.removeAll { $0 === self }
        superview = nil
    }
}

/// A line of text.
@MainActor
open class UILabel: UIView {
    /// The text.
    open var text: String?
    /// Where in the line it stands.
    open var textAlignment = NSTextAlignment.natural
}

/// Where in a line a text stands.
public enum NSTextAlignment: Int, Sendable {
    /// At the left.
    case left
    /// In the middle.
    case center
    /// At the right.
    case right
    /// Over the whole line.
    case justified
    /// As the language has it.
    case natural
}

/// What a button or a menu does.
@MainActor
open class UIAction: NSObject {
    /// What it is called.
    public let title: String
    private let handler: @MainActor (UIAction) -> Void

    /// Makes an action.
    ///
    /// - Parameters:
    ///   - title: What it is called.
    ///   - handler: What it does.
    public init(title: String = "", handler: @escaping @MainActor (UIAction) -> Void) {
        self.title = title
        self.handler = handler
        super.init()
    }

    func perform() { handler(self) }
}

/// A view that people do something with.
@MainActor
open class UIControl: UIView {
    /// What people do.
    public struct Event: OptionSet, Sendable {
        /// The bits.
        public let rawValue: UInt

        /// Wraps bits.
        public init(rawValue: UInt) { self.rawValue = rawValue }

        /// A finger came up within it.
        public static let touchUpInside = Self(rawValue: 64)
    }

    private var actions: [(event: Event, action: UIAction)] = []

    /// Adds what is done.
    ///
    /// - Parameters:
    ///   - action: What is done.
    ///   - controlEvents: When.
    open func addAction(_ action: UIAction, for controlEvents: Event) {
        actions.append((controlEvents, action))
    }

    /// Does what is to be done, as when a finger comes up.
    ///
    /// - Parameter controlEvents: What happened.
    open func sendActions(for controlEvents: Event) {
        for entry in actions where !entry.event.isDisjoint(with: controlEvents) { entry.action.perform() }
    }
}

/// A button.
@MainActor
open class UIButton: UIControl {
    /// How a button looks.
    public enum ButtonType: Int, Sendable {
        /// As the app makes it.
        case custom
        /// As the system has it.
        case system
        /// A cross.
        case close = 7
    }

    /// Makes a button.
    ///
    /// - Parameters:
    ///   - buttonType: How it looks.
    ///   - primaryAction: What it does.
    public convenience init(type buttonType: ButtonType, primaryAction: UIAction?) {
        self.init(frame: .zero)
        if let primaryAction { addAction(primaryAction, for: .touchUpInside) }
    }
}
