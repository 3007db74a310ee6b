import CarillonModel
package import CarillonOperatorModel

extension Operators {
    /// Returns Operators in order of creation.
    ///
    /// - Parameters:
    ///   - after: The last one of the page before.
    ///   - limit: 1 through 1,000.
    /// - Returns: The page.
    /// - Throws: ``EngineError/store(_:)``.
    package func list(after: OperatorID?, limit: Int) async throws(EngineError) -> Page<Operator> {
        let limit = min(max(1, limit), 1_000)
        let found = try await stored(try await store.operators(after: after, limit: limit + 1))
        return Page(found, limit: limit) { $0.id.description }
    }

    /// Returns an Operator.
    ///
    /// - Throws: ``EngineError/notFound(_:)`` when there is no such Operator.
    package func record(_ id: OperatorID) async throws(EngineError) -> Operator {
        let found = try await stored(try await store.find(id))
        guard let found else { throw .notFound(.operator) }
        return found.record
    }

    /// Returns an Operator's sessions, the latest first; at most 100.
    ///
    /// - Throws: ``EngineError/notFound(_:)`` when there is no such Operator.
    package func sessions(of id: OperatorID) async throws(EngineError) -> [OperatorSessionRecord] {
        _ = try await record(id)
        return try await validRecords(of: id)
    }

    /// Returns how an Operator can sign in, beside the password and the authenticator.
    ///
    /// - Throws: ``EngineError/notFound(_:)`` when there is no such Operator.
    package func signIns(of id: OperatorID) async throws(EngineError) -> OperatorSignIns {
        _ = try await record(id)
        return try await listedSignIns(of: id)
    }

    func listedSignIns(of id: OperatorID) async throws(EngineError) -> OperatorSignIns {
        let passkeys = try await stored(try await store.passkeys(of: id, limit: OperatorLimits.passkeys))
        return OperatorSignIns(
            passkeys: passkeys.map(\.record),
            identities: try await stored(try await store.identities(of: id, limit: OperatorLimits.identities))
        )
    }

    /// Removes an Operator's passkey and ends all sessions of the Operator.
    ///
    /// - Throws: ``EngineError/notFound(_:)``.
    package func removePasskey(
        _ passkey: OperatorPasskeyID,
        of id: OperatorID,
        by actor: OperatorActor
    ) async throws(EngineError) -> OperatorChange<OperatorPasskeyID> {
        try check(actor)
        let removed = try await stored(try await store.remove(passkey, of: id, by: actor.session))
        guard let removed else { throw .operators(.noSession) }
        guard removed else { throw .notFound(.operatorPasskey) }
        return OperatorChange(passkey, object: id, change: "passkey: \(passkey) removed")
    }

    /// Removes an Operator's account at an identity provider and ends all sessions of the Operator.
    ///
    /// - Throws: ``EngineError/notFound(_:)``.
    package func removeIdentity(
        _ identity: OperatorIdentityID,
        of id: OperatorID,
        by actor: OperatorActor
    ) async throws(EngineError) -> OperatorChange<OperatorIdentityID> {
        try check(actor)
        let removed = try await stored(try await store.remove(identity, of: id, by: actor.session))
        guard let removed else { throw .operators(.noSession) }
        guard removed else { throw .notFound(.operatorIdentity) }
        return OperatorChange(identity, object: id, change: "identity: \(identity) removed")
    }

    /// Invites an Operator.
    ///
    /// - Returns: The Operator and the link of the invitation.
    /// - Throws: ``OperatorRefusal/addressTaken``, ``EngineError/invalid(_:)``, ``EngineError/notFound(_:)`` for an App.
    package func invite(
        _ invitation: OperatorInvitation,
        by actor: OperatorActor
    ) async throws(EngineError) -> OperatorChange<OperatorWithLink> {
        try check(actor)
        let new = try newOperator(invitation)
        let link = newLink(.invite, for: options.linkTime)
        switch try await stored(try await store.insert(new, link: link.stored, by: actor.session)) {
        case .done: break
        case .addressTaken: throw .operators(.addressTaken)
        case .unknownApp: throw .notFound(.app)
        case .actorGone: throw .operators(.noSession)
        }
        let made = OperatorWithLink(person: new.record, link: link.shown)
        return OperatorChange(made, object: new.record.id, change: new.record.difference(from: nil))
    }

    /// Changes an Operator's roles, state or name; other roles and disabling end all sessions of the Operator.
    ///
    /// - Throws: ``OperatorRefusal/lastAdmin``, ``EngineError/notFound(_:)``, ``EngineError/invalid(_:)``.
    package func update(
        _ id: OperatorID,
        _ update: OperatorUpdate,
        by actor: OperatorActor
    ) async throws(EngineError) -> OperatorChange<Operator> {
        try check(actor)
        if let name = update.displayName, try Self.checkedName(name) == nil {
            throw .wrong("displayName", "must have 1 through 64 characters")
        }
        if update.role != nil || update.apps != nil {
            try Self.check(update.roles(from: try await record(id).roles))
        }
        return try changed(id, try await stored(try await store.update(id, update, by: actor.session)))
    }

