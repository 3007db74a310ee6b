import ApplePush
import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import CarillonSQL
import CarillonStore
import Foundation
import NIOCore
import NIOPosix
import OpenIDConnect

/// Examines a server's configuration, store, keys and connections, whether it runs or not, without changes.
struct ServerDoctor {
    /// After this time due work counts as stuck: dispatchers look for work every second.
    private static let patience = Duration.seconds(300)
    /// Retention runs once a day.
    private static let retentionGrace = Duration.seconds(3 * 86_400)
    /// Maximum number of Apps whose push keys are checked.
    private static let appLimit = 10_000

    /// The server's configuration, without the files of certificates, which are checked separately.
    var configuration: ServerConfiguration
    var folder: URL
    var tlsCert: String?
    var tlsKey: String?
    var apnsCAFile: String?
    /// Skips network checks, except for the database.
    var isOffline = false
    var clock: any WallClock = SystemWallClock()
    var group: any EventLoopGroup = MultiThreadedEventLoopGroup.singleton

    /// Examines everything possible; a failed check does not prevent the others.
    func examine() async -> ServerReport {
        var report = ServerReport()
        let file: String? = if case .file(let path) = configuration.store { path } else { nil }
        report.add(.disk(DiskState(folder: folder, database: file)))
        var times = ClockComparison(now: clock.now())
        report.add(.hold(configuration.holdsBack))
        await examineStore(&report, &times)
        await examineWays(&report, &times)
        report.add(.clock(times))
        return report
    }

    // MARK: - Private

    private func examineWays(_ report: inout ServerReport, _ times: inout ClockComparison) async {
        let seconds = clock.now().rawValue / 1_000
        let trusted = ServerFinding.apnsCA(apnsCAFile, at: seconds)
        report.add(trusted)
        if !isOffline, trusted.verdict != .problem {
            let results = await APNsWay(configuration: configuration.apns, group: group).results()
            report.add(results.map(ServerFinding.apns))
            times.apns = results.lazy.compactMap(\.date).first
        }
        await examineProvider(&report)
        report.add(.tls(cert: tlsCert, key: tlsKey, at: seconds))
        let probe = ListeningProbe(configuration: configuration.server, group: group)
        report.add(.listening(await probe.state(), at: probe.place))
    }

    private func examineProvider(_ report: inout ServerReport) async {
        guard let provider = IdentityProvider.configured(configuration.identityProvider) else {
            return report.add(.ok(.identityProvider, "Operators sign in without an identity provider."))
        }
        let issuer = provider.settings.issuer
        guard !isOffline else { return report.add(.ok(.identityProvider, "\(issuer) was not asked.")) }
        do throws(ProviderProblem) {
            try await provider.check()
        } catch {
            return report.add(
                .problem(
                    .identityProvider,
                    error.sentence,
                    "Mend it or the setting; until then admins sign in at the console with their passwords."
                )
            )
        }
        guard issuer.hasPrefix("https://") else {
            return report.add(
                .warning(
                    .identityProvider,
                    "\(issuer) answers, without TLS: who reads the network reads the client secret.",
                    "Give the provider a certificate, unless it is on this machine."
                )
            )
        }
        report.add(.ok(.identityProvider, "\(issuer) answers, and publishes keys."))
    }

    private func examineStore(_ report: inout ServerReport, _ times: inout ClockComparison) async {
        do throws(StoreError) {
            switch configuration.store {
            case .file(let path):
                guard FileManager.default.fileExists(atPath: path) else {
                    report.add(
                        .warning(.store, "There is no file \(path).", "The first start of carillon serve creates it.")
                    )
                    return report.add(.masterKey(keyFileState()))
                }
                try await examine(ReadOnlyDatabase(file: path), &report, &times)
            case .postgreSQL(let url):
                let database = try PostgreSQLDatabase(url)
                defer { database.close() }
                try await examine(ReadOnlyDatabase(database), &report, &times)
            }
        } catch {
            report.add(
                .problem(
                    .store,
                    "\(configuration.store.shown): \(CommandFailure.words(error))",
                    "Check that it runs and is reachable, and that --data, --database or CARILLON_DATABASE name it."
                )
            )
        }
    }

