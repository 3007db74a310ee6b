#if os(Linux)
import Foundation
import Hummingbird

extension FunArtSite {
    func addFollowPages(to router: Router<Context>) {
        router.get("/follows") { request, _ in
            try await answer(request) { app, visit in
                let screen = app.follows()
                await screen.load()
                return followsPage(screen.state, visit)
            }
        }
        router.post("/follows") { request, _ in
            let form = try await Self.form(request)
            return try await answer(request) { app, visit in
                guard let follow = Self.follow(form) else { return .redirect("/follows") }
                let screen = app.follows()
                await screen.set(follow, isOn: form["on"] == "true")
                guard screen.state.failure != nil else { return .redirect("/follows") }
                let failure = screen.state.failure
                await screen.load()
                return followsPage(screen.state, visit, failure)
            }
        }
    }

    private func followsPage(_ state: FollowsState, _ visit: Visit, _ failure: Failure? = nil) -> Outcome {
        var state = state
        state.failure = failure ?? state.failure
        return .page(renderer.page("follows", visit.texts.follows, visit, FollowsView(state, visit.texts)))
    }

    private static func follow(_ form: [String: String]) -> Follow? {
        if let kind = form["kind"].flatMap(EventKind.init) { return .kind(kind) }
        guard let latitude = form["latitude"].flatMap(Double.init), latitude.isFinite,
            let longitude = form["longitude"].flatMap(Double.init), longitude.isFinite
        else { return nil }
        return .place(Position(latitude: latitude, longitude: longitude))
    }
}
#endif
