import CarillonEngine
import CarillonModel
import CarillonSQL
import Foundation

/// Devices of another service, in SQL.
///
/// Most lines are plain: their token, Device and User are new. These are written together; the others one by one, as a
/// registration would be.
final class DeviceImportRepository: DeviceImportStore {
    /// On PostgreSQL a transaction holds a lock for each token, of which the server has a bounded number.
    static let maximumTokenLocks = 1_000

    let database: any Database
    /// How long an import waits for others that read `devices`, before it says that it cannot begin.
    private let lockTime: Duration

    init(database: any Database, lockTime: Duration = .seconds(20)) {
        self.database = database
        self.lockTime = lockTime
    }

    /// SQLite writes one transaction at a time.
    var batchesAtOnce: Int { database.dialect == .postgreSQL ? 2 : 1 }

    var servingBatchLimit: Int { database.dialect == .postgreSQL ? Self.maximumTokenLocks : 4_000 }

    func importDevices(
        _ lines: [ImportedDevice],
        app: AppID,
        at: Timestamp
    ) async throws(StoreError) -> ImportCounts? {
        try await database.write(priority: .bulk) { [takesTagsFirst] connection in
            let isNumbered = lines.allSatisfy { $0.number != nil }
            guard let rows = try connection.imports.rows(lines, app: app, at: at, isNumbered: isNumbered) else {
                return nil
            }
            return try connection.imports.keep(rows, of: lines, app: app, haveTags: isNumbered && takesTagsFirst)
        }
    }

    func preview(_ lines: [ImportedDevice], app: AppID) async throws(StoreError) -> ImportCounts? {
        try await database.read { connection in try connection.imports.preview(lines, app: app) }
    }

    func addTags(_ users: [(user: UserID, tags: [Int64])], app: AppID) async throws(StoreError) {
        try await database.write(priority: .bulk) { connection in
            try connection.lock(Set(users.map { .user($0.user, app: app) }))
            for (user, tags) in users { try connection.imports.addTags(tags, to: user, app: app) }
        }
    }

    func beginBulk() async throws(StoreError) -> Bool {
        var patience = LockPatience()
        patience.limit = lockTime
        return try await database.maintenance(patience: patience) { session in
            try await session.transaction { connection in
                let any = try connection.first(
                    "SELECT 1 FROM devices UNION ALL SELECT 1 FROM removed_tokens LIMIT 1",
                    read: { _ in true }
                )
                guard any == nil else { return false }
                try connection.execute(script: DeviceIndexes.drop(connection.dialect))
                return true
            }
        }
    }

    func importNew(
        _ lines: [ImportedDevice],
        tags: [ImportedTag],
        app: AppID,
        at: Timestamp
    ) async throws(StoreError) -> ImportCounts? {
        try await database.write(priority: .bulk) { connection in
            guard let end = try connection.devices.reserveDeviceNumbers(Int64(lines.count), app: app) else {
                return nil
            }
            let first = DeviceNumber(rawValue: end - Int64(lines.count))
            let times = try connection.imports.times(app: app, at: at)
            let rows = lines.indices.lazy.map { place in
                DeviceRow(lines[place], number: DeviceNumber(rawValue: first.rawValue + Int64(place)), app: app, times)
            }
            try connection.imports.insertNew(rows, tags.lazy.map { $0.moved(by: first) }, app: app)
            var counts = ImportCounts()
            counts.added = lines.count
            return counts
        }
    }

    func endBulk() async throws(StoreError) {
        try await database.completeDeviceIndexes()
    }
}

extension ImportTable {
    /// The rows of lines; `nil` when they need numbers and there is no such App.
    fileprivate func rows(
        _ lines: [ImportedDevice],
        app: AppID,
        at: Timestamp,
        isNumbered: Bool
    ) throws -> [DeviceRow]? {
        var next: Int64 = 0
        if !isNumbered {
            guard let end = try connection.devices.reserveDeviceNumbers(Int64(lines.count), app: app) else {
                return nil
            }
            next = end - Int64(lines.count)
        }
        let times = try times(app: app, at: at)
        return lines.map { line in
            defer { next += 1 }
            return DeviceRow(line, number: line.number ?? DeviceNumber(rawValue: next), app: app, times)
        }
    }

    /// The times of an import.
    fileprivate func times(app: AppID, at: Timestamp) throws -> ImportTimes {
        let lifetime = try connection.first("SELECT token_lifetime FROM apps WHERE id = $1", app, as: Int64.self)
        let days = lifetime ?? Int64(0)
        return ImportTimes(at: at, earliest: at.advanced(by: .seconds(-86_400 * (days - min(30, max(1, days / 2))))))
    }

    /// Writes together what is plain, and the rest one by one.
    fileprivate func keep(
        _ rows: [DeviceRow],
        of lines: [ImportedDevice],
        app: AppID,
        haveTags: Bool
    ) throws -> ImportCounts {
        try lockTokens(of: lines, app: app)
        let known = try KnownLines(lines, app: app, connection)
        let plain = rows.indices.filter(known.isPlain)
        let new = plain.map { rows[$0] }
        try insertNew(new, haveTags ? [] : new.importedTags, app: app)
        var counts = ImportCounts()
        counts.added = plain.count
        let others = rows.indices.filter { !known.isPlain($0) }
        for place in others.sorted(by: { lines[$0].line < lines[$1].line }) {
            if haveTags {
                try connection.devices.removeDeviceTags(
                    rows[place].tags,
                    but: .none,
                    from: rows[place].number,
                    app: app
                )
            }
            switch try importDevice(rows[place], lines[place]) {
            case .added: counts.added += 1
            case .replaced: counts.replaced += 1
            case .registered: counts.registered += 1
            }
        }
        return counts
    }
}

/// The times of an import.
private struct ImportTimes {
    var at: Timestamp
    /// The earliest last use: a month before the App's tokens expire, so that who is imported can be reached at first.
    var earliest: Timestamp

    /// When a Device was used last, as the other service knows it: an import makes nobody active.
    func lastUse(_ line: ImportedDevice) -> Timestamp { line.seenAt.map { min(max($0, earliest), at) } ?? at }
}

extension DeviceRow {
    fileprivate init(_ line: ImportedDevice, number: DeviceNumber, app: AppID, _ times: ImportTimes) {
        self.init(
            app: app,
            number: number,
            device: line.device ?? line.newID ?? DeviceID(rawValue: UUID()),
            secretHash: nil,
            registration: line.registration,
            consentTimes: line.consentTimes,
            tags: TagNumbers(line.tags ?? []),
            tokenState: .active,
            createdAt: times.at,
            registeredAt: times.lastUse(line)
        )
    }
}
