#if canImport(UIKit)
public import CarillonPages
public import Foundation
public import UIKit

#if canImport(ObjectiveC)
/// Notified of a popup's events; every method is optional.
@preconcurrency @MainActor @objc(CorePushPopupViewDelegate)
public protocol CorePushPopupViewDelegate: NSObjectProtocol {
    /// It is about to appear.
    @objc optional func popupWillAppear(_ popupView: CorePushPopupView)
    /// It has appeared.
    @objc optional func popupDidAppear(_ popupView: CorePushPopupView)
    /// It has disappeared.
    @objc optional func popupDidDisappear(_ popupView: CorePushPopupView)
    /// A tap outside of it.
    @objc optional func popupDidTapOutside(_ popupView: CorePushPopupView)
}
#else
/// Notified of a popup's events; every method is optional.
@preconcurrency @MainActor
public protocol CorePushPopupViewDelegate: NSObjectProtocol {
    /// It is about to appear.
    func popupWillAppear(_ popupView: CorePushPopupView)
    /// It has appeared.
    func popupDidAppear(_ popupView: CorePushPopupView)
    /// It has disappeared.
    func popupDidDisappear(_ popupView: CorePushPopupView)
    /// A tap outside of it.
    func popupDidTapOutside(_ popupView: CorePushPopupView)
}

extension CorePushPopupViewDelegate {
    /// Does nothing.
    public func popupWillAppear(_ popupView: CorePushPopupView) {}
    /// Does nothing.
    public func popupDidAppear(_ popupView: CorePushPopupView) {}
    /// Does nothing.
    public func popupDidDisappear(_ popupView: CorePushPopupView) {}
    /// Does nothing.
    public func popupDidTapOutside(_ popupView: CorePushPopupView) {}
}
#endif

/// A window for rich notifications, with a title bar and a close button, over a darkened parent.
#if canImport(ObjectiveC)
@objc(CorePushPopupView) @objcMembers
#endif
public final class CorePushPopupView: UIView {
    /// The title; set it before ``buildLayoutSubViews()``.
    public var titleBarText = ""
    /// Whether a tap outside closes it; set it before ``buildLayoutSubViews()``.
    public var closesOnOutsideTap = true
    /// Notified of its events; a weak reference.
    public weak var delegate: (any CorePushPopupViewDelegate)?

    private weak var parent: UIView?
    private var drawn: PopupView?
    /// Itself while it is shown: the vendor's sample keeps it in a local variable alone, and its delegate is notified to the end.
    private var shown: CorePushPopupView?
    private let empty = UIView(frame: .zero)

    /// Creates a popup.
    ///
    /// - Parameters:
    ///   - frame: The frame in its parent's coordinates.
    ///   - parentView: The view to cover.
    #if canImport(ObjectiveC)
    @objc(initWithFrame:withParentView:)
    #endif
    public init(frame: CGRect, withParentView parentView: UIView) {
        parent = parentView
        super.init(frame: frame)
    }

    /// Archives are not supported.
    @available(*, unavailable)
    public required init?(coder: NSCoder) { nil }

    /// The container of the app's web view; empty and without size before ``buildLayoutSubViews()``.
    public var contentView: UIView { drawn?.contentView ?? empty }

    /// Carillon's own popup.
    public var popupView: PopupView? { drawn }

    /// Builds title bar, close button and content; must be called before ``show()``.
    public func buildLayoutSubViews() {
        guard drawn == nil, let parent else { return }
        let popup = Popup(title: titleBarText, closesOnOutsideTap: closesOnOutsideTap)
        let drawn = PopupView(popup, frame: frame, over: parent)
        drawn.controller.delegate = self
        drawn.controller.buildLayout()
        self.drawn = drawn
    }

    /// Shows it; has no effect before ``buildLayoutSubViews()``.
    public func show() { drawn?.controller.show() }

    /// Hides it.
    public func hide() { drawn?.controller.hide() }
}

extension CorePushPopupView: PopupDelegate {
    /// Notifies the vendor's delegate.
    public func popupWillAppear(_ controller: PopupController) {
        shown = self
        #if canImport(ObjectiveC)
        delegate?.popupWillAppear?(self)
        #else
        delegate?.popupWillAppear(self)
        #endif
    }

    /// Notifies the vendor's delegate.
    public func popupDidAppear(_ controller: PopupController) {
        #if canImport(ObjectiveC)
        delegate?.popupDidAppear?(self)
        #else
        delegate?.popupDidAppear(self)
        #endif
    }

    /// Notifies the vendor's delegate.
    public func popupDidDisappear(_ controller: PopupController) {
        shown = nil
        #if canImport(ObjectiveC)
        delegate?.popupDidDisappear?(self)
        #else
        delegate?.popupDidDisappear(self)
        #endif
    }

    /// Notifies the vendor's delegate.
    public func popupDidTapOutside(_ controller: PopupController) {
        #if canImport(ObjectiveC)
        delegate?.popupDidTapOutside?(self)
        #else
        delegate?.popupDidTapOutside(self)
        #endif
    }
}
#endif
