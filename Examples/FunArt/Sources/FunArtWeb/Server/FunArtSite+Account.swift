#if os(Linux)
import Foundation
import Hummingbird

extension FunArtSite {
    func addAccountPages(to router: Router<Context>) {
        router.get("/") { request, _ in
            try await answer(request) { _, _ in .redirect("/kinds") }
        }
        router.get("/sign-in") { request, _ in
            try await answer(request, needsPerson: false) { app, visit in
                guard app.state.place != .kinds else { return .redirect("/kinds") }
                let screen = app.signIn()
                screen.edit { $0.mode = visit.query["mode"] == "up" ? .signUp : .signIn }
                return .page(signInPage(screen.state, visit))
            }
        }
        router.post("/sign-in") { request, _ in
            let form = try await Self.form(request)
            return try await answer(request, needsPerson: false) { app, visit in
                let screen = app.signIn()
                screen.edit { state in
                    state.mode = form["mode"] == "up" ? .signUp : .signIn
                    state.name = form["name"] ?? ""
                    state.password = form["password"] ?? ""
                    state.passwordAgain = form["password-again"] ?? ""
                }
                await screen.submit()
                return screen.state.problem == nil ? .redirect("/kinds") : .page(signInPage(screen.state, visit))
            }
        }
        router.post("/sign-out") { request, _ in
            try await answer(request, needsPerson: false) { app, _ in
                await app.signOut()
                return .redirect("/sign-in")
            }
        }
        addAboutPages(to: router)
    }

    private func addAboutPages(to router: Router<Context>) {
        router.get("/about") { request, _ in
            try await answer(request) { app, visit in .page(aboutPage(app, visit)) }
        }
        router.post("/announce") { request, _ in
            let form = try await Self.form(request)
            let kind = form["kind"].flatMap(EventKind.init) ?? .music
            return try await answer(request) { app, visit in
                .page(aboutPage(app, visit, announced: try await announce(kind)))
            }
        }
        router.post("/language") { request, _ in
            let form = try await Self.form(request)
            let language = form["language"].flatMap(Language.init(rawValue:)) ?? .chinese
            var response = Response.redirect(to: form["to"] == "sign-in" ? "/sign-in" : "/about", type: .normal)
            response.setCookie(Cookie(name: Self.languageCookie, value: language.rawValue, path: "/", sameSite: .lax))
            return response
        }
    }

    private func signInPage(_ state: SignInState, _ visit: Visit) -> String {
        let title = state.mode == .signUp ? visit.texts.signUp : visit.texts.signIn
        return renderer.page("sign-in", title, visit, hasTabs: false, SignInView(state, visit.texts))
    }

    @MainActor
    private func aboutPage(_ app: FunArtModel, _ visit: Visit, announced: String? = nil) -> String {
        let names = [Language.chinese: "繁體中文", .english: "English"]
        let languages = Language.allCases.map {
            Choice(value: $0.rawValue, name: names[$0] ?? $0.rawValue, isChosen: $0 == visit.language)
        }
        let view = AboutView(
            person: app.state.person?.displayName ?? "",
            languages: languages,
            kinds: Choice.kinds(visit.texts),
            announced: announced
        )
        return renderer.page("about", visit.texts.about, visit, view)
    }
}
#endif
