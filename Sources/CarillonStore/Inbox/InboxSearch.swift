import CarillonEngine
import CarillonModel
import CarillonSQL

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
    mutating func lookAtRows(_ connection: any SQLConnection) throws {
        let dialect = connection.dialect
        entries += try connection.all(
            dialect.pick(sqlite: InboxSQL.rows.sqlite, postgreSQL: InboxSQL.rows.postgreSQL),
            list(dialect),
            app,
            first,
            limit,
            as: (OccurrenceID, DeviceNumber).self
        ).map { InboxEntry(occurrence: $0, device: $1, isRead: false) }
        sortAndTrim()
    }

    /// Takes what was sent to everybody, newest first, until there is enough: a few statements, each for more.
    mutating func lookAtBroadcasts(_ connection: any SQLConnection) throws {
        guard let own = numbers.first else { return }
        let rows = entries
        let dialect = connection.dialect
        let sql = dialect.pick(sqlite: InboxSQL.broadcasts.sqlite, postgreSQL: InboxSQL.broadcasts.postgreSQL)
        var last = OccurrenceID(rawValue: .max)
        var found: [InboxEntry] = []
        for portion in InboxRepository.broadcastPortions {
            let looked = try connection.all(
                sql,
                own.number,
                app,
                list(dialect),
                first,
                last,
                portion,
                as: (OccurrenceID, DeviceNumber?).self
            )
            for case (let occurrence, let device?) in looked {
                let number = device.rawValue == .max ? own.number : device
                found.append(InboxEntry(occurrence: occurrence, device: number, isRead: false))
            }
            guard looked.count == portion, let end = looked.last?.0 else { break }
            let newer = rows.count { $0.occurrence > end }
            guard found.count + newer < limit else { break }
            last = end
        }
        entries += found
        sortAndTrim()
    }

    /// Notes what was read: by the User, or on a Device while it had no User.
    mutating func lookAtReads(_ connection: any SQLConnection, owner: InboxOwner) throws {
        guard !entries.isEmpty else { return }
        let dialect = connection.dialect
        let occurrences = SQLList(entries.lazy.map(\.occurrence.rawValue), dialect)
        var read: [OccurrenceID] = []
        if case .user(let user) = owner {
            let sql = dialect.pick(sqlite: InboxSQL.userReads.sqlite, postgreSQL: InboxSQL.userReads.postgreSQL)
            read += try connection.all(sql, app, user, occurrences, as: OccurrenceID.self)
        }
        let sql = dialect.pick(sqlite: InboxSQL.deviceReads.sqlite, postgreSQL: InboxSQL.deviceReads.postgreSQL)
        read += try connection.all(sql, list(dialect), app, occurrences, as: OccurrenceID.self)
        let known = Set(read)
        for index in entries.indices { entries[index].isRead = known.contains(entries[index].occurrence) }
    }

    private func list(_ dialect: Dialect) -> SQLList { SQLList(numbers.lazy.map(\.number.rawValue), dialect) }

    /// Puts entries in order, keeps one of each Occurrence, and no more than there is room for.
    private mutating func sortAndTrim() {
        entries.sort { $0.occurrence > $1.occurrence }
        var kept: [InboxEntry] = []
        for entry in entries where kept.last?.occurrence != entry.occurrence {
            guard kept.count < limit else { break }
            kept.append(entry)
        }
        entries = kept
    }
}
