import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import CarillonStore
import Testing

/// Roles, fresh authentication, and who may change whom.
struct OperatorAdministrationTests {
    private enum Removal: CaseIterable { case demote, disable, remove, lowerToSender }

    private func take(_ removal: Removal, _ id: OperatorID, _ node: Operators) async throws {
        var update = OperatorUpdate()
        switch removal {
        case .demote: (update.role, update.apps) = (.role(.viewer), [])
        case .lowerToSender: update.role = .role(.sender)
        case .disable: update.isDisabled = true
        case .remove:
            _ = try await node.remove(id, by: .server)
            return
        }
        _ = try await node.update(id, update, by: .server)
    }

    @Test("K-22 The last admin cannot be demoted, disabled or removed", arguments: [0, 1, 2, 3])
    func keepsLastAdmin(_ number: Int) async throws {
        let world = try await OperatorWorld()
        let removal = Removal.allCases[number]
        let ann = try await world.join("ann", OperatorRoles(everywhere: .admin)).session.owner.id
        // Neither an admin who never came nor one of an App counts.
        let app = try await world.registry.app().app.id
        let admin = OperatorInvitation(address: "invited", roles: OperatorRoles(everywhere: .admin))
        _ = try await world.operators.invite(admin, by: .server)
        _ = try await world.join("app", OperatorRoles(apps: [OperatorAppRole(app: app, role: .admin)]))

        await #expect(throws: EngineError.operators(.lastAdmin)) { try await take(removal, ann, world.operators) }
        #expect(try await world.operators.record(ann).role == .admin)
        #expect(try await world.operators.record(ann).state == .active)
        let bob = try await world.join("bob", OperatorRoles(everywhere: .admin)).session.owner.id
        try await take(removal, ann, world.operators)
        await #expect(throws: EngineError.operators(.lastAdmin)) { try await take(removal, bob, world.other) }
    }

    @Test("K-22 Of two simultaneous requests against the last two admins one is refused")
    func keepsOneOfTwo() async throws {
        let world = try await OperatorWorld()
        for first in Removal.allCases {
            for second in Removal.allCases {
                let name = "\(first)-\(second)"
                var ids: [OperatorID] = []
                for person in ["a", "b"] {
                    ids.append(
                        try await world.join("\(person)-\(name)", OperatorRoles(everywhere: .admin)).session.owner.id
                    )
                }
                // Whoever stayed from the round before goes.
                for known in try await world.operators.list(after: nil, limit: 100).items where !ids.contains(known.id)
                {
                    _ = try await world.operators.remove(known.id, by: .server)
                }
                let requests = [(first, ids[0], world.operators), (second, ids[1], world.other)]
                let refused = await withTaskGroup(of: EngineError?.self) { group in
                    for (removal, id, node) in requests {
                        group.addTask {
                            do {
                                try await take(removal, id, node)
                                return nil
                            } catch {
                                return error as? EngineError
                            }
                        }
                    }
                    return await group.reduce(into: [EngineError]()) { if let error = $1 { $0.append(error) } }
                }
                #expect(refused == [.operators(.lastAdmin)], "\(name)")
                let admins = try await world.operators.list(after: nil, limit: 10).items.filter {
                    $0.role == .admin && $0.state == .active
                }
                #expect(admins.count == 1, "\(name)")
            }
        }
    }

    @Test("K-21 What needs a fresh authentication is refused 15 minutes after the last, and allowed after a new one")
    func needsFreshness() async throws {
        let world = try await OperatorWorld()
        let ann = try await world.joinWithFactor("ann")
        let invitation = OperatorInvitation(address: "kim", roles: OperatorRoles(everywhere: .viewer))
        world.advance(.seconds(900))
        #expect(world.operators.isFresh(ann.opened.session))
        world.clock.advance(milliseconds: 1)
        #expect(!world.operators.isFresh(ann.opened.session))
        let stale = EngineError.operators(.freshAuthenticationRequired)
        await #expect(throws: stale) { try await world.operators.invite(invitation, by: .session(ann.opened.session)) }
        await #expect(throws: stale) {
            try await world.operators.newRecoveryCodes(ann.opened.value, by: world.caller)
        }
        #expect(throws: stale) { try world.operators.beginSecondFactor(ann.opened.session) }

