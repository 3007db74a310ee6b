public import Foundation
public import UIKit

#if canImport(FoundationNetworking)
public import FoundationNetworking
#endif

/// Data that a page detects in texts.
public struct WKDataDetectorTypes: OptionSet, Sendable {
    /// The bits.
    public let rawValue: UInt

    /// Creates options from bits.
    public init(rawValue: UInt) { self.rawValue = rawValue }

    /// Telephone numbers.
    public static let phoneNumber = Self(rawValue: 1)
    /// Links.
    public static let link = Self(rawValue: 2)
    /// Everything.
    public static let all = Self(rawValue: .max)
}

/// The storage of cookies and other data of pages.
@MainActor
open class WKWebsiteDataStore: NSObject {
    private static let shared = WKWebsiteDataStore(isPersistent: true)

    /// Whether it outlives the app's process.
    public let isPersistent: Bool

    private init(isPersistent: Bool) {
        self.isPersistent = isPersistent
        super.init()
    }

    /// The app's own, shared by all its pages.
    public class func `default`() -> WKWebsiteDataStore { shared }

    /// A new one in memory.
    public class func nonPersistent() -> WKWebsiteDataStore { WKWebsiteDataStore(isPersistent: false) }
}

/// The configuration of a web view.
@MainActor
open class WKWebViewConfiguration: NSObject {
    /// Data that is detected in texts.
    open var dataDetectorTypes: WKDataDetectorTypes = []
    /// The storage of pages.
    open lazy var websiteDataStore = WKWebsiteDataStore.default()

    /// Creates a configuration.
    public nonisolated override init() {}
}

/// A navigation of a page.
@MainActor
open class WKNavigationAction: NSObject {
    /// The request.
    public let request: URLRequest
    /// The target frame; `nil` for a new window.
    public let targetFrame: WKFrameInfo?

    init(request: URLRequest, targetFrame: WKFrameInfo?) {
        self.request = request
        self.targetFrame = targetFrame
        super.init()
    }
}

/// A frame of a page.
@MainActor
open class WKFrameInfo: NSObject {
    /// Whether it is the whole page.
    public let isMainFrame: Bool

    init(isMainFrame: Bool) {
        self.isMainFrame = isMainFrame
        super.init()
    }
}

/// Whether a navigation is allowed.
public enum WKNavigationActionPolicy: Int, Sendable {
    /// Not allowed.
    case cancel
    /// Allowed.
    case allow
}

/// A navigation.
@MainActor
open class WKNavigation: NSObject {}

/// The properties of a new window.
@MainActor
open class WKWindowFeatures: NSObject {}

/// Decides which navigations are allowed.
@MainActor
public protocol WKNavigationDelegate: NSObjectProtocol {
    /// Decides whether a navigation is allowed.
    func webView(
        _ webView: WKWebView,
        decidePolicyFor navigationAction: WKNavigationAction,
        decisionHandler: @escaping @MainActor @Sendable (WKNavigationActionPolicy) -> Void
    )
}

/// Handles requests of a page that need the app.
@MainActor
public protocol WKUIDelegate: NSObjectProtocol {
    /// The page requests a new window.
    func webView(
        _ webView: WKWebView,
        createWebViewWith configuration: WKWebViewConfiguration,
        for navigationAction: WKNavigationAction,
        windowFeatures: WKWindowFeatures
    ) -> WKWebView?
}

/// A web view that loads nothing, but calls its delegates as on a phone.
@MainActor
open class WKWebView: UIView {
    /// The configuration.
    public let configuration: WKWebViewConfiguration
    /// Decides which navigations are allowed.
    open weak var navigationDelegate: (any WKNavigationDelegate)?
    /// Handles requests of a page that need the app.
    open weak var uiDelegate: (any WKUIDelegate)?
    /// The displayed URL.
    open private(set) var url: URL?

    /// Creates a web view.
    ///
    /// - Parameters:
    ///   - frame: The frame in its parent's coordinates.
    ///   - configuration: The configuration.
    public init(frame: CGRect, configuration: WKWebViewConfiguration) {
        self.configuration = configuration
        super.init(frame: frame)
    }

    /// Loads a page, if the delegate allows it.
    ///
    /// - Parameter request: The page.
    /// - Returns: The navigation.
    @discardableResult
    open func load(_ request: URLRequest) -> WKNavigation? {
        navigate(WKNavigationAction(request: request, targetFrame: WKFrameInfo(isMainFrame: true)))
        return WKNavigation()
    }

    /// Simulates a tap on a link.
    ///
    /// - Parameters:
    ///   - url: The link.
    ///   - opensWindow: Whether it requests a new window.
    package func follow(_ url: URL, opensWindow: Bool = false) {
        let frame = opensWindow ? nil : WKFrameInfo(isMainFrame: true)
        let action = WKNavigationAction(request: URLRequest(url: url), targetFrame: frame)
        guard opensWindow else { return navigate(action) }
        decide(action) { [weak self] in
            guard let self else { return }
            _ = uiDelegate?.webView(
                self,
                createWebViewWith: configuration,
                for: action,
                windowFeatures: WKWindowFeatures()
            )
        }
    }

    /// Simulates that the page loads a frame inside itself.
    ///
    /// - Parameter url: What the frame shows, such as `about:srcdoc`.
    /// - Returns: Whether the delegate allowed it.
    package func loadFrame(_ url: URL) -> Bool {
        let frame = WKFrameInfo(isMainFrame: false)
        var isAllowed = false
        decide(WKNavigationAction(request: URLRequest(url: url), targetFrame: frame)) { isAllowed = true }
        return isAllowed
    }

    private func navigate(_ action: WKNavigationAction) {
        let url = action.request.url
        decide(action) { [weak self] in self?.url = url }
    }

    private func decide(_ action: WKNavigationAction, then go: @escaping @MainActor @Sendable () -> Void) {
        guard let navigationDelegate else { return go() }
        navigationDelegate.webView(self, decidePolicyFor: action) { policy in
            if policy == .allow { go() }
        }
    }
}
