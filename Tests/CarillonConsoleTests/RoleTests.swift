import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import HTTPTypes
import Testing

@testable import CarillonConsole

/// Who may open which route.
struct RoleTests {
    /// The callers of the matrix.
    enum Caller: CaseIterable {
        case stranger
        case viewer, editor, sender, admin
        /// Operators with a role in one App alone.
        case appViewer, appEditor, appSender, appAdmin

        var role: OperatorRole? {
            switch self {
            case .stranger: nil
            case .viewer, .appViewer: .viewer
            case .editor, .appEditor: .editor
            case .sender, .appSender: .sender
            case .admin, .appAdmin: .admin
            }
        }

        var isOfApp: Bool { [.appViewer, .appEditor, .appSender, .appAdmin].contains(self) }

        func roles(_ app: AppID) -> OperatorRoles {
            guard let role else { return OperatorRoles() }
            return isOfApp
                ? OperatorRoles(apps: [OperatorAppRole(app: app, role: role)]) : OperatorRoles(everywhere: role)
        }

        /// The status of a refusal; `nil` when the caller may.
        func refusal(_ access: ConsoleAccess, isOwnApp: Bool) -> Int? {
            guard let role else { return access == .open ? nil : 303 }
            switch access {
            case .open, .signedIn: return nil
            case .anywhere(let least): return role >= least ? nil : 403
            case .everywhere(let least): return !isOfApp && role >= least ? nil : 403
            case .app(let least):
                if isOfApp, !isOwnApp { return 404 }
                return role >= least ? nil : 403
            }
        }
    }

    @Test("K-16 Each route answers each role as it declares", arguments: Caller.allCases)
    func matrix(_ caller: Caller) async throws {
        try await ConsoleWorld.run { world in
            try await world.makeAdmin()
            let victim = try await world.makeOperator("victim@example.org", OperatorRoles(everywhere: .viewer))
            let apps = (own: try await world.makeApp("Own"), other: try await world.makeApp("Other"))
            var person: Person?
            if caller != .stranger {
                person = try await world.makeOperator("\(caller)@example.org", caller.roles(apps.own.id))
            }
            for method in ["GET", "POST"] {
                try await ask(method, as: (caller, person), of: apps, victim.id, in: world)
            }
            guard caller == .stranger else { return }
            let people = try await world.engine.operators.list(after: nil, limit: 10).items
            #expect(people.map(\.address) == ["ana@example.org", "victim@example.org"])
            #expect(people.map(\.role) == [.admin, .viewer] && people.allSatisfy { $0.state == .active })
        }
    }

    /// Asks each route of a method, those of an App in both Apps.
    private func ask(
        _ method: String,
        as who: (caller: Caller, person: Person?),
        of apps: (own: App, other: App),
        _ victim: OperatorID,
        in world: ConsoleWorld
    ) async throws {
        var browser: Browser?
        for route in world.console.declaredRoutes where route.method == method {
            for app in route.path.contains("{app}") ? [apps.own, apps.other] : [apps.own] {
                var asking = browser ?? world.browser()
                if browser == nil, let person = who.person { asking = try await world.signIn(person) }
                let answer = try await answer(route, app.id, victim, &asking)
                let refusal = who.caller.refusal(route.access, isOwnApp: app.id == apps.own.id)
                expect(answer, refusal, route, "\(who.caller) \(method) \(route.path) in \(app.name)")
                // What an action ends must not refuse the next one.
                browser = method == "GET" || refusal != nil ? asking : nil
            }
        }
    }

    private func answer(
        _ route: DeclaredConsoleRoute,
        _ app: AppID,
        _ victim: OperatorID,
        _ browser: inout Browser
    ) async throws -> PageAnswer {
        var path = "/console" + route.path
        path = path.replacing("{app}", with: app.description).replacing("{operator}", with: victim.description)
        while let start = path.firstIndex(of: "{"), let end = path.firstIndex(of: "}") {
            path.replaceSubrange(start...end, with: "unknown")
        }
        if route.method == "GET" { return try await browser.get(path) }
        // A page for its token.
        if browser.token.isEmpty { _ = try await browser.get("/console/login?next=%2Fconsole%2F") }
        if browser.token.isEmpty { _ = try await browser.get("/console/account") }
        return try await browser.post(path)
    }

