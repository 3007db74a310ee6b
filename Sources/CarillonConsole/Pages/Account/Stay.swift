import CarillonModel

/// The end of a session: a page tells it two minutes before, and the session goes on when its Operator wants it to.
enum Stay {
    /// The page after a form without a script; with one its own text is all that is read of it.
    struct View: PageView {
        static let template = "stay"

        let heading: String
    }

    static func declare(_ routes: inout ConsoleRoutes) {
        routes.action("/account/stay", .signedIn, on: { _ in ConsolePath.account }) { visit in
            // The request itself was the use of the session; nothing else changed.
            visit.audit.noteQuestion()
            return .page(View(heading: visit.texts("stay.stayed")))
        }
    }
}
