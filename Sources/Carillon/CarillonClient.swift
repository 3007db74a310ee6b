import Foundation

/// The SDK: registers this installation with a Carillon server and reports what happened to its notifications.
///
/// Make one for each App key and keep it as long as the app runs. Every method may be called from any task. A change is
/// on disk before it is sent, and is retried until the server confirms it, as long as ``run()`` runs.
///
/// ```swift
/// let carillon = try CarillonClient(CarillonConfiguration(server: url, appKey: "…"))
/// Task { await carillon.run() }
/// try await carillon.setDeviceToken(token)
/// try await carillon.register(consent: Consent(notifications: true), user: UserID(rawValue: "u-17"))
/// ```
public final class CarillonClient: Sendable {
    /// The configuration of the client.
    public let configuration: CarillonConfiguration

    let registrations: RegistrationCoordinator
    let events: EventReporter
    let inboxes: InboxCoordinator
    let calls: VoIPCoordinator
    let surveys: SurveyIdentity
    let locations: LocationSwitch
    let api: ServerAPI
    let log: CarillonLog
    package let time: any TimeSource
    let facts: @Sendable () -> DeviceFacts
    let signal = WakeSignal()
    let parts = ClientParts()

    /// Makes a client.
    ///
    /// It sends nothing.
    ///
    /// - Parameters:
    ///   - configuration: The server's URL, the App's key and more.
    ///   - transport: Sends requests; `nil`: `URLSession`.
    ///   - secrets: Stores the Device's identity; `nil`: the keychain, or a file where there is none.
    /// - Throws: ``CarillonError`` when the configuration is invalid or there is no folder for storage; it is in the console too.
    public convenience init(
        _ configuration: CarillonConfiguration,
        transport: (any Transport)? = nil,
        secrets: (any SecretStore)? = nil
    ) throws(CarillonError) {
        #if os(Linux)
        if let installation = SimulatedInstallation.current {
            var (configuration, dependencies) = (configuration, installation.dependencies())
            configuration.storage = configuration.storage ?? installation.storage
            if let transport { dependencies.transport = transport }
            dependencies.secrets = secrets
            try self.init(configuration, dependencies)
            return
        }
        #endif
        try self.init(configuration, Dependencies(transport: transport, secrets: secrets))
    }

    package init(
        _ configuration: CarillonConfiguration,
        _ dependencies: Dependencies
    ) throws(CarillonError) {
        let folder = try Self.folder(of: configuration)
        let log = CarillonLog(sink: configuration.log)
        let api = ServerAPI(
            configuration,
            transport: dependencies.transport ?? URLSessionTransport(),
            time: dependencies.time
        )
        self.configuration = configuration
        self.log = log
        time = dependencies.time
        facts = dependencies.facts ?? { DeviceFacts.current(pushType: configuration.pushType) }
        self.api = api
        locations = LocationSwitch(configuration.reportsLocation)
        surveys = SurveyIdentity(
            file: StateFile(file: folder.appendingPathComponent("survey.json")),
            random: dependencies.random
        )
        let registrations = RegistrationCoordinator(
            file: StateFile(file: folder.appendingPathComponent("registration.json")),
            secrets: dependencies.secrets ?? Self.defaultSecrets(configuration, folder),
            api: api,
            time: dependencies.time,
            random: dependencies.random,
            log: log
        )
        self.registrations = registrations
        inboxes = InboxCoordinator(
            file: StateFile(file: folder.appendingPathComponent("inbox.json")),
            registrations: registrations,
            api: api,
            time: dependencies.time,
            random: dependencies.random
        )
        calls = VoIPCoordinator(
            file: StateFile(file: folder.appendingPathComponent("calls.json")),
            registrations: registrations,
            api: api,
            time: dependencies.time,
            random: dependencies.random
        )
        events = EventReporter(
            folder: folder,
            process: dependencies.process,
            uploadsOthers: dependencies.process == Dependencies.appProcess,
            api: api,
            time: dependencies.time,
            random: dependencies.random,
            log: log
        )
    }

    private static func folder(of configuration: CarillonConfiguration) throws(CarillonError) -> URL {
        do throws(CarillonError) {
            try configuration.validate()
            return try StorageFolder.make(for: configuration)
        } catch {
            CarillonLog.console(error)
            throw error
        }
    }

    private static func defaultSecrets(_ configuration: CarillonConfiguration, _ folder: URL) -> any SecretStore {
        #if canImport(Security)
        KeychainSecretStore(account: configuration.appKey, group: configuration.keychainGroup)
        #else
        FileSecretStore(file: folder.appendingPathComponent("identity.json"))
        #endif
    }
}
