public import Foundation

/// A survey in a window of its own, apart from how it is drawn.
///
/// Links stay inside, also those that ask for a new window; a telephone number or a mail address leads nowhere.
@MainActor
public final class SurveyController {
    /// Where it is in its life.
    public enum State: Hashable, Sendable {
        /// It was not opened.
        case new
        /// It is seen.
        case open
        /// It was closed.
        case closed
    }

    /// What is done with a link in the page.
    public enum LinkDecision: Hashable, Sendable {
        /// It is followed where it is.
        case follow
        /// It is loaded in place of the page, for it asked for a new window.
        case load
        /// Nothing happens.
        case ignore
    }

    /// The survey's address, with platform and respondent.
    public let url: URL
    /// Where it is in its life.
    public private(set) var state = State.new
    /// Called once when it was closed.
    public var onClose: (@MainActor () -> Void)?

    /// Makes a window for a survey.
    ///
    /// - Parameter url: From ``SurveyLink``.
    public init(url: URL) { self.url = url }

    /// Makes a window for a push's survey; `nil` when the push is no survey: nothing is opened then.
    ///
    /// - Parameters:
    ///   - message: The push.
    ///   - id: ``CarillonClient/surveyID``.
    public convenience init?(for message: PushMessage, id: String) {
        guard let url = SurveyLink.url(for: message, id: id) else { return nil }
        self.init(url: url)
    }

    /// It is seen.
    public func open() {
        if state == .new { state = .open }
    }

    /// It was closed, by its button or by the app.
    public func close() {
        guard state == .open else { return }
        state = .closed
        onClose?()
    }

    /// Decides about a link in the page.
    ///
    /// - Parameters:
    ///   - link: Where it leads.
    ///   - opensWindow: Whether it asks for a new window.
    /// - Returns: What is done with it.
    public nonisolated func decide(_ link: URL?, opensWindow: Bool) -> LinkDecision {
        guard let link, WebLink.isWeb(link) else { return .ignore }
        return opensWindow ? .load : .follow
    }
}
