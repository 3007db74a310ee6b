package import CarillonEngine
package import CarillonModel
import CarillonOperatorModel

extension DeliveryRepository {
    package func read(
        _ wave: OpenWave,
        of facts: OccurrenceFacts,
        limit: Int
    ) async throws(StoreError) -> ChunkReading {
        try await database.read { connection throws(StoreError) in
            let end = try connection.readDevices(
                of: facts,
                after: wave.cursor,
                through: wave.lastDevice,
                limit: limit,
                done: []
            )
            return ChunkReading(
                recipients: end.recipients,
                range: .devices(wave: wave.wave, after: wave.cursor, through: end.last),
                isLast: end.last >= wave.lastDevice
            )
        }
    }

    package func readRetries(
        of facts: OccurrenceFacts,
        dueAt now: Timestamp?,
        limit: Int
    ) async throws(StoreError) -> ChunkReading {
        try await database.read { connection throws(StoreError) in
            let after = try connection.retriesTaken(of: facts.occurrence, app: facts.app)
            let end = RetryPosition(
                dueAt: now ?? Timestamp(rawValue: .max),
                device: DeviceNumber(rawValue: .max)
            )
            let (recipients, last) = try connection.readRetries(of: facts, after: after, through: end, limit: limit)
            return ChunkReading(
                recipients: recipients,
                range: .retries(after: after, through: last),
                isLast: recipients.count < limit
            )
        }
    }

    package func readRest(of lease: Lease, facts: OccurrenceFacts) async throws(StoreError) -> Recipients {
        try await database.read { connection throws(StoreError) in
            switch lease.range {
            case .retries(let after, let through):
                return try connection.readRetries(of: facts, after: after, through: through, limit: .max).recipients
            case .devices(_, let after, let through):
                return try connection.readDevices(
                    of: facts,
                    after: after,
                    through: through,
                    limit: .max,
                    done: try connection.done(facts, after: after, through: through)
                ).recipients
            }
        }
    }
}

/// One notification of an Occurrence.
private struct Addressee: Hashable {
    var device: Int64
    var pushType: Int64
}

extension SQLConnection {
    /// Reads the matching Devices after one number, through another.
    ///
    /// A Device is read whole: the reading ends between two Devices.
    ///
    /// - Parameters:
    ///   - facts: Whom the Campaign is for.
    ///   - after: The number before the first.
    ///   - through: The last number.
    ///   - limit: How many rows, roughly.
    ///   - done: Rows to leave out.
    /// - Returns: The Devices, and the last number that was looked at.
    /// - Throws: ``StoreError``.
    fileprivate func readDevices(
        of facts: OccurrenceFacts,
        after: DeviceNumber,
        through: DeviceNumber,
        limit: Int,
        done: Set<Addressee>
    ) throws(StoreError) -> (recipients: Recipients, last: DeviceNumber) {
        var reader = DeviceReader(facts, limit: limit, done: done)
        switch facts.audience {
        case .all:
            let last = try reader.readRun(self, app: facts.app, after: after, through: through)
            return (reader.recipients, last ?? through)
        case .users, .devices:
            let numbers = try listedNumbers(facts).filter { $0 > after && $0 <= through }
            for (place, number) in numbers.enumerated() {
                guard !reader.isFull else { return (reader.recipients, numbers[place - 1]) }
                let before = DeviceNumber(rawValue: number.rawValue - 1)
                _ = try reader.readRun(self, app: facts.app, after: before, through: number)
            }
            return (reader.recipients, through)
        }
    }

    /// The numbers of the Devices that a list names, found one by one by an index.
    private func listedNumbers(_ facts: OccurrenceFacts) throws(StoreError) -> [DeviceNumber] {
        var numbers: Set<DeviceNumber> = []
        let statement: any SQLStatement
        switch facts.audience {
        case .all: return []
        case .users(let users):
            statement = try prepare("SELECT number FROM devices WHERE app_id = $1 AND user_id = $2")
            for user in users {
                statement.bind(facts.app.rawValue, at: 1)
                statement.bind(user.rawValue, at: 2)
                while try statement.next() { numbers.insert(DeviceNumber(rawValue: statement.int64(0))) }
            }
        case .devices(let devices):
            statement = try prepare("SELECT number FROM devices WHERE app_id = $1 AND public_id = $2")
            for device in devices {
                statement.bind(facts.app.rawValue, at: 1)
                device.bind(to: statement, at: 2)
                while try statement.next() { numbers.insert(DeviceNumber(rawValue: statement.int64(0))) }
            }
        }
        return numbers.sorted()
    }

