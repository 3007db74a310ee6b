import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import CarillonSQL

/// Operators in SQL.
///
/// All writes but the recording of a use take turns at one lock: what is decided holds until the commit.
struct OperatorRepository: OperatorStore {
    let database: any Database

    // MARK: Reading

    func hasAdmin() async throws(StoreError) -> Bool {
        try await database.read { connection in try connection.operators.hasAdmin(besides: nil) }
    }

    func find(_ id: OperatorID) async throws(StoreError) -> StoredOperator? {
        try await database.read { connection in try connection.operators.find(id) }
    }

    func find(named key: String) async throws(StoreError) -> StoredOperator? {
        try await database.read { connection in try connection.operators.find(named: key) }
    }

    func operators(after id: OperatorID?, limit: Int) async throws(StoreError) -> [Operator] {
        try await database.read { connection in
            try connection.operators.list(after: id ?? OperatorID(rawValue: -1), limit: limit)
        }
    }

    // MARK: Writing

    func insert(
        _ new: StoredOperator,
        link: NewOperatorLink,
        by session: OperatorSessionID?
    ) async throws(StoreError) -> OperatorInsertion {
        try await database.write { connection in
            try connection.lock(.operators)
            guard try connection.operators.mayChange(session) else { return .actorGone }
            if let app = try connection.operators.unknownApp(new.record.apps) { return .unknownApp(app) }
            if try connection.operators.find(named: new.name.key) != nil { return .addressTaken }
            try connection.operators.insert(new)
            try connection.operators.insert(link, of: new.record.id)
            return .done
        }
    }

    func update(
        _ id: OperatorID,
        _ update: OperatorUpdate,
        by session: OperatorSessionID?
    ) async throws(StoreError) -> OperatorWriting {
        try await database.write { connection in
            try connection.lock(.operators)
            guard try connection.operators.mayChange(session) else { return .actorGone }
            guard let person = try connection.operators.find(id) else { return .unknown }
            let before = person.record
            var after = before
            after.roles = update.roles(from: before.roles)
            after.displayName = update.displayName ?? before.displayName
            if update.isDisabled == true { after.state = .disabled }
            if update.isDisabled == false, before.state == .disabled {
                after.state = person.password == nil ? .invited : .active
            }
            if let apps = update.apps, let app = try connection.operators.unknownApp(apps) { return .unknownApp(app) }
            if before.isActiveAdmin, !after.isActiveAdmin, try !connection.operators.hasAdmin(besides: id) {
                return .lastAdmin
            }
            guard after != before else { return .done(before: before, after: after) }
            try connection.operators.save(after)
            if after.state == .disabled { try connection.operators.deleteLinks(of: id) }
            if after.state == .disabled || after.roles != before.roles {
                try connection.operators.endSessions(of: id)
            }
            return .done(before: before, after: after)
        }
    }

    func setPreferences(
        _ preferences: OperatorPreferences,
        of id: OperatorID
    ) async throws(StoreError) -> OperatorWriting {
        try await database.write { connection in
            try connection.lock(.operators)
            guard let before = try connection.operators.find(id)?.record else { return .unknown }
            var after = before
            after.displayName = preferences.displayName ?? before.displayName
            after.language = preferences.language.applied(to: before.language)
            after.zone = preferences.zone.applied(to: before.zone)
            after.theme = preferences.theme ?? before.theme
            try connection.operators.save(after)
            return .done(before: before, after: after)
        }
    }

    func remove(_ id: OperatorID, by session: OperatorSessionID?) async throws(StoreError) -> OperatorWriting {
        try await database.write { connection in
            try connection.lock(.operators)
            guard try connection.operators.mayChange(session) else { return .actorGone }
            guard let before = try connection.operators.find(id)?.record else { return .unknown }
            if before.isActiveAdmin, try !connection.operators.hasAdmin(besides: id) { return .lastAdmin }
            try connection.operators.delete(id)
            return .done(before: before, after: before)
        }
    }

    func makeAdmin(
        _ new: StoredOperator,
        link: NewOperatorLink
    ) async throws(StoreError) -> (before: Operator?, after: Operator) {
        try await database.write { connection in
            try connection.lock(.operators)
            guard let person = try connection.operators.find(named: new.name.key) else {
                try connection.operators.insert(new)
                try connection.operators.insert(link, of: new.record.id)
                return (before: nil, after: new.record)
            }
            var after = person.record
            after.role = .admin
            after.state = .invited
            try connection.operators.save(after)
            // Whoever knows the password of before, or has the authenticator, must not come in.
            try connection.operators.forgetProofs(of: after.id)
            try connection.operators.endSessions(of: after.id)
            try connection.operators.deleteLinks(of: after.id)
            try connection.operators.insert(link, of: after.id)
            let saved = try connection.operators.find(after.id)?.record ?? after
            return (before: person.record, after: saved)
        }
    }

    func dropExpired(at now: Timestamp, idleBefore: Timestamp, limit: Int) async throws(StoreError) -> Bool {
        try await database.write(priority: .bulk) { connection in
            try connection.lock(.operators)
            let counts = [
                try connection.operators.dropSessions(usedBefore: idleBefore, limit: limit),
                try connection.operators.dropLinks(expiredBy: now, limit: limit),
                try connection.operators.dropAttempts(forgottenBy: now, limit: limit),
                try connection.operators.dropChallenges(expiredBy: now, limit: limit),
            ]
            return counts.contains { $0 >= limit }
        }
    }
}

extension Operator {
    fileprivate var isActiveAdmin: Bool { state == .active && role == .admin }
}

extension OperatorPreferences.Choice {
    fileprivate func applied(to former: String?) -> String? {
        switch self {
        case .unchanged: former
        case .automatic: nil
        case .value(let value): value
        }
    }
}
