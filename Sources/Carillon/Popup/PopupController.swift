public import Foundation

/// What a popup shows.
public struct Popup: Hashable, Sendable {
    /// What is written in its title bar.
    public var title: String
    /// The page that it shows; `nil`: the app adds content of its own.
    public var url: URL?
    /// Whether a tap outside closes it.
    public var closesOnOutsideTap: Bool

    /// Describes a popup.
    ///
    /// - Parameters:
    ///   - title: What is written in its title bar.
    ///   - url: The page that it shows.
    ///   - closesOnOutsideTap: Whether a tap outside closes it.
    public init(title: String, url: URL? = nil, closesOnOutsideTap: Bool = true) {
        self.title = title
        self.url = url
        self.closesOnOutsideTap = closesOnOutsideTap
    }

    /// The popup of a push with a link; `nil` when the push has no link to the web, or leads to a survey.
    ///
    /// - Parameters:
    ///   - message: The push.
    ///   - title: What is written in its title bar.
    public init?(for message: PushMessage, title: String) {
        guard !message.isSurvey, let url = message.url, WebLink.isWeb(url) else { return nil }
        self.init(title: title, url: url)
    }
}

/// Is told what a popup does; every method has a default that does nothing.
@MainActor
public protocol PopupDelegate: AnyObject {
    /// It is about to be seen.
    func popupWillAppear(_ controller: PopupController)
    /// It is seen.
    func popupDidAppear(_ controller: PopupController)
    /// It is not seen any more.
    func popupDidDisappear(_ controller: PopupController)
    /// A finger came down beside it.
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

/// Draws what a ``PopupController`` decides.
@MainActor
public protocol PopupDrawing: AnyObject {
    /// Builds the parts: title bar, close button, content.
    func build(_ popup: Popup)
    /// Comes onto the screen, and says when it is there.
    func appear(_ completion: @escaping @MainActor () -> Void)
    /// Goes off the screen.
    func disappear()
}

/// A window over an app, apart from how it is drawn.
@MainActor
public final class PopupController {
    /// What it shows.
    public let popup: Popup
    /// Is told what it does.
    public weak var delegate: (any PopupDelegate)?

    private var machine: PopupMachine
    private weak var drawing: (any PopupDrawing)?

    /// Makes a popup.
    ///
    /// - Parameters:
    ///   - popup: What it shows.
    ///   - drawing: Draws it.
    public init(_ popup: Popup, drawing: any PopupDrawing) {
        self.popup = popup
        self.drawing = drawing
        machine = PopupMachine(closesOnOutsideTap: popup.closesOnOutsideTap)
    }

    /// Whether it is seen, or about to be.
    public var isShown: Bool { machine.state == .appearing || machine.state == .visible }

    /// Builds the layout; it comes before ``show()``.
    public func buildLayout() {
        guard machine.state == .new else { return }
        drawing?.build(popup)
        machine.build()
    }

    /// Shows it; does nothing before ``buildLayout()``, or when it is shown.
    public func show() {
        let events = machine.show()
        guard !events.isEmpty else { return }
        tell(events)
        drawing?.appear { [weak self] in
            guard let self else { return }
            tell(machine.finishShowing())
        }
    }

    /// Takes it away; does nothing when it is not there.
    public func hide() { leave(machine.hide()) }

    /// A finger came down beside it.
    public func tapOutside() { leave(machine.tapOutside()) }

    private func leave(_ events: [PopupMachine.Event]) {
        if events.contains(.didDisappear) { drawing?.disappear() }
        tell(events)
    }

    private func tell(_ events: [PopupMachine.Event]) {
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
