import CarillonModel
import CarillonOperatorModel

/// The address of surveys, which are not there yet: what will stand on it.
enum Surveys {
    static func declare(_ routes: inout ConsoleRoutes) {
        routes.page("/apps/{app}/surveys", .app(.viewer)) { visit in .page(View(visit.look)) }
    }

    /// The page.
    struct View: PageView {
        static let template = "surveys"

        let heading: String

        init(_ look: Look) { heading = look.texts("surveys.heading") }
    }
}
