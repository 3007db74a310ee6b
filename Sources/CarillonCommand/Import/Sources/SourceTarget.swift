import CarillonEngine
import CarillonImporters
import CarillonModel
import CarillonOperatorModel
import CarillonStore
import Foundation

/// Where an import goes: a store, or a running server.
protocol SourceTarget: AnyObject {
    /// Adds a device, or a User without one.
    func append(_ record: ImportRecord, at line: SourceLine) async throws
    /// Users that keep the attributes that they had, because they would have too many.
    var refusedUserCount: Int { get }
    /// Rows that were refused besides those that were reported one by one.
    var unlistedRefusalCount: Int { get }
    /// Waits until everything is saved.
    func finish() async throws -> ImportReport
    /// Aborts; what was saved stays.
    func abandon() async throws
}

/// A store that no server has open.
///
/// Devices are written as they come, attributes of Users after all of them.
final class StoreTarget: SourceTarget {
    /// How many Users' attributes are written in one transaction.
    private static let batchSize = 20_000

    private let stores: Stores
    private let app: AppID
    private let isDryRun: Bool
    private var writer: ImportWriter
    private var spool = AttributeSpool()
    /// Users that would have too many attributes with those of the import, and keep those that they had.
    private(set) var refusedUserCount = 0
    let unlistedRefusalCount = 0

    init(_ stores: Stores, app: AppID, options: DeviceImport.Options, reject: @escaping (SourceLine, String) -> Void) {
        self.stores = stores
        self.app = app
        isDryRun = options.isDryRun
        writer = ImportWriter(
            app: app,
            store: stores.deviceImports,
            tags: stores.tags,
            attributes: stores.attributes,
            clock: SystemWallClock(),
            options: options
        ) { line, problem in reject(SourceLine(packed: line), problem) }
    }

    func append(_ record: ImportRecord, at line: SourceLine) async throws {
        var record = record
        if let user = record.registration.user, !isDryRun { try spool.add(record.attributes, of: user) }
        record.attributes = [:]
        // About what a record's texts take.
        let byteCount = 256 + record.tags.count * 32
        if let device = ImportedDevice(record, line: line.packed) {
            try await writer.append(device, byteCount: byteCount)
        } else if let user = ImportedUser(record, line: line.packed) {
            try await writer.append(user, byteCount: byteCount)
        }
    }

    func finish() async throws -> ImportReport {
        let counts = try await writer.finish()
        try await saveAttributes()
        return counts.report(isDryRun: isDryRun)
    }

    func abandon() async throws { try await writer.abandon() }

    private func saveAttributes() async throws {
        var waiting = AttributeSpool()
        swap(&waiting, &spool)
        // While some Users are written, the next are read.
        var write: Task<Int, any Error>?
        do {
            try await waiting.batches(of: Self.batchSize) { changes in
                refusedUserCount += try await write?.value ?? 0
                write = Task { [stores, app] in
                    try await stores.attributes.apply(changes, app: app, isBulk: true).values.count { result in
                        if case .failure = result { true } else { false }
                    }
                }
            }
        } catch {
            _ = await write?.result
            throw error
        }
        refusedUserCount += try await write?.value ?? 0
    }
}

/// A running server: lines go to `/v1/device-import`, some thousands in a request.
///
/// Attributes of Users follow all Devices, as in a ``StoreTarget``: a User who would have too many keeps those that they
/// had, and the Devices stay.
final class ServerTarget: SourceTarget {
    private static let maximumLineCount = 20_000
    private static let maximumByteCount = 8 << 20

    private let send: (Data) async throws -> ImportReport
    private let reject: (SourceLine, String) -> Void
    private let isDryRun: Bool
    private let encoder = JSONEncoder()
    private var body = Data()
    private var lines: [SourceLine] = []
    private var spool = AttributeSpool()
    private(set) var refusedUserCount = 0
    private(set) var unlistedRefusalCount = 0
    private var counts = ImportReport(added: 0, replaced: 0, registered: 0, rejected: 0, problems: [])

    /// - Parameters:
    ///   - isDryRun: Whether the server only counts.
    ///   - send: Sends a body of JSON Lines, and returns the server's answer.
    ///   - reject: Receives lines that the server refuses.
    init(
        isDryRun: Bool,
        _ send: @escaping (Data) async throws -> ImportReport,
        reject: @escaping (SourceLine, String) -> Void
    ) {
        self.isDryRun = isDryRun
        self.send = send
        self.reject = reject
    }

