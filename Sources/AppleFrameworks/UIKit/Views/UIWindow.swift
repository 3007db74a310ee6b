public import Foundation
import UserNotifications

/// The container of an app's views.
@MainActor
open class UIWindow: UIView {
    /// The screen that the window shows.
    open var rootViewController: UIViewController? {
        didSet { if isKeyWindow { showRoot() } }
    }
    /// The scene that the window is in.
    open weak var windowScene: UIWindowScene? {
        didSet {
            guard oldValue !== windowScene else { return }
            oldValue?.remove(self)
            windowScene?.add(self)
        }
    }
    /// Whether the window is the one that receives keys: the last that was shown.
    open var isKeyWindow: Bool { windowScene?.keyWindow === self }

    /// Creates a window of a scene.
    ///
    /// - Parameter windowScene: The scene.
    public convenience init(windowScene: UIWindowScene) {
        self.init(frame: UIScreen.main.bounds)
        self.windowScene = windowScene
    }

    /// Shows the window, and its root view controller with it.
    open func makeKeyAndVisible() {
        // An app without scenes has one all the same, which its windows join.
        if windowScene == nil, SimulatedSystem.current?.traits.usesScenes == false {
            windowScene = UIApplication.shared.scene
        }
        guard windowScene?.keyWindow !== self else { return }
        windowScene?.keyWindow = self
        showRoot()
    }

    private func showRoot() {
        guard let root = rootViewController, root.view.superview == nil else { return }
        addSubview(root.view)
        root.appear(false)
    }
}

/// The phone's screen.
@MainActor
open class UIScreen: NSObject {
    private static let only = UIScreen()

    /// The phone's own screen.
    open class var main: UIScreen { only }

    /// Its size, of a phone of 6.1 inches.
    open var bounds: CGRect { CGRect(x: 0, y: 0, width: 390, height: 844) }
}
