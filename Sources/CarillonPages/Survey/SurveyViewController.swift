#if canImport(WebKit) && canImport(UIKit) && !os(tvOS) && !os(watchOS)
public import Foundation
public import UIKit
public import WebKit

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Shows a survey: a page under a bar with a button that closes it.
///
/// Telephone numbers and addresses do not become links, and links open inside.
public final class SurveyViewController: UIViewController {
    /// The survey's logic.
    public let controller: SurveyController
    /// Shows the page.
    public private(set) var webView: WKWebView?

    /// Makes the screen; ``inNavigation()`` adds a bar.
    ///
    /// - Parameter controller: The survey's logic.
    public init(_ controller: SurveyController) {
        self.controller = controller
        super.init(nibName: nil, bundle: nil)
    }

    /// Makes the screen of an address; ``inNavigation()`` adds a bar.
    ///
    /// - Parameter url: The survey's address, from `SurveyLink`.
    public convenience init(url: URL) { self.init(SurveyController(url: url)) }

    /// Not supported.
    public required init?(coder: NSCoder) { nil }

    /// Wraps the screen in a bar with its close button.
    ///
    /// - Returns: The view controller to present.
    public func inNavigation() -> UINavigationController { UINavigationController(rootViewController: self) }

    /// Builds the page and its close button, and loads the survey.
    public override func viewDidLoad() {
        super.viewDidLoad()
        let configuration = WKWebViewConfiguration()
        configuration.dataDetectorTypes = []
        // The survey's page shares no storage with the app's other pages, and nothing of it is kept.
        configuration.websiteDataStore = .nonPersistent()
        let webView = WKWebView(frame: view.bounds, configuration: configuration)
        webView.autoresizingMask = [.flexibleWidth, .flexibleHeight]
        webView.navigationDelegate = self
        webView.uiDelegate = self
        view.addSubview(webView)
        self.webView = webView
        let close = UIAction { [weak self] _ in self?.dismiss(animated: true) }
        navigationItem.rightBarButtonItem = UIBarButtonItem(systemItem: .close, primaryAction: close)
        webView.load(URLRequest(url: controller.url))
    }

    /// Opens the survey.
    public override func viewDidAppear(_ animated: Bool) {
        super.viewDidAppear(animated)
        controller.open()
    }

    /// Closes the survey, unless something only covers it, such as the camera.
    public override func viewDidDisappear(_ animated: Bool) {
        super.viewDidDisappear(animated)
        let isLeaving = isBeingDismissed || isMovingFromParent || navigationController?.isBeingDismissed == true
        if isLeaving { controller.close() }
    }
}

extension SurveyViewController: WKNavigationDelegate, WKUIDelegate {
    /// Follows only links to the web; frames inside the page, such as `about:srcdoc`, are the page's own.
    public func webView(
        _ webView: WKWebView,
        decidePolicyFor navigationAction: WKNavigationAction,
        decisionHandler: @escaping @MainActor @Sendable (WKNavigationActionPolicy) -> Void
    ) {
        if let frame = navigationAction.targetFrame, !frame.isMainFrame { return decisionHandler(.allow) }
        let decision = controller.decide(navigationAction.request.url, opensWindow: false)
        decisionHandler(decision == .ignore ? .cancel : .allow)
    }

    /// Loads a link for a new window in place of the page.
    public func webView(
        _ webView: WKWebView,
        createWebViewWith configuration: WKWebViewConfiguration,
        for navigationAction: WKNavigationAction,
        windowFeatures: WKWindowFeatures
    ) -> WKWebView? {
        if controller.decide(navigationAction.request.url, opensWindow: true) == .load {
            webView.load(navigationAction.request)
        }
        return nil
    }
}
#endif
