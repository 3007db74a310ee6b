public import Foundation

/// One screen of an app.
@MainActor
open class UIViewController: UIResponder {
    private var loaded: UIView?

    /// The screen that it is a part of.
    open internal(set) weak var parent: UIViewController?

    /// What is written above it.
    open var title: String?
    /// What stands in the bar above it.
    public let navigationItem = UINavigationItem()
    /// The screen that it shows over itself.
    open private(set) var presentedViewController: UIViewController?
    /// The screen that shows it.
    open private(set) weak var presentingViewController: UIViewController?

    /// Makes a screen.
    public nonisolated init(nibName nibNameOrNil: String? = nil, bundle nibBundleOrNil: Bundle? = nil) {}

    /// Stands for archives, which there are none of here.
    public required nonisolated init?(coder: NSCoder) { nil }

    // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
    /// What it shows; made when it is first asked for.
    open var view: UIView! {
        get {
            if loaded == nil {
                loadView()
                viewDidLoad()
            }
            return loaded
        }
        set { loaded = newValue }
    }

    /// Makes what it shows.
    open func loadView() { loaded = UIView(frame: CGRect(x: 0, y: 0, width: 390, height: 844)) }

    /// What it shows was made.
    open func viewDidLoad() {}

    /// It is seen now.
    open func viewDidAppear(_ animated: Bool) {}

    /// It is not seen any more.
    open func viewDidDisappear(_ animated: Bool) {}

    /// Shows another screen over this one.
    ///
    /// - Parameters:
    ///   - viewControllerToPresent: The other screen.
    ///   - flag: Whether it moves.
    ///   - completion: Called when it is seen.
    open func present(
        _ viewControllerToPresent: UIViewController,
        animated flag: Bool,
        completion: (() -> Void)? = nil
    ) {
        guard presentedViewController == nil else { return }
        presentedViewController = viewControllerToPresent
        viewControllerToPresent.presentingViewController = self
        _ = viewControllerToPresent.view
        viewControllerToPresent.appear(flag)
        completion?()
    }

    /// Takes away the screen that is shown over this one, or this one if there is none.
    ///
    /// - Parameters:
    ///   - flag: Whether it moves.
    ///   - completion: Called when it is gone.
    open func dismiss(animated flag: Bool, completion: (() -> Void)? = nil) {
        guard let gone = presentedViewController else {
            // A part of a screen goes with the whole.
            (parent ?? presentingViewController)?.dismiss(animated: flag, completion: completion)
            return
        }
        presentedViewController = nil
        gone.presentingViewController = nil
        gone.disappear(flag)
        completion?()
    }

    func appear(_ animated: Bool) { viewDidAppear(animated) }

    func disappear(_ animated: Bool) { viewDidDisappear(animated) }
}

/// Screens with a bar above them.
@MainActor
open class UINavigationController: UIViewController {
    /// The screens, the first at the bottom.
    open var viewControllers: [UIViewController] = []

    /// Makes a stack of one screen.
    ///
    /// - Parameter rootViewController: The screen.
    public convenience init(rootViewController: UIViewController) {
        self.init()
        viewControllers = [rootViewController]
        rootViewController.parent = self
    }

    override func appear(_ animated: Bool) {
        _ = viewControllers.last?.view
        viewControllers.last?.appear(animated)
    }

    override func disappear(_ animated: Bool) { viewControllers.last?.disappear(animated) }
}

/// What stands in the bar above a screen.
@MainActor
open class UINavigationItem: NSObject {
    /// The button at the right.
    open var rightBarButtonItem: UIBarButtonItem?

    nonisolated override init() {}
}

/// A button in a bar.
@MainActor
open class UIBarButtonItem: NSObject {
    /// Buttons that the system knows.
    public enum SystemItem: Int, Sendable {
        /// Done.
        case done
        /// Never mind.
        case cancel
        /// Away with it.
        case close = 24
    }

    /// What it does.
    open var primaryAction: UIAction?

    /// Makes a button that the system knows.
    ///
    /// - Parameters:
    ///   - systemItem: Which one.
    ///   - primaryAction: What it does.
    public convenience init(systemItem: SystemItem, primaryAction: UIAction? = nil) {
        self.init(primaryAction)
    }

    init(_ primaryAction: UIAction?) {
        self.primaryAction = primaryAction
        super.init()
    }

    /// Lets a person press it.
    package func press() { primaryAction?.perform() }
}
