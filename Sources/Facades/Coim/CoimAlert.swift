#if canImport(UIKit)
import Carillon
import UIKit

/// A message of the SDK's, with the vendor's title.
enum CoimAlert {
    /// Shows a message over the app's topmost screen; without a window nothing is shown.
    static func show(_ message: String) {
        MainThread.run {
            let alert = UIAlertController(title: "相關訊息", message: message, preferredStyle: .alert)
            alert.addAction(UIAlertAction(title: "確定", style: .default, handler: nil))
            topmost?.present(alert, animated: true, completion: nil)
        }
    }

    /// The screen that covers all others of the window in use.
    @MainActor
    private static var topmost: UIViewController? {
        let scenes = UIApplication.shared.connectedScenes.compactMap { $0 as? UIWindowScene }
        let scene = scenes.first { $0.activationState == .foregroundActive } ?? scenes.first
        var top = scene?.keyWindow?.rootViewController
        while let next = top?.presentedViewController, !next.isBeingDismissed { top = next }
        return top
    }
}
#endif