        let fresh = try await world.operators.authenticate(
            ann.opened.value,
            with: .code(world.code(ann.factor)),
            by: world.caller
        )
        #expect(fresh.value != ann.opened.value && fresh.session.id == ann.opened.session.id)
        #expect(try await world.other.session(ann.opened.value, by: world.caller) == nil)
        _ = try await world.operators.invite(invitation, by: .session(fresh.session))
        world.advance(.seconds(901))
        let again = try await world.operators.authenticate(
            fresh.value,
            with: .password(OperatorWorld.password),
            by: world.caller
        )
        #expect(world.operators.isFresh(again.session))
        await #expect(throws: EngineError.operators(.wrongCredentials(of: again.session.owner.id))) {
            try await world.operators.authenticate(again.value, with: .password("wrong"), by: world.caller)
        }
    }

    @Test("Roles are the greater of the App's and the one everywhere, and an App without one is not told")
    func roles() async throws {
        let world = try await OperatorWorld()
        let (bus, tram) = (try await world.registry.app().app.id, try await world.registry.app().app.id)
        let own = OperatorRoles(everywhere: .viewer, apps: [OperatorAppRole(app: bus, role: .editor)])
        let kim = try await world.join("kim", own).session
        #expect(kim.role(in: bus) == .editor && kim.role(in: tram) == .viewer && kim.role(in: nil) == .viewer)
        try kim.require(.editor, in: bus)
        #expect(throws: EngineError.operators(.roleRequired(.editor))) { try kim.require(.editor, in: tram) }
        let lee = try await world.join("lee", OperatorRoles(apps: [OperatorAppRole(app: bus, role: .editor)])).session
        #expect(throws: EngineError.notFound(.app)) { try lee.require(.viewer, in: tram) }
        #expect(throws: EngineError.operators(.roleRequired(.admin))) { try lee.require(.admin, in: nil) }
        let invitation = OperatorInvitation(address: "x", roles: OperatorRoles(everywhere: .admin))
        await #expect(throws: EngineError.operators(.roleRequired(.admin))) {
            try await world.operators.invite(invitation, by: .session(lee))
        }
        #expect(OperatorRole.allCases == OperatorRole.allCases.sorted())
    }

    @Test("The second factor is required of senders and admins, and others may have and remove one")
    func requiresSecondFactor() async throws {
        let world = try await OperatorWorld()
        let app = try await world.registry.app().app.id
        for role in OperatorRole.allCases {
            for roles in [
                OperatorRoles(everywhere: role), OperatorRoles(apps: [OperatorAppRole(app: app, role: role)]),
            ] {
                let opened = try await world.join("\(role) \(roles.apps.count)", roles)
                #expect(opened.session.stage == (role >= .sender ? .enrolment : .full))
            }
        }
        let editor = try await world.joinWithFactor("ed", OperatorRoles(everywhere: .editor))
        let without = try await world.operators.removeSecondFactor(editor.opened.value, by: world.caller)
        #expect(!without.session.owner.hasSecondFactor && without.session.owner.recoveryCodes == 0)
        let admin = try await world.joinWithFactor("ad")
        await #expect(throws: EngineError.operators(.secondFactorRequired)) {
            try await world.operators.removeSecondFactor(admin.opened.value, by: world.caller)
        }
    }

    @Test("Sessions are listed and ended, one or all others, and the oldest ends above the limit")
    func listsSessions() async throws {
        let world = try await OperatorWorld { $0.sessionLimit = 3 }
        let first = try await world.join("ann")
        var values = [first.value]
        for _ in 0..<3 {
            world.clock.advance(milliseconds: 1)
            values.append(try await world.signIn("ann").value)
        }
        #expect(try await world.operators.session(values[0], by: world.caller) == nil)
        let own = try #require(try await world.operators.session(values[1], by: world.caller))
        let listed = try await world.other.sessions(of: own)
        #expect(listed.count == 3 && listed.map(\.createdAt) == listed.map(\.createdAt).sorted(by: >))
        #expect(listed.last?.id == own.id && listed.allSatisfy { $0.client == "Test" && $0.address == "192.0.2.1" })
        try await world.operators.endSession(listed[0].id, of: own)
        #expect(try await world.operators.session(values[3], by: world.caller) == nil)
        let bob = try await world.join("bob")
        await #expect(throws: EngineError.notFound(.operatorSession)) {
            try await world.operators.endSession(bob.session.id, of: own)
        }
        #expect(try await world.operators.endOtherSessions(of: own) == 1)
        #expect(try await world.operators.session(values[1], by: world.caller) != nil)
        #expect(try await world.other.endSessions(of: own.owner.id, by: .server).value == 1)
        #expect(try await world.operators.session(values[1], by: world.caller) == nil)
    }

    @Test("K-08 An admin whose session has ended changes no Operator, also when the request was under way")
    func needsLiveSession() async throws {
        let world = try await OperatorWorld()
        let ann = try await world.joinWithFactor("ann").opened
        let kim = try await world.join("kim").session.owner
        try await world.other.signOut(ann.value)

        let (actor, gone) = (OperatorActor.session(ann.session), EngineError.operators(.noSession))
        let invitation = OperatorInvitation(address: "eve", roles: OperatorRoles(everywhere: .admin))
        await #expect(throws: gone) { try await world.operators.invite(invitation, by: actor) }
        var update = OperatorUpdate()
        update.isDisabled = true
        await #expect(throws: gone) { try await world.operators.update(kim.id, update, by: actor) }
        await #expect(throws: gone) { try await world.operators.remove(kim.id, by: actor) }
        await #expect(throws: EngineError.self) { try await world.operators.newLink(for: kim.id, by: actor) }
        let left = try await world.operators.list(after: nil, limit: 10).items
        #expect(left.map(\.address) == ["ann", "kim"] && left.allSatisfy { $0.state == .active })
    }

    @Test("Who knows the password alone ends no whole session, and has 60 attempts an hour")
    func limitsHalfSessions() async throws {
        let world = try await OperatorWorld { $0.sessionLimit = 3 }
        let ann = try await world.joinWithFactor("ann").opened
        for _ in 0..<60 {
            world.clock.advance(milliseconds: 1)
            #expect(try await world.signIn("ann", from: "198.51.100.1").session.stage == .secondFactor)
        }
        await #expect(throws: EngineError.self) { try await world.signIn("ann", from: "198.51.100.1") }
        #expect(try await world.operators.session(ann.value, by: world.caller) != nil)
        #expect(try await world.operators.sessions(of: ann.session).count == 4)
    }

    @Test("Preferences are checked and kept")
    func preferences() async throws {
        let world = try await OperatorWorld()
        let ann = try await world.join("ann").session
        var wanted = OperatorPreferences()
        (wanted.language, wanted.zone, wanted.theme) = (.value("zh-Hant"), .value("Asia/Taipei"), .dark)
        wanted.displayName = "Ann 安"
        let change = try await world.operators.setPreferences(wanted, of: ann)
        #expect(
            change.change == "language: - → zh-Hant; zone: - → Asia/Taipei; theme: system → dark; displayName: changed"
        )
        let known = try await world.other.record(ann.owner.id)
        #expect(known == change.value && known.displayName == "Ann 安" && known.role == .viewer)
        for wrong in [OperatorPreferences.Choice.value("Asia/Nowhere"), .value("")] {
            var preferences = OperatorPreferences()
            preferences.zone = wrong
            await #expect(throws: EngineError.self) { try await world.operators.setPreferences(preferences, of: ann) }
        }
        wanted = OperatorPreferences()
        wanted.zone = .automatic
        #expect(try await world.operators.setPreferences(wanted, of: ann).value.zone == nil)
    }

    @Test("An admin is made on the store when none can sign in: new, or out of whoever has the address")
    func makesAdmin() async throws {
        let world = try await OperatorWorld()
        let new = try await world.operators.makeAdmin(address: "ann").value
        #expect(new.link.kind == .invite && new.person.role == .admin && new.person.state == .invited)
        _ = try await world.operators.acceptInvitation(
            new.link.secret,
            displayName: nil,
            password: OperatorWorld.password,
            by: world.caller
        )
        let kim = try await world.joinWithFactor("Kim", OperatorRoles(everywhere: .viewer))
        var update = OperatorUpdate()
        update.isDisabled = true
        _ = try await world.operators.update(kim.opened.session.owner.id, update, by: .server)
        let made = try await world.operators.makeAdmin(address: "KIM")
        let id = kim.opened.session.owner.id
        #expect(made.value.link.kind == .invite && made.value.person.id == id)
        #expect(made.change == "state: disabled → invited; role: viewer → admin")
        #expect(!made.value.person.hasSecondFactor && made.value.person.recoveryCodes == 0)
        // Nothing of before is good while the link waits.
        let stored = try await world.registry.stores.operators.find(id)
        #expect(stored?.password == nil && stored?.secondFactor == nil)
        await #expect(throws: EngineError.operators(.wrongCredentials(of: id))) { try await world.signIn("kim") }
        let opened = try await world.operators.acceptInvitation(
            made.value.link.secret,
            displayName: nil,
            password: OperatorWorld.password,
            by: world.caller
        )
        #expect(opened.session.stage == .enrolment && !opened.session.owner.hasSecondFactor)
    }

    @Test("Expired sessions, links and counts are deleted, others stay")
    func sweeps() async throws {
        let world = try await OperatorWorld()
        let retention = Retention(
            store: world.registry.stores.retention,
            apps: world.registry.stores.apps,
            users: world.registry.engine.users,
            operators: world.operators,
            clock: world.clock,
            logger: CollectedLog().logger
        )
        let ann = try await world.join("ann")
        let link = try await world.operators.newLink(for: ann.session.owner.id, by: .server).value.link
        _ = try? await world.signIn("ann", "wrong")
        #expect(await retention.round())
        #expect(try await world.operators.sessions(of: ann.session.owner.id).count == 1)
        _ = try await world.operators.link(link.secret, .reset)
        world.advance(.seconds(86_401))
        #expect(await retention.round())
        let store = world.registry.stores.operators
        #expect(try await store.sessions(of: ann.session.owner.id, limit: 10) == [])
        #expect(try await store.link(SecretHash(of: link.secret)) == nil)
        #expect(try await store.dropExpired(at: world.clock.now(), idleBefore: world.clock.now(), limit: 1) == false)
    }
}
