package import CarillonModel
package import CarillonOperatorModel
import Foundation

/// A position in the export of a User.
package struct UserExportPosition: Hashable, Sendable {
    /// The parts of an export, in their order.
    package enum Section: Int, Hashable, Sendable, CaseIterable {
        case profile, devices, formerDevices, consents, invalidTokens, recentSends, inbox, deviceReads, userReads
        case recipientValues, audiences, campaigns, deliveries
    }

    package var section: Section
    /// The position in the section: a Device's number, a Campaign or an Occurrence.
    package var number: Int64
    /// The position among rows of one number.
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

/// Reads the data of Users.
package protocol UserExportStore: Sendable {
    /// Returns the next lines of an export; a part without lines need not be the last, since its work is bounded.
    ///
    /// - Parameters:
    ///   - user: The User.
    ///   - app: The App.
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
    /// Begins an export of all data of a User, as JSON Lines.
    ///
    /// Campaigns, registrations and events continue meanwhile; the export may contain newer data or not.
    ///
    /// - Throws: ``EngineError/notFound(_:)`` when the User is unknown.
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

/// A running export of a User.
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

    /// Returns the next part of the text; `nil` at the end.
    ///
    /// - Throws: ``EngineError/store(_:)``; the export is incomplete then.
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
        let encoder = JSONEncoder.sorted()
        var text: [UInt8] = []
        for line in lines {
            // Fail instead of silently leaving out a line.
            guard let data = try? encoder.encode(line) else {
                throw .store(.failed("The data of a User cannot be encoded as JSON."))
            }
            text.append(contentsOf: data)
            text.append(0x0A)
        }
        return text
    }
}
