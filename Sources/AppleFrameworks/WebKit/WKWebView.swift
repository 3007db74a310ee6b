public import Foundation
public import UIKit

#if canImport(FoundationNetworking)
public import FoundationNetworking
#endif

/// What a page finds in texts by itself.
public struct WKDataDetectorTypes: OptionSet, Sendable {
    /// The bits.
    public let rawValue: UInt

    /// Wraps bits.
    public init(rawValue: UInt) { self.rawValue = rawValue }

    /// Telephone numbers.
    public static let phoneNumber = Self(rawValue: 1)
    /// Links.
    public static let link = Self(rawValue: 2)
    /// Everything.
    public static let all = Self(rawValue: .max)
}

/// Where pages keep cookies and what else they store.
@MainActor
open class WKWebsiteDataStore: NSObject {
    private static let shared = WKWebsiteDataStore(isPersistent: true)

    /// Whether it outlives the app's process.
    public let isPersistent: Bool

    private init(isPersistent: Bool) {
        self.isPersistent = isPersistent
        super.init()
    }

    /// The app's own, which all its pages share.
    public class func `default`() -> WKWebsiteDataStore { shared }

    /// A new one in memory, which is gone with its pages.
    public class func nonPersistent() -> WKWebsiteDataStore { WKWebsiteDataStore(isPersistent: false) }
}

/// What a web view is like.
@MainActor
open class WKWebViewConfiguration: NSObject {
    /// What is found in texts by itself.
    open var dataDetectorTypes: WKDataDetectorTypes = []
    /// Where pages keep what they store.
    open lazy var websiteDataStore = WKWebsiteDataStore.default()

    /// Makes a configuration.
    public nonisolated override init() {}
}

/// What a page wants to show.
@MainActor
open class WKNavigationAction: NSObject {
    /// What it wants to load.
    public let request: URLRequest
    /// Where it is to be shown; `nil`: in a new window.
    public let targetFrame: WKFrameInfo?

    init(request: URLRequest, targetFrame: WKFrameInfo?) {
        self.request = request
        self.targetFrame = targetFrame
        super.init()
    }
}

/// A part of a page.
@MainActor
open class WKFrameInfo: NSObject {
    /// Whether it is the whole page.
    public let isMainFrame: Bool

    init(isMainFrame: Bool) {
        self.isMainFrame = isMainFrame
        super.init()
    }
}

/// What may be done.
public enum WKNavigationActionPolicy: Int, Sendable {
    /// Nothing.
    case cancel
    /// It.
    case allow
}

/// A page's way from one place to another.
@MainActor
open class WKNavigation: NSObject {}

/// How a new window is to be.
@MainActor
open class WKWindowFeatures: NSObject {}

/// Decides where a page may lead.
@MainActor
public protocol WKNavigationDelegate: NSObjectProtocol {
    /// Decides whether something may be loaded.
    func webView(
        _ webView: WKWebView,
        decidePolicyFor navigationAction: WKNavigationAction,
        decisionHandler: @escaping @MainActor @Sendable (WKNavigationActionPolicy) -> Void
    )
}

/// Is asked what a page alone cannot do.
@MainActor
public protocol WKUIDelegate: NSObjectProtocol {
    /// The page wants a new window.
    func webView(
        _ webView: WKWebView,
        createWebViewWith configuration: WKWebViewConfiguration,
        for navigationAction: WKNavigationAction,
        windowFeatures: WKWindowFeatures
    ) -> WKWebView?
}

/// Shows pages; here it loads nothing, but asks its delegates what it would ask them on a phone.
@MainActor
open class WKWebView: UIView {
    /// What it is like.
    public let configuration: WKWebViewConfiguration
    /// Decides where pages may lead.
    open weak var navigationDelegate: (any WKNavigationDelegate)?
    /// Is asked what a page alone cannot do.
    open weak var uiDelegate: (any WKUIDelegate)?
    /// What it shows.
    open private(set) var url: URL?

    /// Makes a web view.
    ///
    /// - Parameters:
    ///   - frame: Where it is in its parent.
    ///   - configuration: What it is like.
    public init(frame: CGRect, configuration: WKWebViewConfiguration) {
        self.configuration = configuration
        super.init(frame: frame)
    }

    /// Shows a page, if the delegate allows it.
    ///
    /// - Parameter request: The page.
    /// - Returns: The way to it.
    @discardableResult
    open func load(_ request: URLRequest) -> WKNavigation? {
        navigate(WKNavigationAction(request: request, targetFrame: WKFrameInfo(isMainFrame: true)))
        return WKNavigation()
    }

    /// Lets a person follow a link.
    ///
    /// - Parameters:
    ///   - url: Where it leads.
    ///   - opensWindow: Whether it asks for a new window.
    package func follow(_ url: URL, opensWindow: Bool = false) {
        let frame = opensWindow ? nil : WKFrameInfo(isMainFrame: true)
        let action = WKNavigationAction(request: URLRequest(url: url), targetFrame: frame)
        guard opensWindow else { return navigate(action) }
        ask(action) { [weak self] in
            guard let self else { return }
            _ = uiDelegate?.webView(
                self,
                createWebViewWith: configuration,
                for: action,
                windowFeatures: WKWindowFeatures()
            )
        }
    }

    private func navigate(_ action: WKNavigationAction) {
        let url = action.request.url
        ask(action) { [weak self] in self?.url = url }
    }

    private func ask(_ action: WKNavigationAction, then go: @escaping @MainActor @Sendable () -> Void) {
        guard let navigationDelegate else { return go() }
        navigationDelegate.webView(self, decidePolicyFor: action) { policy in
            if policy == .allow { go() }
        }
    }
}
