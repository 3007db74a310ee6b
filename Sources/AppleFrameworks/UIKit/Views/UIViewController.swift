public import Foundation

/// A view controller.
@MainActor
open class UIViewController: UIResponder {
    private var loaded: UIView?

    /// The parent view controller.
    open internal(set) weak var parent: UIViewController?

    /// The title.
    open var title: String?
    // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
    /// The item of the tab bar.
    open lazy var tabBarItem: UITabBarItem! = UITabBarItem()
    /// The items of the navigation bar.
    public let navigationItem = UINavigationItem()
    /// The view controller that it presents.
    open private(set) var presentedViewController: UIViewController?
    /// The view controller that presents it.
    open private(set) weak var presentingViewController: UIViewController?

    /// Whether it is being dismissed.
    open private(set) var isBeingDismissed = false
    /// Whether it is being removed from its parent; nothing is here.
    open var isMovingFromParent: Bool { false }
    /// The navigation controller that it is in.
    open var navigationController: UINavigationController? { parent as? UINavigationController }

    /// Creates a screen.
    public nonisolated init(nibName nibNameOrNil: String? = nil, bundle nibBundleOrNil: Bundle? = nil) {}

    /// Archives are not supported here.
    public required nonisolated init?(coder: NSCoder) { nil }

    // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
    /// The view; loaded on first use.
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

    /// Loads the view.
    open func loadView() { loaded = UIView(frame: CGRect(x: 0, y: 0, width: 390, height: 844)) }

    /// The view was loaded.
    open func viewDidLoad() {}

    /// The view is about to appear.
    open func viewWillAppear(_ animated: Bool) {}

    /// The view appeared.
    open func viewDidAppear(_ animated: Bool) {}

    /// The view is about to disappear.
    open func viewWillDisappear(_ animated: Bool) {}

    /// The view disappeared.
    open func viewDidDisappear(_ animated: Bool) {}

    /// Presents another view controller.
    ///
    /// - Parameters:
    ///   - viewControllerToPresent: The other view controller.
    ///   - flag: Whether it is animated.
    ///   - completion: Called when it is visible.
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

    /// Dismisses the presented view controller, or this one if there is none.
    ///
    /// - Parameters:
    ///   - flag: Whether it is animated.
    ///   - completion: Called when it is gone.
    open func dismiss(animated flag: Bool, completion: (() -> Void)? = nil) {
        guard let gone = presentedViewController else {
            // A child is dismissed with its parent.
            (parent ?? presentingViewController)?.dismiss(animated: flag, completion: completion)
            return
        }
        presentedViewController = nil
        gone.presentingViewController = nil
        gone.isBeingDismissed = true
        gone.disappear(flag)
        gone.isBeingDismissed = false
        completion?()
    }

    /// Simulates that something of the system covers the screen for a while, such as the camera.
    package func cover() {
        disappear(true)
        appear(true)
    }

    func appear(_ animated: Bool) {
        viewWillAppear(animated)
        viewDidAppear(animated)
    }

    func disappear(_ animated: Bool) {
        viewWillDisappear(animated)
        viewDidDisappear(animated)
    }
}

/// A navigation controller.
@MainActor
open class UINavigationController: UIViewController {
    /// The stack of view controllers.
    open var viewControllers: [UIViewController] = []

    /// Creates a stack of one view controller.
    ///
    /// - Parameter rootViewController: The view controller.
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

/// The items of a navigation bar.
@MainActor
open class UINavigationItem: NSObject {
    /// The right button.
    open var rightBarButtonItem: UIBarButtonItem?

    nonisolated override init() {}
}

/// The item of a view controller in a tab bar.
@MainActor
open class UITabBarItem: NSObject {
    /// The text of its badge.
    open var badgeValue: String?

    nonisolated override init() {}
}

/// A button in a bar.
@MainActor
open class UIBarButtonItem: NSObject {
    /// Buttons of the system.
    public enum SystemItem: Int, Sendable {
        /// Done.
        case done
        /// Cancel.
        case cancel
        /// Close.
        case close = 24
    }

    /// The action.
    open var primaryAction: UIAction?

    /// Creates a button of the system.
    ///
    /// - Parameters:
    ///   - systemItem: The button.
    ///   - primaryAction: The action.
    public convenience init(systemItem: SystemItem, primaryAction: UIAction? = nil) {
        self.init(primaryAction)
    }

    init(_ primaryAction: UIAction?) {
        self.primaryAction = primaryAction
        super.init()
    }

    /// Simulates a press.
    package func press() { primaryAction?.perform() }
}
