package import CarillonModel
package import CarillonOperatorModel
package import CarillonSQL
package import StoreErrors

/// A value of a fixed list that is stored as a small number, which never changes its meaning.
package protocol StoredAsCode: SQLBindable, SQLReadable {
    var code: Int64 { get }
    /// `nil` for a number that no version has written.
    init?(code: Int64)
}

extension StoredAsCode {
    package func bind(to statement: any SQLStatement, at index: Int) { statement.bind(code, at: index) }

    package static func read(_ row: any SQLStatement, at column: Int) throws(StoreError) -> Self {
        guard let value = Self(code: row.int64(column)) else {
            throw .failed("Column \(column) of a row holds \(row.int64(column)), which is the code of no \(Self.self).")
        }
        return value
    }
}

extension PushType: StoredAsCode {
    package var code: Int64 {
        switch self {
        case .apns: 1
        case .apnsSandbox: 2
        case .apnsVoIP: 3
        case .apnsVoIPSandbox: 4
        }
    }

    package init?(code: Int64) {
        switch code {
        case 1: self = .apns
        case 2: self = .apnsSandbox
        case 3: self = .apnsVoIP
        case 4: self = .apnsVoIPSandbox
        default: return nil
        }
    }
}

/// The states of a token; a Device without one has none.
extension DeviceRecord.TokenState: StoredAsCode {
    package var code: Int64 {
        switch self {
        case .none: 0
        case .active: 1
        case .quarantined: 2
        case .dropped: 3
        // Never stored: it follows from the time.
        case .expired: 4
        }
    }

    package init?(code: Int64) {
        switch code {
        case 0: self = .none
        case 1: self = .active
        case 2: self = .quarantined
        case 3: self = .dropped
        default: return nil
        }
    }
}

extension NotificationPermission: StoredAsCode {
    package var code: Int64 {
        switch self {
        case .notDetermined: 0
        case .denied: 1
        case .authorized: 2
        case .provisional: 3
        case .ephemeral: 4
        }
    }

    package init?(code: Int64) {
        switch code {
        case 0: self = .notDetermined
        case 1: self = .denied
        case 2: self = .authorized
        case 3: self = .provisional
        case 4: self = .ephemeral
        default: return nil
        }
    }
}

extension Event.Kind: StoredAsCode {
    package var code: Int64 {
        switch self {
        case .received: 1
        case .opened: 2
        case .dismissed: 3
        case .action: 4
        case .launched: 5
        }
    }

    package init?(code: Int64) {
        switch code {
        case 1: self = .received
        case 2: self = .opened
        case 3: self = .dismissed
        case 4: self = .action
        case 5: self = .launched
        default: return nil
        }
    }
}

extension Campaign.Channel: StoredAsCode {
    package var code: Int64 {
        switch self {
        case .notification: 1
        case .voip: 2
        }
    }

    package init?(code: Int64) {
        switch code {
        case 1: self = .notification
        case 2: self = .voip
        default: return nil
        }
    }
}

extension Delivery.Outcome: StoredAsCode {
    package var code: Int64 {
        switch self {
        case .accepted: 1
        case .failed: 2
        case .skipped: 3
        case .expired: 4
        }
    }

    package init?(code: Int64) {
        switch code {
        case 1: self = .accepted
        case 2: self = .failed
        case 3: self = .skipped
        case 4: self = .expired
        default: return nil
        }
    }
}
