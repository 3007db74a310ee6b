import CarillonEngine
import CarillonModel
import Foundation
import NIOConcurrencyHelpers

/// Devices of another service, in SQL.
///
/// Most lines are plain: their token, Device and User are new. These are written together; the others one by one, as a
/// registration would be.
final class DeviceImportRepository: DeviceImportStore {
    /// What an import into a store without indexes has to remember.
    private struct Bulk {
        var keys = ImportKeys()
        /// What waits for the indexes.
        var later: [(app: AppID, at: Timestamp, device: ImportedDevice)] = []
    }

    /// On PostgreSQL a transaction holds a lock for each token, of which the server has a bounded number.
    static let maximumTokenLocks = 1_000

    let database: any Database
    /// `nil` unless the indexes are gone.
    private let bulk = NIOLockedValueBox<Bulk?>(nil)

    init(database: any Database) { self.database = database }

    /// SQLite writes one transaction at a time.
    var batchesAtOnce: Int { database.dialect == .postgreSQL ? 2 : 1 }

    var servingBatchLimit: Int { database.dialect == .postgreSQL ? Self.maximumTokenLocks : 4_000 }

    func importDevices(
        _ lines: [ImportedDevice],
        app: AppID,
        at: Timestamp
    ) async throws(StoreError) -> ImportCounts? {
        if let plain = plainInBulk(lines, app: app, at: at) {
            return try await importPlain(plain, app: app, at: at)
        }
        return try await database.write(priority: .bulk) { [takesTagsFirst] connection throws(StoreError) in
            let isNumbered = lines.allSatisfy { $0.number != nil }
            guard let rows = try connection.rows(lines, app: app, at: at, isNumbered: isNumbered) else { return nil }
            return try connection.keep(rows, of: lines, app: app, haveTags: isNumbered && takesTagsFirst)
        }
    }

    func beginBulk() async throws(StoreError) -> Bool {
        let isEmpty = try await database.write(priority: .bulk) { connection throws(StoreError) in
            guard try connection.first("SELECT 1 FROM devices LIMIT 1", read: { _ in true }) == nil else {
                return false
            }
            try connection.execute(script: DeviceIndexes.drop(connection.dialect))
            return true
        }
        if isEmpty { bulk.withLockedValue { $0 = Bulk() } }
        return isEmpty
    }

    func endBulk() async throws(StoreError) -> ImportCounts {
        try await database.write(priority: .bulk) { connection throws(StoreError) in
            try connection.makeDeviceIndexes()
        }
        let later = bulk.withLockedValue { bulk in
            defer { bulk = nil }
            return bulk?.later ?? []
        }
        var counts = ImportCounts()
        for start in stride(from: 0, to: later.count, by: 5_000) {
            let some = later[start..<min(start + 5_000, later.count)]
            for (app, lines) in Dictionary(grouping: some, by: \.app) {
                guard let first = lines.first else { continue }
                let kept = try await importDevices(lines.map(\.device), app: app, at: first.at)
                counts.added += kept?.added ?? 0
                counts.replaced += kept?.replaced ?? 0
                counts.registered += kept?.registered ?? 0
            }
        }
        return counts
    }

    // MARK: - Private

    /// The lines that can be written without indexes; `nil` when the indexes are there.
    private func plainInBulk(_ devices: [ImportedDevice], app: AppID, at: Timestamp) -> [ImportedDevice]? {
        bulk.withLockedValue { bulk -> [ImportedDevice]? in
            guard var state = bulk else { return nil }
            bulk = nil
            defer { bulk = state }
            var plain: [ImportedDevice] = []
            plain.reserveCapacity(devices.count)
            for device in devices {
                if state.keys.insert(device), device.isSimple {
                    plain.append(device)
                } else {
                    state.later.append((app, at, device))
                }
            }
            return plain
        }
    }

    private func importPlain(
        _ lines: [ImportedDevice],
        app: AppID,
        at: Timestamp
    ) async throws(StoreError) -> ImportCounts? {
        return try await database.write(priority: .bulk) { connection throws(StoreError) in
            guard let end = try connection.reserveDeviceNumbers(Int64(lines.count), app: app) else { return nil }
            var rows: [DeviceRow] = []
            rows.reserveCapacity(lines.count)
            var number = end - Int64(lines.count)
            for line in lines {
                rows.append(DeviceRow(line, number: DeviceNumber(rawValue: number), app: app, at: at))
                number += 1
            }
            try connection.insertImported(rows, haveTags: false)
            var counts = ImportCounts()
            counts.added = rows.count
            return counts
        }
    }
}

extension SQLConnection {
    /// The rows of lines; `nil` when they need numbers and there is no such App.
    fileprivate func rows(
        _ lines: [ImportedDevice],
        app: AppID,
        at: Timestamp,
        isNumbered: Bool
    ) throws(StoreError) -> [DeviceRow]? {
        var next: Int64 = 0
        if !isNumbered {
            guard let end = try reserveDeviceNumbers(Int64(lines.count), app: app) else { return nil }
            next = end - Int64(lines.count)
        }
        return lines.map { line in
            defer { next += 1 }
            return DeviceRow(line, number: line.number ?? DeviceNumber(rawValue: next), app: app, at: at)
        }
    }

    /// Writes together what is plain, and the rest one by one.
    fileprivate func keep(
        _ rows: [DeviceRow],
        of lines: [ImportedDevice],
        app: AppID,
        haveTags: Bool
    ) throws(StoreError) -> ImportCounts {
        try lockTokens(of: lines, app: app)
        let known = try KnownLines(lines, app: app, self)
        let plain = rows.indices.filter(known.isPlain)
        try insertImported(plain.map { rows[$0] }, haveTags: haveTags)
        var counts = ImportCounts()
        counts.added = plain.count
        let others = rows.indices.filter { !known.isPlain($0) }
        for place in others.sorted(by: { lines[$0].line < lines[$1].line }) {
            if haveTags {
                try removeDeviceTags(rows[place].tags, but: .none, from: rows[place].number, app: app)
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

extension ImportedDevice {
    /// Whether it tells nothing that only the long way takes.
    var isSimple: Bool { registration.location == nil && registration.permission == nil }
}

extension DeviceRow {
    fileprivate init(_ line: ImportedDevice, number: DeviceNumber, app: AppID, at: Timestamp) {
        self.init(
            app: app,
            number: number,
            device: line.device ?? line.newID ?? DeviceID(rawValue: UUID()),
            secretHash: nil,
            // Since when the people of a file agree is not known.
            registration: line.registration,
            tags: TagNumbers(line.tags ?? []),
            tokenState: .active,
            createdAt: at,
            registeredAt: at
        )
    }
}
