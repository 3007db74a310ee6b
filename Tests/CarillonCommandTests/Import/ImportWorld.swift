import CarillonEngine
import CarillonImporters
import CarillonModel
import CarillonOperatorModel
import CarillonStore
import Foundation

@testable import CarillonCommand

/// Imports into the store of a server that runs for one test.
struct ImportWorld: Sendable {
    let server: RunningServer

    var stores: Stores { server.composition.stores }

    /// Runs a test.
    static func run(_ body: @Sendable @escaping (ImportWorld) async throws -> Void) async throws {
        try await RunningServer.run { try await body(ImportWorld(server: $0)) }
    }

    /// Imports files, whose texts are given.
    ///
    /// - Parameters:
    ///   - format: The service.
    ///   - texts: The files' texts, in their order.
    ///   - windowSize: How many rows are written together.
    ///   - isAlone: Whether an empty store is filled without indexes.
    ///   - isDryRun: Whether nothing is written.
    ///   - stopsAfter: After how many devices the import is killed, if it is.
    ///   - change: Sets options.
    /// - Returns: The report.
    /// - Throws: As the command.
    @discardableResult
    func importing<Format: SourceFormat>(
        _ format: Format.Type,
        _ texts: String...,
        windowSize: Int = 100,
        isAlone: Bool = false,
        isDryRun: Bool = false,
        stopsAfter: Int? = nil,
        _ change: (inout SourceOptions) -> Void = { _ in }
    ) async throws -> SourceReport {
        var options = SourceOptions()
        options.environment = .apns
        change(&options)
        let folder = server.folder.appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let rejects = server.folder.appendingPathComponent("\(UUID().uuidString).rejects").path
        for (number, text) in texts.enumerated() {
            try Data(text.utf8).write(to: folder.appendingPathComponent("part-\(number).csv"))
        }
        var run = SourceImport<Format>(
            files: try SourceFile.all([folder.path], spool: InputSpool()),
            options: options,
            isDryRun: isDryRun,
            side: try SourceSideFiles(SourceSideFiles.Paths(rejects: rejects))
        )
        try run.survey()
        var settings = DeviceImport.Options()
        settings.windowSize = windowSize
        settings.isAlone = isAlone
        settings.isDryRun = isDryRun
        settings.hasDistinctTokens = true
        settings.mayNameTags = Format.mayNameTags
        let target = StoreTarget(stores, app: server.app, options: settings, reject: run.reject)
        guard let stopsAfter else { return try await run.write(to: target) }
        return try await run.write(to: KilledTarget(target, after: stopsAfter))
    }

    /// All devices, by their tokens, without what differs between two runs: ids and times.
    func devices() async throws -> [String: DeviceRecord] {
        var devices: [String: DeviceRecord] = [:]
        let rows = try await stores.deviceExports.devices(app: server.app, after: nil, limit: 1_000)
        for row in rows {
            let token = row.registration.token?.hexadecimal ?? ""
            devices[token] = DeviceRecord(
                device: DeviceID(rawValue: UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))),
                app: AppID(rawValue: 0),
                registration: row.registration,
                tokenState: row.tokenState,
                createdAt: Timestamp(rawValue: 0),
                registeredAt: Timestamp(rawValue: 0)
            )
        }
        return devices
    }

    /// All that an import writes, with ids and times.
    struct Snapshot: Hashable, Sendable {
        var devices: [ExportedDevice]
        var records: [DeviceRecord]
        var attributes: [UserID: UserAttributes]
    }

    func snapshot() async throws -> Snapshot {
        let devices = try await stores.deviceExports.devices(app: server.app, after: nil, limit: 1_000)
        var snapshot = Snapshot(devices: devices, records: [], attributes: [:])
        for device in devices {
            snapshot.records.append(try await record(device.device))
            guard let user = device.registration.user else { continue }
            snapshot.attributes[user] = try await stores.attributes.attributes(of: user, app: server.app)
        }
        return snapshot
    }

    func record(_ device: DeviceID) async throws -> DeviceRecord {
        try await server.composition.engine.devices.device(app: server.app, device: device, secret: nil)
    }

    func attributes(_ user: String) async throws -> [String: JSONValue] {
        guard let user = UserID(rawValue: user) else { return [:] }
        return try await stores.attributes.attributes(of: user, app: server.app).attributes
    }

    func tags(_ user: String) async throws -> Set<String> {
        guard let user = UserID(rawValue: user) else { return [] }
        let ids = try await stores.tags.tags(of: user, app: server.app)
        let all = try await stores.tags.tags(app: server.app, named: nil, after: nil, limit: 1_000)
        return Set(all.filter { ids.contains($0.id) }.map(\.name))
    }
}

/// A target whose process ends in the middle of an import.
private final class KilledTarget: SourceTarget {
    struct Killed: Error {}

    private let target: StoreTarget
    private var rest: Int

    init(_ target: StoreTarget, after count: Int) {
        self.target = target
        rest = count
    }

    func append(_ record: ImportRecord, at line: SourceLine) async throws {
        guard rest > 0 else { throw Killed() }
        rest -= 1
        try await target.append(record, at: line)
    }

    var refusedUserCount: Int { target.refusedUserCount }

    var unlistedRefusalCount: Int { target.unlistedRefusalCount }

    func finish() async throws -> ImportReport { throw Killed() }

    func abandon() async throws { try await target.abandon() }
}

/// A token of 32 bytes, all of them the same.
func importedToken(_ byte: Int) -> String { String(repeating: String(format: "%02x", byte), count: 32) }
