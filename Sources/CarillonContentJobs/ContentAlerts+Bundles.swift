import CarillonContentSets
import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import Foundation
import Logging
import StoreErrors

/// Rows that are told once a day, together; and what all alerts share.
extension ContentAlerts {
    private static let bundlesAtOnce = 20
    private static let rowsRead = 20_000

    /// Tells of all bundles that are due.
    ///
    /// - Returns: Whether there were any.
    func tellBundles() async throws(StoreError) -> Bool {
        let due = try await store.dueBundles(at: clock.now(), limit: Self.bundlesAtOnce)
        for bundles in due where !isStopping { try await tell(bundles) }
        return !due.isEmpty
    }

    private func tell(_ bundles: DueBundles) async throws(StoreError) {
        while !isStopping {
            let rows = try await store.bundledRows(of: bundles, limit: Self.rowsRead)
            guard let last = rows.last?.user else { return }
            var users = Dictionary(grouping: rows, by: \.user)
            // The last one may have more rows than were read.
            if rows.count == Self.rowsRead, users.count > 1 { users[last] = nil }
            let told = users.keys.sorted { $0.rawValue.utf8.lexicographicallyPrecedes($1.rawValue.utf8) }
                .prefix(options.recipients)
            guard let end = told.last, try await tell(Array(told), users, of: bundles, through: end) else { return }
        }
    }

    /// Makes a Campaign of some Users' bundles.
    ///
    /// - Returns: Whether the next Users may be told.
    private func tell(
        _ users: [UserID],
        _ rows: [UserID: [BundledRow]],
        of bundles: DueBundles,
        through end: UserID
    ) async throws(StoreError) -> Bool {
        guard let alert = try await store.alert(bundles.table, of: bundles.set, app: bundles.app),
            let content = try? await sets.set(bundles.set, app: bundles.app),
            let table = content.versions[bundles.table]?.table
        else {
            try await store.dropBundles(of: bundles, through: end)
            return true
        }
        let zone = TimeZone(identifier: content.definition.timeZone) ?? .gmt
        let texts = AlertTexts(table: table, zone: zone)
        let template = alert.settings.bundleTemplate ?? alert.settings.template
        var request = request(alert, template, "\(bundles.set) \(bundles.dueAt)")
        let documents = try await documents(Set(rows.values.joined().map(\.row)), bundles)
        do throws(EngineError) {
            let places = try await campaigns.recipientPlaces(of: request, app: bundles.app)
            let recipients = users.compactMap { user -> CampaignRecipient? in
                // What is gone meanwhile is no news.
                let there = (rows[user] ?? []).compactMap { documents[$0.row] }
                guard let first = there.first else { return nil }
                return CampaignRecipient(user: user, values: texts.values(of: first, count: there.count, for: places))
            }
            guard !recipients.isEmpty else {
                try await kept(try await store.dropBundles(of: bundles, through: end))
                return true
            }
            (request.recipients, request.audience) = (recipients, .users(recipients.map(\.user)))
            let count = users.reduce(0) { $0 + (rows[$1]?.count ?? 0) }
            let step = ContentAlertStep(
                set: bundles.set,
                table: bundles.table,
                progress: .bundles(dueAt: bundles.dueAt, through: end, rowCount: count)
            )
            _ = try await campaigns.create(app: bundles.app, request, taking: step)
            await succeed(alert)
            return true
        } catch {
            try await note(error, alert)
            try await store.dropBundles(of: bundles, through: end)
            return true
        }
    }

    /// The rows of some keys that are there now.
    private func documents(_ keys: Set<String>, _ bundles: DueBundles) async throws(StoreError) -> [String: String] {
        var documents: [String: String] = [:]
        let keys = keys.sorted()
        let step = ContentQuery.Equality.maximumValueCount
        for start in stride(from: 0, to: keys.count, by: step) {
            do throws(ContentSetError) {
                let set = try await sets.set(bundles.set, app: bundles.app)
                guard let table = set.versions[bundles.table]?.table else { return documents }
                var query = ContentQuery()
                query.equalities = [
                    .init(field: table.key, values: Array(keys[start..<min(start + step, keys.count)]))
                ]
                query.limit = step
                let page = try await sets.page(query, table: bundles.table, of: bundles.set, app: bundles.app)
                for item in page.items {
                    if let key = FollowedRow(item.document, of: table)?.key { documents[key] = item.document }
                }
            } catch {
                if case .store(let failure) = error { throw failure }
                return documents
            }
        }
        return documents
    }

    // MARK: - What all alerts share

    func zone(of set: String, _ app: AppID) async throws(StoreError) -> TimeZone {
        do throws(ContentSetError) {
            return TimeZone(identifier: try await sets.set(set, app: app).definition.timeZone) ?? .gmt
        } catch {
            if case .store(let failure) = error { throw failure }
            return .gmt
        }
    }

    /// A Campaign's request without those whom it is for.
    func request(_ alert: ContentAlert, _ template: String, _ name: String) -> CampaignRequest {
        var request = CampaignRequest(audience: .all, template: TemplateID(template))
        request.name = String("Content \(name)".prefix(200))
        request.isAd = alert.settings.isAd
        request.statisticsID = alert.settings.statisticsID.flatMap { StatisticsID($0) }
        return request
    }

    /// Runs a call of the store where errors are the engine's.
    private func kept(_ body: @autoclosure () async throws(StoreError) -> Void) async throws(EngineError) {
        do throws(StoreError) {
            try await body()
        } catch {
            throw .store(error)
        }
    }

    func succeed(_ alert: ContentAlert) async {
        figures.countAlertCampaign()
        var state = ContentAlert.State()
        state.campaignAt = clock.now()
        let new = state
        do throws(StoreError) {
            try await store.saveState(new, of: alert)
        } catch {
            // The Campaign is there; the state is only shown.
            logger.info("The store failed; an alert's state is old", metadata: ["carillon.error": "\(error)"])
        }
    }

    /// Notes why rows could not be told; errors of the store are thrown, and the rows are told later.
    func note(_ error: EngineError, _ alert: ContentAlert) async throws(StoreError) {
        if case .store(let failure) = error { throw failure }
        let first = error.fieldErrors.first.map { "\($0.field) \($0.problem)" }
        try await fail(alert, first ?? "The Campaign is refused: \(error).")
    }

    func fail(_ alert: ContentAlert, _ problem: String) async throws(StoreError) {
        figures.countAlertFailure()
        logger.warning(
            "New rows of a content set cannot be told",
            metadata: [
                "carillon.app": "\(alert.app)", "carillon.content-set": "\(alert.set)",
                "carillon.table": "\(alert.table)", "carillon.problem": "\(problem)",
            ]
        )
        var state = alert.state
        (state.problem, state.problemAt) = (problem, clock.now())
        try await store.saveState(state, of: alert)
    }
}

extension CampaignRequest {
    /// A request with the message of a template.
    fileprivate init(audience: Audience, template: TemplateID?) {
        self.init(audience: audience, message: Message(content: [:]))
        self.template = template
    }
}
