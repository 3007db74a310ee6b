import CarillonSQL

/// The columns of `deliveries`.
enum DeliveryColumn: Int, SQLColumn { case appID, occurrenceID, deviceNumber, pushType, outcome, reason, at }

/// The columns of `retries`.
enum RetryColumn: Int, SQLColumn { case appID, occurrenceID, deviceNumber, pushType, dueAt, attempts }

/// The columns of `recent_sends`.
enum RecentSendColumn: Int, SQLColumn {
    case appID, deviceNumber, occurrenceID, pushType, at, isAd, isCapped, message
}

extension SQLColumn {
    /// The column's place in ``parameters``, for loops over the rows of a Chunk.
    var parameter: Int { rawValue + 1 }
}

/// One notification of an Occurrence.
struct Addressee: Hashable {
    var device: Int64
    var pushType: Int64
}

/// The columns of ``Addressee``, in `deliveries` and in `retries`.
enum AddresseeColumn: Int, SQLColumn { case deviceNumber, pushType }

extension Addressee {
    init(row: any SQLStatement) {
        device = row.int64(AddresseeColumn.deviceNumber.rawValue)
        pushType = row.int64(AddresseeColumn.pushType.rawValue)
    }
}
