import Foundation

/// The container of an app's views.
@MainActor
open class UIWindow: UIView {
    /// The screen that the window shows.
    open var rootViewController: UIViewController?
    /// Whether it was shown.
    open private(set) var isKeyWindow = false

    /// Creates a window of a scene.
    ///
    /// - Parameter windowScene: The scene.
    public convenience init(windowScene: UIWindowScene) {
        self.init(frame: CGRect(x: 0, y: 0, width: 390, height: 844))
    }

    /// Shows the window.
    open func makeKeyAndVisible() { isKeyWindow = true }
}
