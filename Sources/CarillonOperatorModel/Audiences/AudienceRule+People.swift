package import CarillonModel
import Foundation

/// Ids of people in rules: a rule may name Users and Devices as a list does.
extension AudienceRule {
    /// Whether it names Users or Devices by their ids.
    package var namesPeople: Bool {
        terms.contains { term in
            switch term {
            case .user, .device: true
            default: false
            }
        }
    }

    /// The rule with the ids of a User and some Devices replaced by ids that match nobody; otherwise it matches the
    /// same Devices.
    ///
    /// - Parameters:
    ///   - user: The User.
    ///   - devices: The Devices.
    /// - Returns: The rule; itself when it names neither.
    package func redacting(_ user: UserID, _ devices: Set<DeviceID>) -> AudienceRule {
        switch self {
        case .and(let rules): .and(rules.map { $0.redacting(user, devices) })
        case .or(let rules): .or(rules.map { $0.redacting(user, devices) })
        case .not(let rule): .not(rule.redacting(user, devices))
        case .term(.user(let match)):
            .term(.user(match.replacing { $0 == user ? Self.nobody ?? $0 : $0 }))
        case .term(.device(let match)):
            .term(.device(match.replacing { devices.contains($0) ? Self.noDevice : $0 }))
        case .term: self
        }
    }

    private static let nobody = UserID(rawValue: "(erased)")
    private static let noDevice = DeviceID(rawValue: UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)))
}

extension Audience {
    /// Whether it names Users or Devices by their ids.
    package var namesPeople: Bool {
        switch self {
        case .users, .devices: true
        case .rule(let rule): rule.namesPeople
        case .all, .saved, .redacted: false
        }
    }

    /// Whether it lists a single User or Device: the content of such a Campaign is personal data.
    package var isToOne: Bool {
        switch self {
        case .users(let users): users.count == 1
        case .devices(let devices): devices.count == 1
        case .all, .rule, .saved, .redacted: false
        }
    }

    /// The audience without a User and some Devices: ``redacted`` when nobody else was listed.
    package func redacting(_ user: UserID, _ devices: Set<DeviceID>) -> Audience {
        switch self {
        case .users(let users):
            let others = users.filter { $0 != user }
            return others.isEmpty ? .redacted : .users(others)
        case .devices(let listed):
            let others = listed.filter { !devices.contains($0) }
            return others.isEmpty ? .redacted : .devices(others)
        case .rule(let rule): return .rule(rule.redacting(user, devices))
        case .all, .saved, .redacted: return self
        }
    }
}

extension Message {
    /// Replaces a deleted message: it has no content, and shows nothing.
    package static var redacted: Message {
        var message = Message(content: [:])
        message.silent = true
        return message
    }
}

extension AudienceMatch {
    fileprivate func replacing(_ replacement: (Value) -> Value) -> AudienceMatch {
        switch self {
        case .isEqual(let value): .isEqual(replacement(value))
        case .isNotEqual(let value): .isNotEqual(replacement(value))
        case .isAny(let values): .isAny(values.map(replacement))
        }
    }
}
