package import CarillonModel
package import CarillonOperatorModel
import Foundation

/// A filter of Devices by the time of their consent to ads.
package struct OldConsentQuery: Hashable, Sendable {
    package var app: AppID
    /// Given at this time or later; `nil` for any time.
    package var from: Timestamp?
    /// Given before this time.
    package var until: Timestamp
    /// Only Devices after this number.
    package var after: DeviceNumber

    package init(app: AppID, from: Timestamp?, until: Timestamp, after: DeviceNumber) {
        self.app = app
        self.from = from
        self.until = until
        self.after = after
    }
}

/// A part of a list, with the position that the read reached.
package struct OldConsentPart: Hashable, Sendable {
    package var rows: [OldConsent]
    /// The last number that was read; `nil` at the end of the list.
    package var last: DeviceNumber?

    package init(rows: [OldConsent], last: DeviceNumber?) {
        self.rows = rows
        self.last = last
    }
}

/// Reads people's consent decisions.
package protocol ConsentStore: Sendable {
    /// Returns the decisions on a Device since it has its User, the latest first.
    ///
    /// - Returns: `nil` when there is no such Device.
    func history(of device: DeviceID, app: AppID, limit: Int) async throws(StoreError) -> ConsentHistory?

    /// Returns Devices whose consent to ads was given in a range of time, ordered by number.
    ///
    /// One call does bounded work, so a part without rows need not be the last.
    func oldConsents(_ query: OldConsentQuery, limit: Int) async throws(StoreError) -> OldConsentPart
}

/// People's decisions about ads, for Apps that must show and reconfirm them.
package struct ConsentRecords: Sendable {
    /// Maximum number of decisions per Device.
    private static let maximumHistory = 1_000
    /// Maximum number of rows of a page.
    package static let maximumPage = 1_000
    /// Korean law requires consent to be reconfirmed after this many years.
    private static let confirmationYears = 2

    private let store: any ConsentStore
    private let clock: any WallClock

    /// Creates the service.
    ///
    /// - Parameters:
    ///   - store: Reads decisions.
    ///   - clock: The wall clock.
    package init(store: any ConsentStore, clock: any WallClock) {
        self.store = store
        self.clock = clock
    }

    /// Returns the decisions on a Device since it has its User.
    ///
    /// - Throws: ``EngineError/notFound(_:)``.
    package func history(of device: DeviceID, app: AppID) async throws(EngineError) -> ConsentHistory {
        let found = try await stored(try await store.history(of: device, app: app, limit: Self.maximumHistory))
        guard let found else { throw .notFound(.device) }
        return found
    }

    /// Returns Devices whose consent to ads has to be reconfirmed: by default, consents given two full years ago or
    /// earlier.
    ///
    /// - Parameters:
    ///   - app: The App.
    ///   - from: Given at this time or later; `nil` for any time.
    ///   - until: Given before this time; `nil` for consents that are two full years old now.
    ///   - cursor: The cursor of the page before; `nil` for the first.
    ///   - limit: 1 through 1,000; other values are clamped.
    /// - Returns: A page in the order in which the Devices registered; it may be short, even empty, before the last.
    /// - Throws: ``EngineError/invalid(_:)`` for an invalid cursor.
    package func oldAdConsents(
        app: AppID,
        from: Timestamp?,
        until: Timestamp?,
        cursor: String?,
        limit: Int
    ) async throws(EngineError) -> Page<OldConsent> {
        let after = try DeviceNumber.position(of: cursor)
        let query = OldConsentQuery(
            app: app,
            from: from,
            until: until ?? Timestamp(rawValue: Self.dueTime(at: clock.now()).rawValue + 1),
            after: after
        )
        let part = try await stored(try await store.oldConsents(query, limit: min(max(1, limit), Self.maximumPage)))
        return Page(items: part.rows, nextCursor: part.last?.cursor)
    }

    /// The latest time of a consent that is two full years old, by the calendar in UTC: a consent of 29 February is two
    /// years old on 1 March.
    package static func dueTime(at now: Timestamp) -> Timestamp {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = .gmt
        let date = Date(timeIntervalSince1970: Double(now.rawValue) / 1_000)
        let then = calendar.date(byAdding: .year, value: -confirmationYears, to: date) ?? date
        return Timestamp(rawValue: Int64((then.timeIntervalSince1970 * 1_000).rounded()))
    }
}
