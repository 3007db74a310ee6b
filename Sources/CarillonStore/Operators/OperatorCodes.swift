package import CarillonEngine
package import CarillonOperatorModel

extension OperatorRole: StoredAsCode {
    package var code: Int64 {
        switch self {
        case .viewer: 1
        case .editor: 2
        case .sender: 3
        case .admin: 4
        }
    }

    package init?(code: Int64) {
        switch code {
        case 1: self = .viewer
        case 2: self = .editor
        case 3: self = .sender
        case 4: self = .admin
        default: return nil
        }
    }
}

extension Operator.State: StoredAsCode {
    package var code: Int64 {
        switch self {
        case .invited: 1
        case .active: 2
        case .disabled: 3
        }
    }

    package init?(code: Int64) {
        switch code {
        case 1: self = .invited
        case 2: self = .active
        case 3: self = .disabled
        default: return nil
        }
    }
}

extension Operator.Theme: StoredAsCode {
    package var code: Int64 {
        switch self {
        case .system: 0
        case .light: 1
        case .dark: 2
        }
    }

    package init?(code: Int64) {
        switch code {
        case 0: self = .system
        case 1: self = .light
        case 2: self = .dark
        default: return nil
        }
    }
}

extension OperatorSession.Method: StoredAsCode {
    package var code: Int64 {
        switch self {
        case .password: 1
        case .passkey: 2
        case .provider: 3
        case .proxy: 4
        }
    }

    package init?(code: Int64) {
        switch code {
        case 1: self = .password
        case 2: self = .passkey
        case 3: self = .provider
        case 4: self = .proxy
        default: return nil
        }
    }
}

extension OperatorLink.Kind: StoredAsCode {
    package var code: Int64 {
        switch self {
        case .setup: 1
        case .invite: 2
        case .reset: 3
        }
    }

    package init?(code: Int64) {
        switch code {
        case 1: self = .setup
        case 2: self = .invite
        case 3: self = .reset
        default: return nil
        }
    }
}
