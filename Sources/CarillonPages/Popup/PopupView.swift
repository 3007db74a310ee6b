#if canImport(WebKit) && canImport(UIKit) && !os(tvOS) && !os(watchOS)
public import Foundation
public import UIKit
import WebKit

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The view of a popup: a window with a title bar and a close button over a dimmed parent.
///
/// Keep it as long as its ``PopupController``; the parent keeps it while it is visible.
@available(iOSApplicationExtension, unavailable)
public final class PopupView: UIView, PopupDrawing {
    /// The view for the app's own content; a popup with a URL has a page in it.
    public private(set) var contentView: UIView?
    /// The label of the title bar.
    public private(set) var titleLabel: UILabel?
    /// Closes the popup.
    public private(set) var closeButton: UIButton?
    /// Opens the page in the system's browser; `nil` where there is no page, or ``Popup/hasBrowserButton`` is false.
    public private(set) var browserButton: UIButton?
    /// The dimmed area around the popup; a tap on it is a tap outside.
    public private(set) var outside: UIControl?
    /// The popup's logic.
    public private(set) lazy var controller = PopupController(popup, drawing: self)

    private let popup: Popup
    private weak var parent: UIView?
    private static let barHeight: CGFloat = 44

    /// Makes a popup.
    ///
    /// - Parameters:
    ///   - popup: Its content.
    ///   - frame: Its frame, in its parent's coordinates.
    ///   - parent: The view that it covers.
    public init(_ popup: Popup, frame: CGRect, over parent: UIView) {
        self.popup = popup
        self.parent = parent
        super.init(frame: frame)
    }

    /// Not supported.
    @available(*, unavailable)
    public required init?(coder: NSCoder) { nil }

    /// Builds title bar, close button and content; ``PopupController/buildLayout()`` calls it.
    public func build(_ popup: Popup) {
        backgroundColor = .systemBackground
        clipsToBounds = true
        accessibilityViewIsModal = true
        let width = frame.size.width
        let label = UILabel(frame: CGRect(x: 0, y: 0, width: width, height: Self.barHeight))
        label.text = popup.title
        label.textAlignment = .center
        addSubview(label)
        titleLabel = label
        let close = UIButton(type: .close, primaryAction: UIAction { [weak self] _ in self?.controller.hide() })
        close.frame = CGRect(x: width - Self.barHeight, y: 0, width: Self.barHeight, height: Self.barHeight)
        addSubview(close)
        closeButton = close
        let height = max(0, frame.size.height - Self.barHeight)
        let content = UIView(frame: CGRect(x: 0, y: Self.barHeight, width: width, height: height))
        addSubview(content)
        contentView = content
        guard let url = popup.url else { return }
        show(url, in: content)
        if popup.hasBrowserButton { addBrowserButton(to: url) }
    }

    /// At the other end of the title bar than the close button; the symbol brings its own text for VoiceOver.
    private func addBrowserButton(to url: URL) {
        let open = UIAction(image: UIImage(systemName: "safari")) { _ in UIApplication.shared.open(url) }
        let button = UIButton(type: .system, primaryAction: open)
        button.frame = CGRect(x: 0, y: 0, width: Self.barHeight, height: Self.barHeight)
        addSubview(button)
        browserButton = button
    }

    private func show(_ url: URL, in content: UIView) {
        let configuration = WKWebViewConfiguration()
        // The page shares no storage with the app's other pages, and nothing of it is kept.
        configuration.websiteDataStore = .nonPersistent()
        let page = WKWebView(frame: content.bounds, configuration: configuration)
        page.autoresizingMask = [.flexibleWidth, .flexibleHeight]
        content.addSubview(page)
        page.load(URLRequest(url: url))
    }

    /// Appears over its dimmed parent; ``PopupController/show()`` calls it.
    public func appear(_ completion: @escaping @MainActor () -> Void) {
        guard let parent else { return }
        let outside = UIControl(frame: parent.bounds)
        outside.autoresizingMask = [.flexibleWidth, .flexibleHeight]
        outside.backgroundColor = UIColor.black.withAlphaComponent(0.5)
        outside.addAction(UIAction { [weak self] _ in self?.controller.tapOutside() }, for: .touchUpInside)
        parent.addSubview(outside)
        parent.addSubview(self)
        self.outside = outside
        completion()
    }

    /// Disappears; ``PopupController/hide()`` calls it.
    public func disappear() {
        outside?.removeFromSuperview()
        outside = nil
        removeFromSuperview()
    }
}
#endif
