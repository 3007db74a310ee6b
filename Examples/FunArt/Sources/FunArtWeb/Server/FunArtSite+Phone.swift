#if os(Linux)
import Foundation
import HTTPTypes
import Hummingbird
import NIOCore

extension FunArtSite {
    func addPhone(to router: Router<Context>) {
        // What is on the phone's screen, for the browser, which asks again and again.
        router.get("/phone/notifications") { request, _ in
            guard let (_, visit) = await phone(request) else { return Response(status: .noContent) }
            return html(renderer.notifications(visit))
        }
        router.post("/phone/open") { request, _ in
            let form = try await Self.form(request)
            guard let (phone, _) = await phone(request), let id = form["id"],
                let event = try await phone.open(id)
            else { return Response.redirect(to: "/kinds", type: .normal) }
            return Response.redirect(to: Address.event(event), type: .normal)
        }
        // The browser's page came back to the foreground.
        router.post("/phone/active") { request, _ in
            try await answer(request, needsPerson: false) { app, _ in
                await app.didBecomeActive()
                return app.state.place == .kinds ? .page("") : .redirect("/sign-in")
            }
        }
    }

    func addAssets(to router: Router<Context>) {
        let types = ["app.css": "text/css; charset=utf-8", "app.js": "text/javascript; charset=utf-8"]
        for (name, type) in types {
            router.get(RouterPath("/assets/" + name)) { _, _ in
                PictureRoutes.file(Array(try Resources.data(name)), type)
            }
        }
    }
}
#endif