    private func examine(
        _ database: ReadOnlyDatabase,
        _ report: inout ServerReport,
        _ times: inout ClockComparison
    ) async throws(StoreError) {
        let now = clock.now()
        let layout = try await StoreExamination(of: database, at: now)
        report.add(.ok(.store, "\(configuration.store.shown) can be read."))
        report.add(.schema(layout))
        guard layout.missingSteps.isEmpty, layout.unknownSteps.isEmpty else { return }
        let stores = Stores(on: database)
        report.add(.restore(backupAt: try await stores.restores.restoredBackup()))
        let check = MasterKeyCheck(store: stores.masterKeyChecks, apps: stores.apps)
        let state = try await keyState(opening: check)
        report.add(.masterKey(state))
        let found = try await ServerExamination(of: database, at: now, patience: Self.patience)
        report.add(.administrators(found, store: storeOption))
        if state.opensStore { try await examinePushKeys(stores, found, &report) }
        report.add(.campaigns(found))
        report.add(
            .work(found, past: now.advanced(by: .zero - Self.patience), holdsBack: configuration.holdsBack)
        )
        report.add(.webhooks(found))
        report.add(.retention(try await RetentionExamination(of: database, at: now, grace: Self.retentionGrace)))
        report.add(.auditLog(try await AuditChainState(of: stores)))
        times.newestRecord = found.newestRecord
        times.database = found.databaseClock
        // The queries took time.
        times.now = clock.now()
    }

    /// The option that names the store to other commands.
    private var storeOption: String {
        switch configuration.store {
        case .file(let path) where path == folder.appendingPathComponent("carillon.sqlite").path:
            "--data \(folder.path)"
        case .file, .postgreSQL: "--database \(configuration.store.shown)"
        }
    }

    // MARK: Keys

    private func keyState(opening check: MasterKeyCheck) async throws(StoreError) -> MasterKeyState {
        switch keyFileState() {
        case .notMade(let path) where try await check.needsKnownKey(): return .missing(path: path)
        case .key(let path, _):
            guard let vault = try? vault() else { return .unusable("The master key at \(path) cannot be read.") }
            let opens = try await check.opensStore(vault)
            if opens == true, try await check.keys(of: vault).next != nil { return .beingReplaced(path: path) }
            return .key(path: path, opensStore: opens)
        case let state: return state
        }
    }

    /// The state of the file alone.
    private func keyFileState() -> MasterKeyState {
        let path = configuration.masterKeyPath
        guard FileManager.default.fileExists(atPath: path) else { return .notMade(path: path) }
        do throws(StoreError) {
            _ = try vault()
            return .key(path: path, opensStore: nil)
        } catch {
            return .unusable(CommandFailure.words(error))
        }
    }

    private func vault() throws(StoreError) -> Vault {
        let keys = try MasterKeyFile.load(path: configuration.masterKeyPath, mayMake: false)
        guard let vault = Vault(masterKeys: keys) else {
            throw .unavailable("The master key file \(configuration.masterKeyPath) has a key twice.")
        }
        return vault
    }

    private func examinePushKeys(
        _ stores: Stores,
        _ found: ServerExamination,
        _ report: inout ServerReport
    ) async throws(StoreError) {
        let apps = Apps(
            store: stores.apps,
            vault: try vault(),
            appKeys: AppKeyCache(),
            ids: IDSource(clock: clock),
            clock: clock
        )
        var states: [PushKeyState] = []
        var last: AppID?
        var seen = 0
        repeat {
            let page = try await stores.apps.apps(after: last, limit: 500)
            for app in page where app.hasPushKey {
                if let account = try await apps.account(for: app.id) { states.append(PushKeyState(account)) }
            }
            seen += page.count
            last = page.count == 500 ? page.last?.id : nil
        } while last != nil && seen < Self.appLimit
        report.add(.pushKeys(states, without: found.appsWithoutPushKey, isComplete: last == nil))
    }
}

extension PushKeyState {
    fileprivate init(_ account: PushAccount) {
        app = account.app
        keyID = account.keyID
        topic = account.topic
        guard !account.privateKey.isEmpty else {
            problem = "does not open with the master key"
            return
        }
        let isKey = (try? SigningKey(pem: account.privateKey, keyID: account.keyID, teamID: account.teamID)) != nil
        problem = isKey ? nil : "is no P-256 private key with a key id and a team id of ten characters"
    }
}
