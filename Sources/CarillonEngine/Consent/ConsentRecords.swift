package import CarillonModel
package import CarillonOperatorModel
import Foundation

/// Which Devices' consent to ads is looked for.
package struct OldConsentQuery: Hashable, Sendable {
    package var app: AppID
    /// Given at this time or later; `nil` for any time.
    package var from: Timestamp?
    /// Given at this time or earlier.
    package var through: Timestamp
    /// Only Devices after this number.
    package var after: DeviceNumber

    package init(app: AppID, from: Timestamp?, through: Timestamp, after: DeviceNumber) {
        self.app = app
        self.from = from
        self.through = through
        self.after = after
    }
}

/// A part of a list, as far as one read came.
package struct OldConsentPart: Hashable, Sendable {
    package var rows: [OldConsent]
    /// The last number that was looked at; `nil` at the end of the list.
    package var last: DeviceNumber?

    package init(rows: [OldConsent], last: DeviceNumber?) {
        self.rows = rows
        self.last = last
    }
}

/// Reads what people decided.
package protocol ConsentStore: Sendable {
    /// What was decided on a Device since it has its User, the latest first.
    ///
    /// - Returns: `nil` when there is no such Device.
    func history(of device: DeviceID, app: AppID, limit: Int) async throws(StoreError) -> ConsentHistory?

    /// Devices whose consent to ads is of some age, in the order of their numbers.
    ///
    /// The work of one call is bounded, so that a part may have no rows and yet not be the last.
    func oldConsents(_ query: OldConsentQuery, limit: Int) async throws(StoreError) -> OldConsentPart
}

/// What people decided about ads, for those who must show it and ask again.
package struct ConsentRecords: Sendable {
    /// The most decisions of one Device that are shown.
    private static let maximumHistory = 1_000
    /// The most rows of a page.
    package static let maximumPage = 1_000
    /// After so many years Korean law wants consent to be confirmed.
    private static let confirmationYears = 2

    private let store: any ConsentStore
    private let clock: any WallClock

    /// Makes the service.
    ///
    /// - Parameters:
    ///   - store: Reads what people decided.
    ///   - clock: The wall clock.
    package init(store: any ConsentStore, clock: any WallClock) {
        self.store = store
        self.clock = clock
    }

    /// What was decided on a Device since it has its User.
    ///
    /// - Throws: ``EngineError/notFound(_:)``.
    package func history(of device: DeviceID, app: AppID) async throws(EngineError) -> ConsentHistory {
        let found = try await stored(try await store.history(of: device, app: app, limit: Self.maximumHistory))
        guard let found else { throw .notFound(.device) }
        return found
    }

    /// Devices whose consent to ads is to be confirmed: by default those that gave it two full years ago or earlier.
    ///
    /// - Parameters:
    ///   - app: Whose.
    ///   - from: Given at this time or later; `nil` for any time.
    ///   - through: Given at this time or earlier; `nil` for two years ago.
    ///   - cursor: What the last page gave; `nil` for the first.
    ///   - limit: 1 through 1,000; others are brought into that range.
    /// - Returns: A page in the order in which the Devices registered. A page may be short, even empty, before the last.
    /// - Throws: ``EngineError/invalid(_:)`` for a cursor that no page gave.
    package func oldAdConsents(
        app: AppID,
        from: Timestamp?,
        through: Timestamp?,
        cursor: String?,
        limit: Int
    ) async throws(EngineError) -> Page<OldConsent> {
        var after = DeviceNumber(rawValue: -1)
        if let cursor {
            guard cursor.utf8.count <= 16, let number = Int64(cursor, radix: 36), number >= 0 else {
                throw .invalid(FieldError(field: "cursor", problem: "must be the nextCursor of a page"))
            }
            after = DeviceNumber(rawValue: number)
        }
        let query = OldConsentQuery(
            app: app,
            from: from,
            through: through ?? Self.dueTime(at: clock.now()),
            after: after
        )
        let part = try await stored(try await store.oldConsents(query, limit: min(max(1, limit), Self.maximumPage)))
        return Page(items: part.rows, nextCursor: part.last.map { String($0.rawValue, radix: 36) })
    }

    /// The latest time at which a consent was given that is two full years old, by the calendar in UTC: what was given
    /// on 29 February is two years old on 1 March.
    package static func dueTime(at now: Timestamp) -> Timestamp {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = .gmt
        let date = Date(timeIntervalSince1970: Double(now.rawValue) / 1_000)
        let then = calendar.date(byAdding: .year, value: -confirmationYears, to: date) ?? date
        return Timestamp(rawValue: Int64((then.timeIntervalSince1970 * 1_000).rounded()))
    }
}