    private func expect(_ answer: PageAnswer, _ refusal: Int?, _ route: DeclaredConsoleRoute, _ comment: String) {
        // Some forms name their object in a field.
        let named = ["/categories/undefine", "/settings/test-devices/remove"].contains { route.path.hasSuffix($0) }
        let isOfKey = ["/apns/check", "/apns/use", "/apns/discard"].contains { route.path.hasSuffix($0) }
        let hasObject = route.path.replacing("{app}", with: "").contains("{") || named || isOfKey
        let status = answer.status
        switch refusal {
        // A form of a stranger leads to the password; the page is not a redirect, since it holds the form.
        case 303 where status == 200:
            #expect(route.method == "POST" && answer.heading == "Sign in", "\(comment)")
        case 303:
            #expect(status == 303 && answer.location?.hasPrefix("/console/login") == true, "\(comment)")
        case let refusal?: #expect(status == refusal, "\(comment)")
        case nil:
            // 409: there are no recovery codes to replace. 429: so many wrong passwords in a row.
            let allowed: Set = hasObject ? [200, 303, 404, 410, 422] : [200, 303, 409, 422, 429]
            #expect(allowed.contains(status), "\(comment)")
        }
    }

    @Test("K-16 Without the second factor each route leads to it, and does nothing", arguments: [true, false])
    func halfSignedIn(_ isEnrolled: Bool) async throws {
        var options = ConsoleWorld.Options()
        options.secondFactorFrom = .sender
        try await ConsoleWorld.run(options) { world in
            let ana = try await world.makeAdmin()
            let app = try await world.makeApp()
            let victim = try await world.makeOperator("victim@example.org", OperatorRoles(everywhere: .viewer))
            let invitation = OperatorInvitation(address: "eve@example.org", roles: OperatorRoles(everywhere: .admin))
            let link = try await world.engine.operators.invite(invitation, by: .server).value.link
            let eve = try await world.engine.operators.acceptInvitation(
                link.path.split(separator: "/").last.map(String.init) ?? "",
                displayName: nil,
                password: ConsoleWorld.password,
                by: ConsoleWorld.caller
            )
            var browser = isEnrolled ? try await world.signIn(ana) : world.browser()
            if !isEnrolled { browser.session = eve.value }
            let step = isEnrolled ? "/console/login/code" : "/console/login/second-factor"
            #expect(try await browser.get(step).status == 200)
            let before = try await world.engine.operators.list(after: nil, limit: 10).items

            for route in world.console.declaredRoutes where route.access != .open {
                let answer = try await answer(route, app.id, victim.id, &browser)
                // A form waits in the page that asks for the code.
                let isHeld = isEnrolled && route.method == "POST"
                #expect(answer.status == (isHeld ? 200 : 303), "\(route.method) \(route.path)")
                let leads = isHeld ? answer.heading == "Enter your code" : answer.location?.hasPrefix(step) == true
                #expect(leads, "\(route.method) \(route.path)")
            }

            #expect(try await world.engine.operators.list(after: nil, limit: 10).items == before)
        }
    }

    @Test("K-16 The routes need the roles of the reference")
    func declared() async throws {
        try await ConsoleWorld.run { world in
            let routes = world.console.declaredRoutes
            #expect(Set(routes.map { $0.method + " " + $0.path }).count == routes.count)
            for route in routes {
                let first = route.path.split(separator: "/").first.map(String.init) ?? ""
                switch first {
                case "login", "logout", "setup", "invite", "reset": #expect(route.access == .open, "\(route.path)")
                // There is no App yet.
                case "apps" where route.path == "/apps/new": #expect(route.access == .everywhere(.admin))
                case "apps":
                    guard case .app(let role) = route.access else {
                        Issue.record("\(route.path) has no role in the App.")
                        continue
                    }
                    // Only who may change something has a form.
                    #expect(route.method == "GET" || role > .viewer, "\(route.path)")
                case "operators", "audit": #expect(route.access == .everywhere(.admin), "\(route.path)")
                case "account": #expect(route.access == .signedIn, "\(route.path)")
                case "": #expect(route.access == .anywhere(.viewer))
                default: #expect(route.access != .open && route.access != .signedIn, "\(route.path)")
                }
            }
        }
    }

    @Test("K-17 For an Operator of one App another App does not exist")
    func otherApp() async throws {
        try await ConsoleWorld.run { world in
            try await world.makeAdmin()
            let (own, other) = (try await world.makeApp("Own"), try await world.makeApp("Very secret"))
            let roles = OperatorRoles(apps: [OperatorAppRole(app: own.id, role: .admin)])
            let ben = try await world.makeOperator("ben@example.org", roles)
            var browser = world.browser(of: ben)
            let unknown = AppID(rawValue: own.id.rawValue + 1)

            for route in world.console.declaredRoutes where route.path.hasPrefix("/apps/{app}") && route.method == "GET"
            {
                let path = "/console" + route.path.replacing("{app}", with: other.id.description)
                let answer = try await browser.get(path)
                let missing = try await browser.get(path.replacing(other.id.description, with: "\(unknown)"))
                #expect(answer.status == 404, "\(path)")
                #expect(answer.heading == missing.heading, "\(path)")
                #expect(!answer.body.contains("Very secret"), "\(path)")
            }
            let home = try await browser.get("/console/")
            #expect(home.body.contains("Own"))
            #expect(!home.body.contains("Very secret"))
        }
    }