    func append(_ record: ImportRecord, at line: SourceLine) async throws {
        if let user = record.registration.user, !isDryRun { try spool.add(record.attributes, of: user) }
        var record = record
        record.attributes = [:]
        try add(DeviceLine(record))
        lines.append(line)
        if isFull { try await flush() }
    }

    func finish() async throws -> ImportReport {
        try await flush()
        try await sendAttributes()
        return counts
    }

    func abandon() async throws {}

    // MARK: - Private

    private var isFull: Bool { lines.count >= Self.maximumLineCount || body.count >= Self.maximumByteCount }

    private func add(_ line: DeviceLine) throws {
        body.append(try encoder.encode(line))
        body.append(0x0A)
    }

    private func flush() async throws {
        guard !lines.isEmpty else { return }
        let answer = try await send(body)
        counts.add(answer)
        var listed = 0
        for problem in answer.problems where lines.indices.contains(problem.line - 1) {
            listed += 1
            reject(lines[problem.line - 1], problem.problem)
        }
        unlistedRefusalCount += max(0, answer.rejected - listed)
        body.removeAll(keepingCapacity: true)
        lines.removeAll(keepingCapacity: true)
    }

    private func sendAttributes() async throws {
        var waiting = AttributeSpool()
        swap(&waiting, &spool)
        // A User has at most 64 attributes of about a kilobyte.
        try await waiting.batches(of: 100) { changes in
            for (user, attributes) in changes {
                var record = ImportRecord(line: 0)
                record.registration.user = user
                record.attributes = attributes.attributes
                try add(DeviceLine(record))
                lines.append(SourceLine(file: 0, line: 0))
            }
            if isFull { try await flushAttributes() }
        }
        try await flushAttributes()
    }

    private func flushAttributes() async throws {
        guard !lines.isEmpty else { return }
        refusedUserCount += try await send(body).rejected
        body.removeAll(keepingCapacity: true)
        lines.removeAll(keepingCapacity: true)
    }
}

extension ImportReport {
    /// Adds the counts of another answer.
    fileprivate mutating func add(_ other: ImportReport) {
        added += other.added
        replaced += other.replaced
        registered += other.registered
        rejected += other.rejected
        users += other.users
        if let consents = other.consents {
            self.consents = (self.consents ?? ConsentComparison()).adding(consents)
        }
    }
}

extension SourceLine {
    private static let lineBits = 40

    /// File and line in one number, as the engine numbers lines.
    var packed: Int { file << Self.lineBits | line }

    init(packed: Int) { self.init(file: packed >> Self.lineBits, line: packed & (1 << Self.lineBits - 1)) }
}

extension ImportedDevice {
    /// A record as the engine imports it; `nil` for one without a token.
    init?(_ record: ImportRecord, line: Int) {
        guard let token = record.registration.token else { return nil }
        self.init(line: line, device: nil, token: token, registration: record.registration)
        consentTimes = record.consentTimes
        seenAt = record.seenAt
        addsTags = true
        if !record.tags.isEmpty { tagNames = record.tags }
        if !record.attributes.isEmpty { attributes = UserAttributes(attributes: record.attributes) }
    }
}

extension ImportedUser {
    /// The User of a record without a token; `nil` when it has none.
    init?(_ record: ImportRecord, line: Int) {
        guard let user = record.registration.user else { return nil }
        let attributes = record.attributes.isEmpty ? nil : UserAttributes(attributes: record.attributes)
        self.init(line: line, user: user, tagNames: record.tags, attributes: attributes)
    }
}

extension DeviceLine {
    /// A record as `/v1/device-import` takes it.
    init(_ record: ImportRecord) {
        self.init(registration: record.registration)
        if record.registration.token == nil {
            (registration, user) = (nil, record.registration.user)
        } else {
            lastSeen = record.seenAt
            if record.consentTimes != ConsentTimes() { consentTimes = record.consentTimes }
        }
        if !record.tags.isEmpty { (tags, addsTags) = (record.tags, true) }
        if !record.attributes.isEmpty { attributes = record.attributes }
    }
}
