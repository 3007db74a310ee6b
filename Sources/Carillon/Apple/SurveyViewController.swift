#if canImport(WebKit) && canImport(UIKit) && !os(tvOS) && !os(watchOS)
public import Foundation
public import UIKit
public import WebKit

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Shows a survey: a page under a bar with a button that closes it.
///
/// Telephone numbers and addresses are not made into links, and links stay inside.
public final class SurveyViewController: UIViewController {
    /// Decides what happens.
    public let controller: SurveyController
    /// Shows the page.
    public private(set) var webView: WKWebView?

    /// Makes the screen; ``inNavigation()`` puts a bar above it.
    ///
    /// - Parameter controller: Decides what happens.
    public init(_ controller: SurveyController) {
        self.controller = controller
        super.init(nibName: nil, bundle: nil)
    }

    /// Is not made from archives.
    public required init?(coder: NSCoder) { nil }

    /// Puts the screen under a bar with its close button.
    ///
    /// - Returns: What to present.
    public func inNavigation() -> UINavigationController { UINavigationController(rootViewController: self) }

    /// Builds the page and its close button, and loads the survey.
    public override func viewDidLoad() {
        super.viewDidLoad()
        let configuration = WKWebViewConfiguration()
        configuration.dataDetectorTypes = []
        // What a survey's page stores is gone with it, and it finds nothing that the app's other pages stored.
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

    /// Tells the controller.
    public override func viewDidAppear(_ animated: Bool) {
        super.viewDidAppear(animated)
        controller.open()
    }

    /// Tells the controller.
    public override func viewDidDisappear(_ animated: Bool) {
        super.viewDidDisappear(animated)
        controller.close()
    }
}

extension SurveyViewController: WKNavigationDelegate, WKUIDelegate {
    /// Follows links to the web alone.
    public func webView(
        _ webView: WKWebView,
        decidePolicyFor navigationAction: WKNavigationAction,
        decisionHandler: @escaping @MainActor @Sendable (WKNavigationActionPolicy) -> Void
    ) {
        let decision = controller.decide(navigationAction.request.url, opensWindow: false)
        decisionHandler(decision == .ignore ? .cancel : .allow)
    }

    /// Loads in place of the page what asks for a new window.
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
