import CarillonEngine
import CarillonModel
import CarillonOperatorModel

extension Console {
    /// What a page has around its own part.
    ///
    /// - Parameters:
    ///   - view: The page's own part.
    ///   - value: The value of the session's cookie.
    ///   - look: How it looks.
    ///   - call: The request.
    ///   - hasProblems: Whether the page is a form with problems.
    /// - Returns: The values for the layout.
    /// - Throws: ``EngineError/store(_:)``.
    func document(
        _ view: any PageView,
        _ value: String,
        _ look: Look,
        _ call: ConsoleCall,
        hasProblems: Bool
    ) async throws -> Document.Page {
        let texts = look.texts
        let session = call.session.flatMap { $0.stage == .full ? $0 : nil }
        let app = session == nil ? nil : call.app
        let apps = try await switcher(session, app)
        let notice = call.cookies.notice(call.request.cookies)
        let environment = look.isSandbox ? "sandbox" : "production"
        let maySend = app.flatMap { session?.role(in: $0.id) }.map { $0 >= .sender } ?? false
        return Document.Page(
            language: look.language.rawValue,
            theme: look.theme.rawValue,
            title: title(view.heading, app, texts, hasProblems),
            heading: view.heading,
            style: assets.style,
            script: assets.script,
            icon: assets.icon,
            csrf: SessionValue.csrfToken(of: value),
            path: Self.prefix + call.request.path,
            hasProblems: hasProblems,
            notice: notice.map { texts($0.key, $0.parameters) },
            app: app.map { Document.AppLink(name: $0.name, path: ConsolePath.app($0.id), isCurrent: true) },
            hasApps: !apps.isEmpty,
            apps: apps,
            searchPath: session == nil ? nil : app.map { ConsolePath.app($0.id, "search") } ?? Self.prefix + "/search",
            appPath: app.map { ConsolePath.app($0.id) },
            paused: await PausedBanner(app, maySend: maySend, look, engine),
            pausePath: app.flatMap { app in
                maySend && app.sendingPausedAt == nil ? ConsolePath.app(app.id, "pause-sending") : nil
            },
            alarms: try await alarms(of: app, look),
            environment: session == nil ? nil : environment,
            environmentText: session == nil ? nil : texts.word("layout", environment),
            sandboxWord: app != nil && look.isSandbox ? texts("layout.sandbox") : nil,
            hasNavigation: session != nil,
            links: app.map { links($0, session, call, texts) } ?? [],
            serverLinks: session.map { serverLinks($0, call, texts) } ?? [],
            person: session.map { Document.Person(name: $0.owner.displayName, address: $0.owner.address) },
            sessionEnd: session.map { Document.SessionEnd($0, at: engine.context.clock.now()) },
            zone: texts("layout.zone", ["zone": look.times.zoneText(at: engine.context.clock.now())]),
            isPlain: !call.request.origin.isEncrypted && !call.request.origin.isLoopback
        )
    }

    // MARK: - Private

    private func title(_ heading: String, _ app: App?, _ texts: Texts, _ hasProblems: Bool) -> String {
        let title =
            app.map { texts("layout.titleOfApp", ["page": heading, "app": $0.name]) }
            ?? texts("layout.title", ["page": heading])
        return hasProblems ? texts("layout.problemTitle", ["title": title]) : title
    }

    /// The Apps that the Operator may choose; at most 20; the page of all Apps has more.
    private func switcher(_ session: OperatorSession?, _ current: App?) async throws -> [Document.AppLink] {
        guard let session else { return [] }
        let model = try await Home.read(engine, session.owner.roles, after: nil, limit: 20)
        return model.apps.map {
            Document.AppLink(name: $0.name, path: ConsolePath.app($0.id), isCurrent: $0.id == current?.id)
        }
    }

    /// What stops an App's sending; each page of it tells.
    private func alarms(of app: App?, _ look: Look) async throws -> [Document.Alarm] {
        guard let app else { return [] }
        let words = CampaignText(look: look)
        let halted = try await engine.campaigns.halted(app: app.id, limit: 3).map { campaign in
            let reason = ReasonView(alarm: campaign.alarm ?? "", look)
            return Document.Alarm(
                alarmPath: AppPath(app: app.id).campaign(campaign.id),
                alarmTitle: look.texts("layout.halted", ["reason": reason.reasonMeaning ?? reason.reason]),
                alarmName: words.name(campaign)
            )
        }
        return try await keyAlarm(of: app, look) + webhookAlarms(of: app, look) + halted
    }

