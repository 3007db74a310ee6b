import CarillonEngine
import CarillonModel
import CarillonOperatorModel

/// The pages of an App that read what the engine has.
enum AppPages {
    static func declare(_ routes: inout ConsoleRoutes) {
        declareOverview(&routes)
        declareCampaigns(&routes)
        CampaignPage.declare(&routes)
        declareDevices(&routes)
        declareUsers(&routes)
        declareStatistics(&routes)
        WebhookPages.declare(&routes)
    }

    private static func declareOverview(_ routes: inout ConsoleRoutes) {
        routes.page("/apps/{app}", .app(.viewer)) { visit in
            let model = try await Overview.read(try visit.app, zone: visit.times.zoneName, visit.engine)
            return .page(OverviewView(model, as: visit.role ?? .viewer, visit.look))
        }
    }

    private static func declareCampaigns(_ routes: inout ConsoleRoutes) {
        routes.page("/apps/{app}/campaigns", .app(.viewer)) { visit in
            let (app, query) = (try visit.app.id, CampaignsQuery(visit.query))
            let page = try await query.read(of: app, visit.engine)
            return .page(CampaignsView(page, query, of: app, mayEdit: visit.may(.editor), visit.look))
        }
    }

    private static func declareDevices(_ routes: inout ConsoleRoutes) {
        routes.page("/apps/{app}/devices", .app(.viewer)) { visit in
            let app = try visit.app.id
            let model = try await DeviceList.read(DeviceList.Query(visit.query), of: app, visit.engine)
            return .page(DevicesView(model, of: app, visit.look))
        }
        routes.page("/apps/{app}/devices/{device}", .app(.viewer)) { visit in
            let device = try visit.parameter("device") { DeviceID($0) }
            return .page(
                DeviceView(
                    try await DevicePage.read(device, of: try visit.app.id, Timeline.Query(visit.query), visit.engine),
                    role: visit.role ?? .viewer,
                    visit.look
                )
            )
        }
    }

    private static func declareUsers(_ routes: inout ConsoleRoutes) {
        routes.page("/apps/{app}/users", .app(.viewer)) { visit in
            let (app, query) = (try visit.app.id, UserList.Query(visit.query))
            return .page(UsersView(try await UserList.read(query, of: app, visit.engine), query, of: app, visit.look))
        }
        routes.page("/apps/{app}/users/{user}", .app(.viewer)) { visit in
            let (app, user) = (try visit.app.id, try visit.parameter("user") { UserID(rawValue: $0) })
            let model = try await UserPage.read(user, of: app, visit.query, visit.engine)
            return .page(UserView(model, of: app, role: visit.role ?? .viewer, visit.look))
        }
    }

    private static func declareStatistics(_ routes: inout ConsoleRoutes) {
        routes.page("/apps/{app}/statistics", .app(.viewer)) { visit in
            let (app, query) = (try visit.app.id, StatisticsPage.Query(visit.query))
            let series = try await StatisticsPage.read(query, of: app, zone: visit.times.zoneName, visit.engine)
            let keys = try await visit.engine.statistics.keys(app: app, after: nil, limit: StatisticsPage.keyCount)
            return .page(StatisticsView(series, query, keys: keys.items, of: app, visit.look))
        }
        // Sums alone, which the page has too: nobody is asked again who is there.
        routes.page("/apps/{app}/statistics.csv", .app(.viewer)) { visit in
            visit.audit.require()
            let query = StatisticsPage.Query(visit.query)
            let series = try await StatisticsPage.read(
                query,
                of: try visit.app.id,
                zone: visit.times.zoneName,
                visit.engine
            )
            let lines = StatisticsPage.report(series, visit.look)
            return .download(name: "statistics.csv", type: CSVText.type, CSVText.body(lines))
        }
    }
}

/// The pages of the whole server.
enum ServerPages {
    static func declare(_ routes: inout ConsoleRoutes, _ report: @escaping @Sendable () async -> NodeReport) {
        routes.page("/system", .everywhere(.viewer)) { visit in
            let model = try await SystemPage.read(await report(), visit.engine)
            return .page(SystemView(model, mayAct: visit.may(.admin), visit.look))
        }
        SystemNodePage.declare(&routes)
        LivePages.declare(&routes, report)
        routes.page("/audit", .everywhere(.admin)) { visit in
            let query = AuditPage.Query(visit.query)
            let entries = try await AuditPage.read(query, zone: visit.times.zoneName, visit.engine)
            return .page(AuditView(entries, query, visit.look))
        }
        // The file leaves the server, so that it is asked for again who is there.
        routes.page("/audit.csv", .everywhere(.admin), fresh: true) { visit in
            visit.audit.require()
            let body = AuditPage.export(AuditPage.Query(visit.query), zone: visit.times.zoneName, visit.engine)
            return .download(name: "audit.csv", type: CSVText.type, body)
        }
    }
}
