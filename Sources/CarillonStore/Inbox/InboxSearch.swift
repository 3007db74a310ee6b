import CarillonEngine
import CarillonModel

/// Gathers the latest messages of some numbers: rows of lists and broadcasts in one order.
struct InboxSearch {
    private let app: AppID
    private let numbers: [InboxNumber]
    private let first: OccurrenceID
    private let limit: Int
    /// Newest first, each Occurrence once.
    private(set) var entries: [InboxEntry] = []

    init(app: AppID, numbers: [InboxNumber], first: OccurrenceID, limit: Int) {
        self.app = app
        self.numbers = numbers
        self.first = first
        self.limit = limit
    }

    /// Takes what was sent to lists.
    mutating func lookAtRows(_ connection: any SQLConnection) throws(StoreError) {
        for number in numbers {
            let found = try connection.all(InboxSQL.rows, app, number.number, first, limit) { row in
                OccurrenceID(rawValue: row.int64(0))
            }
            entries += found.map { InboxEntry(occurrence: $0, device: number.number, isRead: false) }
        }
        settle()
    }

    /// Takes what was sent to everybody, newest first, until there is enough.
    mutating func lookAtBroadcasts(_ connection: any SQLConnection) throws(StoreError) {
        let rows = entries
        var newer = 0
        var found: [InboxEntry] = []
        let broadcasts = try connection.prepare(InboxSQL.broadcasts)
        defer { broadcasts.reset() }
        broadcasts.bind(app.rawValue, at: 1)
        broadcasts.bind(first.rawValue, at: 2)
        broadcasts.bind(Int64(InboxRepository.broadcastLimit), at: 3)
        let delivery = try connection.prepare(InboxSQL.delivery)
        delivery.bind(app.rawValue, at: 1)
        while found.count + newer < limit, try broadcasts.next() {
            let occurrence = OccurrenceID(rawValue: broadcasts.int64(0))
            while newer < rows.count, rows[newer].occurrence > occurrence { newer += 1 }
            let lastDevice = DeviceNumber(rawValue: broadcasts.int64(1))
            for number in numbers where number.number <= lastDevice && number.mayHave(occurrence) {
                delivery.bind(occurrence.rawValue, at: 2)
                delivery.bind(number.number.rawValue, at: 3)
                let isThere = try delivery.next()
                delivery.reset()
                guard isThere else { continue }
                found.append(InboxEntry(occurrence: occurrence, device: number.number, isRead: false))
                break
            }
        }
        entries += found
        settle()
    }

    /// Notes what was read: by the User, or on a Device while it had no User.
    mutating func lookAtReads(_ connection: any SQLConnection, owner: InboxOwner) throws(StoreError) {
        guard let oldest = entries.last?.occurrence else { return }
        let limit = InboxRepository.readLimit
        var read: Set<OccurrenceID> = []
        if case .user(let user) = owner {
            read.formUnion(
                try connection.all(InboxSQL.userReads, app, user, oldest, limit) { OccurrenceID(rawValue: $0.int64(0)) }
            )
        }
        for number in numbers {
            read.formUnion(
                try connection.all(InboxSQL.deviceReads, app, number.number, oldest, limit) { row in
                    OccurrenceID(rawValue: row.int64(0))
                }
            )
        }
        for index in entries.indices { entries[index].isRead = read.contains(entries[index].occurrence) }
    }

    /// Puts entries in order, keeps one of each Occurrence, and no more than there is room for.
    private mutating func settle() {
        entries.sort { $0.occurrence > $1.occurrence }
        var kept: [InboxEntry] = []
        for entry in entries where kept.last?.occurrence != entry.occurrence {
            guard kept.count < limit else { break }
            kept.append(entry)
        }
        entries = kept
    }
}