    /// Makes a link: an invitation anew for an Operator who has not accepted, otherwise one for a new password.
    ///
    /// - Parameters:
    ///   - id: The Operator; former links end.
    ///   - removesSecondFactor: Whether using the link removes the second factor too.
    ///   - actor: Who asks.
    /// - Returns: The Operator and the link.
    /// - Throws: ``EngineError/notFound(_:)``, ``EngineError/conflict(_:)`` for a disabled Operator.
    package func newLink(
        for id: OperatorID,
        removesSecondFactor: Bool = false,
        by actor: OperatorActor
    ) async throws(EngineError) -> OperatorChange<OperatorWithLink> {
        try check(actor)
        let state = try await record(id).state
        guard state != .disabled else { throw .conflict("The Operator is disabled.") }
        let kind: OperatorLink.Kind = state == .invited ? .invite : .reset
        let link = newLink(
            kind,
            for: options.linkTime,
            removesSecondFactor: removesSecondFactor && kind == .reset
        )
        let person = try await stored(try await store.insert(link.stored, of: id, state: state, by: actor.session))
        guard let person else { throw .conflict("The Operator was changed meanwhile.") }
        let factor = link.stored.removesSecondFactor ? ", removes the second factor" : ""
        return OperatorChange(
            OperatorWithLink(person: person, link: link.shown),
            object: id,
            change: "link: new \(kind.rawValue)\(factor)"
        )
    }

    /// Ends all sessions of an Operator.
    ///
    /// - Returns: How many ended.
    /// - Throws: ``EngineError/notFound(_:)``.
    package func endSessions(
        of id: OperatorID,
        by actor: OperatorActor
    ) async throws(EngineError) -> OperatorChange<Int> {
        try check(actor)
        _ = try await record(id)
        let count = try await stored(try await store.endSessions(of: id, except: nil))
        return OperatorChange(count, object: id, change: "sessions: \(count) → 0")
    }

    /// Removes an Operator; the audit log keeps the id.
    ///
    /// - Throws: ``OperatorRefusal/lastAdmin``, ``EngineError/notFound(_:)``.
    package func remove(
        _ id: OperatorID,
        by actor: OperatorActor
    ) async throws(EngineError) -> OperatorChange<Operator> {
        try check(actor)
        var removed = try changed(id, try await stored(try await store.remove(id, by: actor.session)))
        removed.change = "state: \(removed.value.state.rawValue) → removed"
        return removed
    }

    /// Makes an admin when nobody else can: an existing Operator is invited anew, as an admin.
    ///
    /// - Parameters:
    ///   - address: The address.
    ///   - displayName: The name that others see; `nil` for the address.
    /// - Returns: The Operator and a link: the invitation. Whoever had the account cannot use it any more.
    /// - Throws: ``EngineError/invalid(_:)``.
    package func makeAdmin(
        address: String,
        displayName: String? = nil
    ) async throws(EngineError) -> OperatorChange<OperatorWithLink> {
        let roles = OperatorRoles(everywhere: .admin)
        let new = try newOperator(OperatorInvitation(address: address, displayName: displayName, roles: roles))
        let link = newLink(.invite, for: options.linkTime)
        let (before, after) = try await stored(try await store.makeAdmin(new, link: link.stored))
        return OperatorChange(
            OperatorWithLink(person: after, link: link.shown),
            object: after.id,
            change: after.difference(from: before)
        )
    }

    // MARK: - Parts

    /// The change that a store made.
    func changed(_ id: OperatorID, _ writing: OperatorWriting) throws(EngineError) -> OperatorChange<Operator> {
        switch writing {
        case .done(let before, let after):
            return OperatorChange(after, object: id, change: after.difference(from: before))
        case .unknown: throw .notFound(.operator)
        case .unknownApp: throw .notFound(.app)
        case .lastAdmin: throw .operators(.lastAdmin)
        case .actorGone: throw .operators(.noSession)
        }
    }

    private func check(_ actor: OperatorActor) throws(EngineError) {
        try actor.check(at: clock.now(), freshness: options.freshness)
    }
}

extension OperatorUpdate {
    /// The roles after the change.
    package func roles(from former: OperatorRoles) -> OperatorRoles {
        var roles = former
        switch role {
        case .role(let role)?: roles.everywhere = role
        case .noRole?: roles.everywhere = nil
        case nil: break
        }
        if let apps { roles.apps = apps }
        return roles
    }
}

extension Operator {
    /// What changed, before → after, as the audit log has it; `nil` when nothing did.
    ///
    /// Names are not in it: the log stays when an Operator is removed.
    func difference(from before: Operator?) -> String? {
        func text(_ apps: [OperatorAppRole]?) -> String {
            let all = apps?.sorted { $0.app < $1.app }.map { "\($0.app) \($0.role.rawValue)" } ?? []
            return all.isEmpty ? "-" : all.joined(separator: ", ")
        }
        func part(_ name: String, _ former: String?, _ new: String?) -> String? {
            former == new ? nil : "\(name): \(former ?? "-") → \(new ?? "-")"
        }
        let parts = [
            part("state", before?.state.rawValue, state.rawValue), part("role", before?.role?.rawValue, role?.rawValue),
            part("apps", text(before?.apps), text(apps)), part("language", before?.language, language),
            part("zone", before?.zone, zone), part("theme", (before?.theme ?? .system).rawValue, theme.rawValue),
            before.map { $0.displayName != displayName } == true ? "displayName: changed" : nil,
        ].compactMap(\.self)
        return parts.isEmpty ? nil : parts.joined(separator: "; ")
    }
}
