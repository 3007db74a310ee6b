import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import CarillonSQL

/// A rule that is about to be read in runs of Device numbers.
///
/// A run ends where it has cost enough, whether or not something was found: no read takes long, however many Devices
/// there are and however few match.
package struct AudienceReading {
    /// What a read may cost, in Devices that are only looked at: less than a tenth of a second.
    package static let usualBudget = 100_000
    /// What finding a Device costs that a tag or a label leads to: on PostgreSQL a look-up of its own.
    private let seekCost: Int
    /// What looking up a row costs.
    private static let lookUpCost = 2
    /// How far into each way is looked to choose between them.
    private static let probe = 1_000

    let names: AudienceNames
    private let rule: AudienceRule?
    private let routes: [AudienceRoute]
    /// Users of whom the Device must be one's, beside the rule.
    private let users: SQLValue?
    private let app: AppID
    private let now: Timestamp
    private let budget: Int

    /// Prepares a rule.
    ///
    /// - Parameters:
    ///   - rule: The rule; `nil` for everybody.
    ///   - app: Whose Devices.
    ///   - now: What `now` means in it.
    ///   - budget: What a read may cost.
    ///   - users: A list that is too long to be looked up.
    ///   - connection: Where its names are looked up.
    /// - Throws: ``StoreError``.
    init(
        _ rule: AudienceRule?,
        app: AppID,
        now: Timestamp,
        budget: Int,
        users: AudienceList? = nil,
        in connection: any SQLConnection
    ) throws {
        self.rule = rule
        self.users = users?.values(connection.dialect).value
        self.app = app
        self.now = now
        self.budget = budget
        seekCost = connection.dialect == .sqlite ? 3 : 6
        let names = try AudienceNames(rule, app: app, in: connection)
        self.names = names
        routes = rule.map { AudienceRoute.routes($0, names) } ?? []
    }

    /// The way that leads to the fewest Devices, and the number up to which following it costs no more than the budget.
    func route(
        after: DeviceNumber,
        through: DeviceNumber,
        in connection: any SQLConnection
    ) throws -> (route: AudienceRoute, end: DeviceNumber) {
        guard var best = routes.first else {
            let route = scan
            let count = Int64(rows(of: route, each: 1))
            let end = after.rawValue.addingReportingOverflow(count)
            return (route, end.overflow ? through : min(through, DeviceNumber(rawValue: end.partialValue)))
        }
        if routes.count > 1 {
            var furthest: DeviceNumber?
            for route in routes {
                let end = try connection.audiences.end(of: route, app: app, after: after, count: Self.probe) ?? .last
                if furthest.map({ end > $0 }) ?? true { (best, furthest) = (route, end) }
            }
        }
        let end = try connection.audiences.end(of: best, app: app, after: after, count: rows(of: best, each: seekCost))
        return (best, min(end ?? through, through))
    }

    /// The statement that reads a way's Devices; `nil` when there are none.
    func statement(
        _ route: AudienceRoute,
        _ columns: AudienceStatement.Columns,
        _ dialect: Dialect
    ) -> ComposedSQL? {
        route.driver == .runs([])
            ? nil : AudienceStatement.reading(route, columns, names: names, now: now, dialect: dialect)
    }

    /// The statement that reads Devices whose numbers are known.
    func statement(
        of numbers: [DeviceNumber],
        _ columns: AudienceStatement.Columns,
        _ dialect: Dialect
    ) -> ComposedSQL {
        let list = SQLList(numbers.lazy.map(\.rawValue), dialect).value
        let route = AudienceRoute(driver: .numbers(list), filters: rule?.conjuncts ?? [])
        return AudienceStatement.reading(route, columns, names: names, now: now, dialect: dialect)
    }

    private var scan: AudienceRoute {
        AudienceRoute(driver: .scan, filters: rule?.conjuncts ?? [], users: users)
    }

    /// How many Devices may be looked at.
    private func rows(of route: AudienceRoute, each cost: Int) -> Int {
        let lookUps = route.filters.reduce(0) { $0 + $1.cost(names) }
        return max(1, budget / 200, budget / (cost + Self.lookUpCost * lookUps))
    }
}

extension DeviceNumber {
    fileprivate static let last = DeviceNumber(rawValue: .max)
}

extension AudienceTable {
    /// The number of the Device that comes so many rows after one, in the run where it comes first; `nil` when no run
    /// has so many.
    fileprivate func end(
        of route: AudienceRoute,
        app: AppID,
        after: DeviceNumber,
        count: Int
    ) throws -> DeviceNumber? {
        guard case .runs(let runs) = route.driver else { return nil }
        var end: DeviceNumber?
        for run in runs {
            let sql: SQL =
                switch run.table {
                case .tags:
                    """
                    SELECT device_number FROM device_tags WHERE app_id = $1 AND tag = $2 AND device_number > $3
                    ORDER BY device_number LIMIT 1 OFFSET $4
                    """
                case .categories:
                    """
                    SELECT device_number FROM device_categories WHERE app_id = $1 AND label = $2 AND device_number > $3
                    ORDER BY device_number LIMIT 1 OFFSET $4
                    """
                }
            let offset = max(1, count / runs.count) - 1
            let found = try connection.first(sql, app, run.label, after, offset, as: DeviceNumber.self)
            if let found { end = end.map { min($0, found) } ?? found }
        }
        return end
    }
}