    /// Webhooks that the server disabled because their addresses failed for a day.
    private func webhookAlarms(of app: App, _ look: Look) async throws -> [Document.Alarm] {
        try await WebhookList.read(of: app.id, engine).filter { $0.state == .disabled && $0.alarm != nil }.map {
            Document.Alarm(
                alarmPath: AppPath(app: app.id).webhook($0.id),
                alarmTitle: look.texts("webhook.alarm"),
                alarmName: $0.url.shortened(ends: 24)
            )
        }
    }

    /// What the last check of the push key found, unless it is healthy.
    private func keyAlarm(of app: App, _ look: Look) async throws -> [Document.Alarm] {
        guard app.hasPushKey, let check = try await engine.pushKeys.lastCheck(of: app.id) else { return [] }
        guard check.state != .healthy, check.state != .busy else { return [] }
        let alarm = Document.Alarm(
            alarmPath: SettingsTab.apns.path(of: app.id),
            alarmTitle: look.texts.word("pushKey.state", check.state.rawValue),
            alarmName: look.texts("apns.alarm")
        )
        return [alarm]
    }

    /// The pages of an App that there are: a route of a page that is declared appears here by itself.
    private func links(
        _ app: App,
        _ session: OperatorSession?,
        _ call: ConsoleCall,
        _ texts: Texts
    ) -> [Document.Link] {
        let names = [
            ("", "overview"), ("campaigns", "campaigns"), ("audiences", "audiences"), ("tags", "tags"),
            ("templates", "templates"), ("categories", "categories"), ("devices", "devices"), ("users", "users"),
            ("content-sets", "contentSets"), ("surveys", "surveys"), ("statistics", "statistics"),
            ("settings/general", "settings"),
        ]
        return names.compactMap { path, key in
            let pattern = path.isEmpty ? "/apps/{app}" : "/apps/{app}/\(path)"
            guard let route = routes.all.first(where: { $0.declared.path == pattern && $0.declared.method == "GET" }),
                let own = session?.role(in: app.id), own >= (route.declared.access.role ?? .viewer)
            else { return nil }
            let address = path.isEmpty ? ConsolePath.app(app.id) : ConsolePath.app(app.id, path)
            return link(address, texts.word("nav", key), call, isExact: path.isEmpty)
        }
    }

    private func serverLinks(_ session: OperatorSession, _ call: ConsoleCall, _ texts: Texts) -> [Document.Link] {
        let names = [
            ("/", "home"), ("/approvals", "approvals"), ("/operators", "operators"), ("/audit", "audit"),
            ("/system", "system"),
        ]
        return names.compactMap { path, key in
            guard let route = routes.all.first(where: { $0.declared.path == path && $0.declared.method == "GET" }),
                Self.opens(route.declared.access, session)
            else { return nil }
            return link(Self.prefix + path, texts.word("nav", key), call, isExact: path == "/")
        }
    }

    private static func opens(_ access: ConsoleAccess, _ session: OperatorSession) -> Bool {
        switch access {
        case .open, .signedIn: true
        case .anywhere(let role): session.owner.roles.greatest.map { $0 >= role } ?? false
        case .everywhere(let role), .app(let role): session.role(in: nil).map { $0 >= role } ?? false
        }
    }

    private func link(_ address: String, _ title: String, _ call: ConsoleCall, isExact: Bool) -> Document.Link {
        let path = Self.prefix + call.request.path
        // All pages of settings belong to the first one.
        let prefix = address.hasSuffix("/settings/general") ? String(address.dropLast("general".count)) : address + "/"
        let isCurrent = path == address || !isExact && path.hasPrefix(prefix)
        return Document.Link(title: title, path: address, isCurrent: isCurrent)
    }
}

extension Document.SessionEnd {
    init(_ session: OperatorSession, at now: Timestamp) {
        isFinal = session.expiresAt <= session.idleAt
        left = max(0, (min(session.expiresAt, session.idleAt).rawValue - now.rawValue) / 1_000)
    }
}
