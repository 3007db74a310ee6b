public import Carillon
public import Foundation

/// The content of a popup.
public struct Popup: Hashable, Sendable {
    /// The text of the title bar.
    public var title: String
    /// The page to show; `nil`: the app adds its own content.
    public var url: URL?
    /// Whether a tap outside closes the popup.
    public var closesOnOutsideTap: Bool
    /// Whether the title bar has a button that opens the page in the system's browser; without a page there is none.
    public var hasBrowserButton: Bool

    /// Makes the content of a popup.
    ///
    /// - Parameters:
    ///   - title: The text of the title bar.
    ///   - url: The page to show.
    ///   - closesOnOutsideTap: Whether a tap outside closes it.
    ///   - hasBrowserButton: Whether the title bar has a button that opens the page in the system's browser.
    public init(title: String, url: URL? = nil, closesOnOutsideTap: Bool = true, hasBrowserButton: Bool = true) {
        self.title = title
        self.url = url
        self.closesOnOutsideTap = closesOnOutsideTap
        self.hasBrowserButton = hasBrowserButton
    }

    /// The popup of a push with a link; `nil` when the push has no link to the web, or leads to a survey.
    ///
    /// - Parameters:
    ///   - message: The push.
    ///   - title: The text of the title bar.
    public init?(for message: PushMessage, title: String) {
        guard !message.isSurvey, let url = message.url, WebLink.isWeb(url) else { return nil }
        self.init(title: title, url: url)
    }
}

/// Receives a popup's events; every method has a default that does nothing.
@MainActor
public protocol PopupDelegate: AnyObject {
    /// The popup is about to appear.
    func popupWillAppear(_ controller: PopupController)
    /// The popup appeared.
    func popupDidAppear(_ controller: PopupController)
    /// The popup disappeared.
    func popupDidDisappear(_ controller: PopupController)
    /// The person tapped outside of the popup.
    func popupDidTapOutside(_ controller: PopupController)
}

extension PopupDelegate {
    /// Does nothing.
    public func popupWillAppear(_ controller: PopupController) {}
    /// Does nothing.
    public func popupDidAppear(_ controller: PopupController) {}
    /// Does nothing.
    public func popupDidDisappear(_ controller: PopupController) {}
    /// Does nothing.
    public func popupDidTapOutside(_ controller: PopupController) {}
}

/// The view of a ``PopupController``.
@MainActor
public protocol PopupDrawing: AnyObject {
    /// Builds the parts: title bar, close button, content.
    func build(_ popup: Popup)
    /// Appears, and calls the completion then.
    func appear(_ completion: @escaping @MainActor () -> Void)
    /// Disappears.
    func disappear()
}

/// The logic of a popup, without its view.
@MainActor
public final class PopupController {
    /// The content.
    public let popup: Popup
    /// Receives the popup's events.
    public weak var delegate: (any PopupDelegate)?

    private var machine: PopupMachine
    private weak var drawing: (any PopupDrawing)?

    /// Makes a popup.
    ///
    /// - Parameters:
    ///   - popup: The content.
    ///   - drawing: The view.
    public init(_ popup: Popup, drawing: any PopupDrawing) {
        self.popup = popup
        self.drawing = drawing
        machine = PopupMachine(closesOnOutsideTap: popup.closesOnOutsideTap)
    }

    /// Whether it is visible, or about to be.
    public var isShown: Bool { machine.state == .appearing || machine.state == .visible }

    /// Builds the layout; call it before ``show()``.
    public func buildLayout() {
        guard machine.state == .new else { return }
        drawing?.build(popup)
        machine.build()
    }

    /// Shows the popup; does nothing before ``buildLayout()``, or when it is shown.
    public func show() {
        let events = machine.show()
        guard !events.isEmpty else { return }
        notify(events)
        drawing?.appear { [weak self] in
            guard let self else { return }
            notify(machine.finishShowing())
        }
    }

    /// Hides the popup; does nothing when it is hidden.
    public func hide() { leave(machine.hide()) }

    /// The person tapped outside of the popup.
    public func tapOutside() { leave(machine.tapOutside()) }

    private func leave(_ events: [PopupMachine.Event]) {
        if events.contains(.didDisappear) { drawing?.disappear() }
        notify(events)
    }

    private func notify(_ events: [PopupMachine.Event]) {
        for event in events {
            switch event {
            case .willAppear: delegate?.popupWillAppear(self)
            case .didAppear: delegate?.popupDidAppear(self)
            case .didDisappear: delegate?.popupDidDisappear(self)
            case .didTapOutside: delegate?.popupDidTapOutside(self)
            }
        }
    }
}
