package import CarillonModel
package import CarillonOperatorModel
import Foundation

/// How far an export of a User came.
package struct UserExportPosition: Hashable, Sendable {
    /// The parts of an export, in their order.
    package enum Section: Int, Hashable, Sendable, CaseIterable {
        case profile, devices, formerDevices, consents, invalidTokens, recentSends, inbox, deviceReads, userReads
        case recipientValues, audiences, campaigns, deliveries
    }

    package var section: Section
    /// Where in the section: a Device's number, a Campaign or an Occurrence.
    package var number: Int64
    /// Where among what one number has.
    package var part: Int64

    package init(_ section: Section, number: Int64 = -1, part: Int64 = -1) {
        self.section = section
        self.number = number
        self.part = part
    }

    package static let start = UserExportPosition(.profile)

    /// The beginning of the next section; `nil` after the last.
    package var nextSection: UserExportPosition? {
        Section(rawValue: section.rawValue + 1).map { UserExportPosition($0) }
    }
}

/// A part of an export.
package struct UserExportPage: Sendable {
    package var lines: [UserExportLine]
    /// Where the next part begins; `nil` at the end.
    package var next: UserExportPosition?

    package init(lines: [UserExportLine], next: UserExportPosition?) {
        self.lines = lines
        self.next = next
    }
}

/// Reads what is kept of Users.
package protocol UserExportStore: Sendable {
    /// The next lines of an export; a part may have none and yet not be the last. Its work has a bound.
    ///
    /// - Parameters:
    ///   - user: Of whom.
    ///   - app: In which App.
    ///   - position: Where the part before ended.
    /// - Returns: The part.
    /// - Throws: ``StoreError``.
    func exported(
        of user: UserID,
        app: AppID,
        from position: UserExportPosition
    ) async throws(StoreError) -> UserExportPage
}

extension Users {
    /// Begins an export of all that is kept of a User, JSON with an object a line.
    ///
    /// Campaigns, registrations and events go on beside it: what comes meanwhile may be in it or not.
    ///
    /// - Throws: ``EngineError/notFound(_:)`` when nothing is known of the User.
    package func export(_ user: UserID, app: AppID) async throws(EngineError) -> UserExport {
        _ = try await apps.facts(app)
        guard try await stored(try await isKnown(user, app: app)) else { throw .notFound(.user) }
        return UserExport(store: store, user: user, app: app)
    }

    /// Whether the store has anything of the User.
    func isKnown(_ user: UserID, app: AppID) async throws(StoreError) -> Bool {
        if try await store.hasTraces(of: user, app: app) { return true }
        return try await store.isNamed(user, app: app)
    }
}

/// An export of a User that is under way.
package struct UserExport: Sendable {
    private let store: any UserExportStore
    private let user: UserID
    private let app: AppID
    private var position: UserExportPosition? = .start

    fileprivate init(store: any UserExportStore, user: UserID, app: AppID) {
        self.store = store
        self.user = user
        self.app = app
    }

    /// The next part of the text; `nil` at the end.
    ///
    /// - Throws: ``EngineError/store(_:)``; then the export is not whole.
    package mutating func next() async throws(EngineError) -> [UInt8]? {
        while let begin = position {
            let (store, user, app) = (store, user, app)
            let page = try await stored(try await store.exported(of: user, app: app, from: begin))
            position = page.next
            guard !page.lines.isEmpty else { continue }
            return try Self.text(page.lines)
        }
        return nil
    }

    private static func text(_ lines: [UserExportLine]) throws(EngineError) -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        var text: [UInt8] = []
        for line in lines {
            // A line that is left out would be told to nobody.
            guard let data = try? encoder.encode(line) else {
                throw .store(.failed("What is kept of a User cannot be written as JSON."))
            }
            text.append(contentsOf: data)
            text.append(0x0A)
        }
        return text
    }
}
