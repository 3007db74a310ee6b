import CarillonContentSets
import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import Foundation
import Logging
import StoreErrors

/// Alerts about all rows of a day, together.
extension ContentAlerts {
    private static let bundlesAtOnce = 20
    private static let rowsRead = 20_000
    /// The Campaigns of one bundle that are made before runs have their turn.
    private static let campaignsAtOnce = 20

    /// Notifies Users of bundles that are due.
    ///
    /// - Returns: Whether any went out: those of one table do not wait for another one's.
    func sendBundles() async throws(StoreError) -> Bool {
        let due = try await store.dueBundles(at: clock.now(), limit: Self.bundlesAtOnce)
        var hasSent = false
        for bundles in due where !isStopping {
            do throws(StoreError) {
                try await send(bundles)
                hasSent = true
            } catch {
                logger.info(
                    "The store failed; bundles go out later",
                    metadata: ["carillon.content-set": "\(bundles.set)", "carillon.error": "\(error)"]
                )
            }
        }
        return hasSent
    }

    private func send(_ bundles: DueBundles) async throws(StoreError) {
        for _ in 0..<Self.campaignsAtOnce where !isStopping {
            let rows = try await store.bundledRows(of: bundles, limit: Self.rowsRead)
            let isAll = rows.count < Self.rowsRead
            guard let batch = BundleBatch(rows, isAll: isAll, userLimit: options.recipients) else {
                let alert = try await store.alert(bundles.table, of: bundles.set, app: bundles.app)
                if let alert { await end(bundles.batch, of: alert) }
                return
            }
            try await send(batch, of: bundles)
        }
    }

    /// Makes a Campaign of some Users' bundles, or drops them.
    private func send(_ batch: BundleBatch, of bundles: DueBundles) async throws(StoreError) {
        guard let alert = try await store.alert(bundles.table, of: bundles.set, app: bundles.app),
            alert.settings.isActive, let content = try await contentSet(bundles.set, bundles.app),
            let table = content.versions[bundles.table]?.table
        else { return try await store.dropBundles(of: bundles, through: batch.last) }
        let zone = TimeZone(identifier: content.definition.timeZone) ?? .gmt
        let texts = AlertTexts(table: table, zone: zone)
        let template = alert.settings.bundleTemplate ?? alert.settings.template
        var request = request(alert, template, "\(bundles.set) \(bundles.dueAt)")
        let documents = try await documents(Set(batch.rows.values.joined()), bundles)
        do throws(EngineError) {
            let places = try await campaigns.recipientPlaces(of: request, app: bundles.app)
            let recipients = batch.users.compactMap { user -> CampaignRecipient? in
                // What is gone meanwhile is no news.
                let there = (batch.rows[user] ?? []).compactMap { documents[$0] }
                guard let first = there.first else { return nil }
                return CampaignRecipient(user: user, values: texts.values(of: first, count: there.count, for: places))
            }
            guard !recipients.isEmpty else {
                return try await engineResult(try await store.dropBundles(of: bundles, through: batch.last))
            }
            (request.recipients, request.audience) = (recipients, .users(recipients.map(\.user)))
            _ = try await campaigns.create(app: bundles.app, request, advancing: batch.step(of: bundles))
            await succeed(alert, bundles.batch)
        } catch {
            try await note(error, alert, bundles.batch)
            try await store.dropBundles(of: bundles, through: batch.last)
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

    /// Runs a call of the store where errors are the engine's.
    private func engineResult(_ body: @autoclosure () async throws(StoreError) -> Void) async throws(EngineError) {
        do throws(StoreError) {
            try await body()
        } catch {
            throw .store(error)
        }
    }
}

extension DueBundles {
    fileprivate var batch: ContentAlert.Batch { .bundles(dueAt: dueAt) }
}

/// Rows of which one Campaign notifies: those of some Users, of each all, unless one alone has more than were read.
private struct BundleBatch {
    /// In the order of the rows.
    private(set) var users: [UserID] = []
    private(set) var rows: [UserID: [String]] = [:]
    private(set) var last: BundledRow
    private var rowCount = 0

    /// - Returns: `nil` when there is no row.
    init?(_ read: [BundledRow], isAll: Bool, userLimit: Int) {
        guard let first = read.first, let end = read.last else { return nil }
        last = first
        // The last User may have more rows than were read: those wait for the others of theirs.
        let isCutOff = !isAll && first.user != end.user
        for row in read where !isCutOff || row.user != end.user {
            if rows[row.user] == nil {
                guard users.count < userLimit else { break }
                users.append(row.user)
            }
            rows[row.user, default: []].append(row.row)
            rowCount += 1
            last = row
        }
    }

    func step(of bundles: DueBundles) -> ContentAlertStep {
        ContentAlertStep(
            set: bundles.set,
            table: bundles.table,
            progress: .bundles(dueAt: bundles.dueAt, through: last.user, row: last.row, rowCount: rowCount)
        )
    }
}
