package import CarillonModel

/// Words of a fixed list are kept as small numbers, which never change their meaning.
package protocol StoredAsCode {
    var code: Int64 { get }
    /// `nil` for a number that no version has written.
    init?(code: Int64)
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