    @Test("K-22 The last admin stays, in whatever order two requests come", arguments: ["", "/disable", "/remove"])
    func lastAdmin(_ action: String) async throws {
        try await ConsoleWorld.run { world in
            let ana = try await world.makeAdmin()
            let ben = try await world.makeOperator("ben@example.org", OperatorRoles(everywhere: .admin))
            let (anas, bens) = (try await page(ana, of: ben, world), try await page(ben, of: ana, world))

            // Each wants to be rid of the other.
            async let one = press(action, ben, anas)
            async let two = press(action, ana, bens)
            let statuses = try await [one, two]

            let left = try await world.engine.operators.list(after: nil, limit: 10).items
            #expect(left.count { $0.role == .admin && $0.state == .active } == 1, "\(statuses)")
            #expect(statuses.count { $0 == 303 } >= 1)
        }
    }

    @Test(
        "K-22 The last admin can be neither demoted nor disabled nor removed",
        arguments: ["", "/disable", "/remove"]
    )
    func onlyAdmin(_ action: String) async throws {
        try await ConsoleWorld.run { world in
            let ana = try await world.makeAdmin()
            var browser = world.browser(of: ana)
            _ = try await browser.get("/console/operators/\(ana.id)")

            let answer = try await browser.post("/console/operators/\(ana.id)\(action)", ["role": "viewer"])

            #expect(answer.status == 409)
            #expect(answer.heading == "Somebody must administer")
            let record = try await world.engine.operators.record(ana.id)
            #expect(record.role == .admin)
            #expect(record.state == .active)
        }
    }

    private func page(_ person: Person, of other: Person, _ world: ConsoleWorld) async throws -> Browser {
        var browser = try await world.signIn(person)
        _ = try await browser.get("/console/operators/\(other.id)")
        return browser
    }

    private func press(_ action: String, _ person: Person, _ browser: Browser) async throws -> Int {
        var browser = browser
        let path = "/console/operators/\(person.id)" + action
        return try await browser.post(path, ["role": "viewer"]).status
    }
}

extension RoleTests {
    @Test("K-16 A refusal says what was refused, which role may, and who has it, to Operators of the App alone")
    func refusalNames() async throws {
        try await ConsoleWorld.run { world in
            let ana = try await world.makeAdmin()
            let (own, other) = (try await world.makeApp("Own"), try await world.makeApp("Other"))
            func roles(_ app: App, _ role: OperatorRole) -> OperatorRoles {
                OperatorRoles(apps: [OperatorAppRole(app: app.id, role: role)])
            }
            let viewer = try await world.makeOperator("vic@example.org", roles(own, .viewer))
            let admin = try await world.makeOperator("adam@example.org", roles(own, .admin))
            let stranger = try await world.makeOperator("olga@example.org", roles(other, .admin))
            for (person, name) in [(ana, "Ana"), (admin, "Adam"), (stranger, "Olga")] {
                var browser = world.browser(of: person)
                _ = try await browser.get("/console/account")
                _ = try await browser.post("/console/account", ["displayName": name])
            }
            var browser = world.browser(of: viewer)

            let path = "/console/apps/\(own.id)/users/ann/erase"
            let refused = try await browser.get(path)
            #expect(refused.status == 403)
            #expect(refused.body.contains("<code>GET \(path)</code>"))
            #expect(refused.body.contains("It needs the role Admin."))
            #expect(refused.body.contains("<dd>Ana, Adam</dd>") || refused.body.contains("<dd>Adam, Ana</dd>"))
            #expect(!refused.body.contains("Olga"))
            // What concerns the server names nobody to who has no role in it.
            let server = try await browser.get("/console/operators")
            #expect(server.status == 403 && server.body.contains("<code>GET /console/operators</code>"))
            #expect(!server.body.contains("Ana") && !server.body.contains("Olga"))
            let missing = try await browser.get("/console/apps/\(other.id)/users/ann/erase")
            #expect(missing.status == 404 && !missing.body.contains("Olga"))
        }
    }
}
