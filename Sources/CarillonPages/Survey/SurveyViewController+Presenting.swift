#if canImport(WebKit) && canImport(UIKit) && !os(tvOS) && !os(watchOS)
public import Foundation
import UIKit

@available(iOSApplicationExtension, unavailable)
extension SurveyViewController {
    /// Shows a survey over the app's topmost screen, in a bar with a close button.
    ///
    /// - Parameters:
    ///   - url: The survey's address, from `SurveyLink`.
    ///   - animated: Whether it is animated.
    /// - Returns: The survey's screen; `nil` when the app has no window to show it in.
    @discardableResult
    public static func present(_ url: URL, animated: Bool = true) -> SurveyViewController? {
        guard let top = topmostViewController else { return nil }
        let survey = SurveyViewController(url: url)
        top.present(survey.inNavigation(), animated: animated)
        return survey
    }

    /// The screen that covers all others of the app's window: the last that was presented.
    ///
    /// After a tap on a notification the window is not active yet.
    private static var topmostViewController: UIViewController? {
        let scenes = UIApplication.shared.connectedScenes.compactMap { $0 as? UIWindowScene }
        let states: [UIScene.ActivationState] = [.foregroundActive, .foregroundInactive, .background]
        let scene = states.lazy.compactMap { state in scenes.first { $0.activationState == state } }.first
        var top = scene?.keyWindow?.rootViewController
        while let next = top?.presentedViewController, !next.isBeingDismissed { top = next }
        return top
    }
}
#endif
