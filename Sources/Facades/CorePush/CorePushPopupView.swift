public import Carillon
public import Foundation
public import UIKit

#if canImport(ObjectiveC)
/// Is told what a popup does; every method may be left out.
@preconcurrency @MainActor @objc(CorePushPopupViewDelegate)
public protocol CorePushPopupViewDelegate: NSObjectProtocol {
    /// It is about to be seen.
    @objc optional func popupWillAppear(_ popupView: CorePushPopupView)
    /// It is seen.
    @objc optional func popupDidAppear(_ popupView: CorePushPopupView)
    /// It is not seen any more.
    @objc optional func popupDidDisappear(_ popupView: CorePushPopupView)
    /// A finger came down beside it.
    @objc optional func popupDidTapOutside(_ popupView: CorePushPopupView)
}
#else
/// Is told what a popup does; every method may be left out.
@preconcurrency @MainActor
public protocol CorePushPopupViewDelegate: NSObjectProtocol {
    /// It is about to be seen.
    func popupWillAppear(_ popupView: CorePushPopupView)
    /// It is seen.
    func popupDidAppear(_ popupView: CorePushPopupView)
    /// It is not seen any more.
    func popupDidDisappear(_ popupView: CorePushPopupView)
    /// A finger came down beside it.
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
@objc(CorePushPopupView)
#endif
public final class CorePushPopupView: UIView {
    /// What is written in the title bar; set it before ``buildLayoutSubViews()``.
    public var titleBarText = ""
    /// Whether a tap outside closes it; set it before ``buildLayoutSubViews()``.
    public var closesOnOutsideTap = true
    /// Is told what it does; not kept alive.
    public weak var delegate: (any CorePushPopupViewDelegate)?

    private weak var parent: UIView?
    private var drawn: PopupView?
    private let empty = UIView(frame: .zero)

    /// Makes a popup.
    ///
    /// - Parameters:
    ///   - frame: Where, in its parent's coordinates.
    ///   - parentView: What it is shown over.
    #if canImport(ObjectiveC)
    @objc(initWithFrame:withParentView:)
    #endif
    public init(frame: CGRect, withParentView parentView: UIView) {
        parent = parentView
        super.init(frame: frame)
    }

    /// Is not made from archives.
    @available(*, unavailable)
    public required init?(coder: NSCoder) { nil }

    /// Where the app puts its web view; empty and without size before ``buildLayoutSubViews()``.
    public var contentView: UIView { drawn?.contentView ?? empty }

    /// Carillon's own popup, which draws this one.
    public var popupView: PopupView? { drawn }

    /// Builds title bar, close button and content; it comes before ``show()``.
    public func buildLayoutSubViews() {
        guard drawn == nil, let parent else { return }
        let popup = Popup(title: titleBarText, closesOnOutsideTap: closesOnOutsideTap)
        let drawn = PopupView(popup, frame: frame, over: parent)
        drawn.controller.delegate = self
        drawn.controller.buildLayout()
        self.drawn = drawn
    }

    /// Shows it; does nothing before ``buildLayoutSubViews()``.
    public func show() { drawn?.controller.show() }

    /// Takes it away.
    public func hide() { drawn?.controller.hide() }
}

extension CorePushPopupView: PopupDelegate {
    /// Tells the vendor's delegate.
    public func popupWillAppear(_ controller: PopupController) {
        #if canImport(ObjectiveC)
        delegate?.popupWillAppear?(self)
        #else
        delegate?.popupWillAppear(self)
        #endif
    }

    /// Tells the vendor's delegate.
    public func popupDidAppear(_ controller: PopupController) {
        #if canImport(ObjectiveC)
        delegate?.popupDidAppear?(self)
        #else
        delegate?.popupDidAppear(self)
        #endif
    }

    /// Tells the vendor's delegate.
    public func popupDidDisappear(_ controller: PopupController) {
        #if canImport(ObjectiveC)
        delegate?.popupDidDisappear?(self)
        #else
        delegate?.popupDidDisappear(self)
        #endif
    }

    /// Tells the vendor's delegate.
    public func popupDidTapOutside(_ controller: PopupController) {
        #if canImport(ObjectiveC)
        delegate?.popupDidTapOutside?(self)
        #else
        delegate?.popupDidTapOutside(self)
        #endif
    }
}
