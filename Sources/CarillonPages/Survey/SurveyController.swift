public import Carillon
public import Foundation

/// The logic of a survey's window, without its view.
///
/// Links open inside, also those for a new window; a telephone number or a mail address opens nothing.
@MainActor
public final class SurveyController {
    /// The state.
    public enum State: Hashable, Sendable {
        /// It was not opened.
        case new
        /// It is visible.
        case open
        /// It was closed.
        case closed
    }

    /// What to do with a link in the page.
    public enum LinkDecision: Hashable, Sendable {
        /// Follow it.
        case follow
        /// Load it in place of the page, because it is for a new window.
        case load
        /// Do nothing.
        case ignore
    }

    /// The survey's address, with platform and respondent.
    public let url: URL
    /// The state.
    public private(set) var state = State.new
    /// Called once, when the survey is closed.
    public var onClose: (@MainActor () -> Void)?

    /// Makes the logic of a survey.
    ///
    /// - Parameter url: From `SurveyLink`.
    public init(url: URL) { self.url = url }

    /// Makes the logic of a push's survey; `nil` when the push is no survey.
    ///
    /// - Parameters:
    ///   - message: The push.
    ///   - id: `CarillonClient.surveyID`.
    public convenience init?(for message: PushMessage, id: String) {
        guard let url = SurveyLink.url(for: message, id: id) else { return nil }
        self.init(url: url)
    }

    /// The survey appeared.
    public func open() {
        if state == .new { state = .open }
    }

    /// The survey was closed, by its button or by the app.
    public func close() {
        guard state == .open else { return }
        state = .closed
        onClose?()
    }

    /// Decides what to do with a link in the page.
    ///
    /// - Parameters:
    ///   - link: The link.
    ///   - opensWindow: Whether it is for a new window.
    /// - Returns: What to do with it.
    public nonisolated func decide(_ link: URL?, opensWindow: Bool) -> LinkDecision {
        guard let link, WebLink.isWeb(link) else { return .ignore }
        return opensWindow ? .load : .follow
    }
}