    /// The Devices of a range that have a delivery or wait to be tried again.
    fileprivate func done(
        _ facts: OccurrenceFacts,
        after: DeviceNumber,
        through: DeviceNumber
    ) throws(StoreError) -> Set<Addressee> {
        let rows = try all(
            """
            SELECT device_number, push_type FROM deliveries
            WHERE app_id = $1 AND occurrence_id = $2 AND device_number > $3 AND device_number <= $4
            UNION ALL
            SELECT device_number, push_type FROM retries
            WHERE app_id = $1 AND occurrence_id = $2 AND device_number > $3 AND device_number <= $4
            """,
            facts.app,
            facts.occurrence,
            after,
            through
        ) { Addressee(device: $0.int64(0), pushType: $0.int64(1)) }
        return Set(rows)
    }
}

/// Gathers rows of Devices that have an active token.
private struct DeviceReader {
    private(set) var recipients = Recipients()
    private let limit: Int
    private let isAd: Bool
    private let isCall: Bool
    /// A Device that registered before it is not sent to.
    private let oldestRegistration: Int64
    private let pushTypes: (production: PushType, sandbox: PushType)
    private let done: Set<Addressee>
    private var scanned = 0

    init(_ facts: OccurrenceFacts, limit: Int, done: Set<Addressee>) {
        self.limit = limit
        isAd = facts.isAd
        isCall = facts.channel.pushTypes.production.isVoIP
        oldestRegistration = facts.oldestRegistration.rawValue
        pushTypes = facts.channel.pushTypes
        self.done = done
        recipients.reserve(min(limit, 5_000))
    }

    /// Devices and their tokens for notifications.
    private static let devices: SQL = """
        SELECT number, push_type, token_state, token, consent, language, time_zone, registered_at
        FROM devices WHERE app_id = $1 AND number > $2 AND number <= $3 ORDER BY number
        """
    /// Tokens for calls and their Devices.
    private static let callTokens: SQL = """
        SELECT t.device_number, t.push_type, t.state, t.token, d.consent, d.language, d.time_zone, d.registered_at
        FROM call_tokens t JOIN devices d ON d.app_id = t.app_id AND d.number = t.device_number
        WHERE t.app_id = $1 AND t.device_number > $2 AND t.device_number <= $3
        ORDER BY t.device_number
        """

    var isFull: Bool {
        recipients.count >= limit || (limit != .max && scanned >= DeliveryRepository.scanLimit)
    }

    /// Reads Devices in the order of their numbers until it has enough.
    ///
    /// - Returns: The last number that was looked at when there may be more; `nil` at the end of the run.
    mutating func readRun(
        _ connection: any SQLConnection,
        app: AppID,
        after: DeviceNumber,
        through: DeviceNumber
    ) throws(StoreError) -> DeviceNumber? {
        let statement = try connection.prepare(isCall ? Self.callTokens : Self.devices)
        defer { statement.reset() }
        statement.bind(app.rawValue, at: 1)
        statement.bind(after.rawValue, at: 2)
        statement.bind(through.rawValue, at: 3)
        var last = after.rawValue
        while try statement.next() {
            let number = statement.int64(0)
            if isFull, number != last { return DeviceNumber(rawValue: last) }
            last = number
            scanned += 1
            guard statement.int64(2) == DeviceRecord.TokenState.active.code, statement.int64(7) >= oldestRegistration
            else { continue }
            let code = statement.int64(1)
            let pushType: PushType = try .stored(code)
            guard pushType == pushTypes.production || pushType == pushTypes.sandbox else { continue }
            if !done.isEmpty, done.contains(Addressee(device: number, pushType: code)) { continue }
            recipients.append(
                number: DeviceNumber(rawValue: number),
                pushType: pushType,
                consent: ConsentBits(rawValue: UInt8(truncatingIfNeeded: statement.int64(4))),
                language: statement.bytes(5),
                zone: isAd ? statement.bytes(6) : UnsafeRawBufferPointer(start: nil, count: 0),
                token: statement.bytes(3)
            )
        }
        return nil
    }
}

extension PushType {
    static func stored(_ code: Int64) throws(StoreError) -> PushType {
        guard let pushType = PushType(code: code) else { throw .failed("A token has an unknown push type.") }
        return pushType
    }
}
