#if os(Linux)
import CarillonBytes
import CarillonConsole
import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import Foundation
import Logging

/// The sample App of a demonstration and the ways into its console.
struct SampleWorld: Sendable {
    /// What a person needs to look at it.
    struct Entry: Sendable {
        /// The address of the console.
        var console: String
        /// Opens the console once, signed in as the admin.
        var link: String
        /// The password of the Operators.
        var password: String
    }

    /// How many Devices the App has.
    static let deviceCount = 240
    /// How long the link may wait: as long as the session behind it may be without use.
    static let linkTime = Duration.seconds(3_600)

    let history: SampleHistory.Made
    private let sessions: OneTimeSessions

    /// Makes the history, and prepares the server's configuration.
    ///
    /// - Parameters:
    ///   - configuration: That of the server; it gets the links, and asks for no second factor: who tries it out has no
    ///     authenticator at hand.
    ///   - control: The simulator's control API.
    ///   - pushKey: The push key, as a team downloads it.
    ///   - logger: The log.
    /// - Throws: When the store or the simulator cannot be used.
    init(_ configuration: inout ServerConfiguration, control: URL, pushKey: SampleKey, logger: Logger) async throws {
        struct Wish: Encodable {
            var topic = SampleContent.bundleID
            var environment = "production"
            var count = SampleWorld.deviceCount
        }
        struct Tokens: Decodable {
            var tokens: [String]
        }
        let tokens: Tokens = try await OperatorAPI(server: control, key: "").post("tokens", Wish())
        sessions = OneTimeSessions()
        configuration.console?.oneTimeSessions = sessions
        configuration.operators.secondFactorFrom = nil
        history = try await SampleHistory.make(
            configuration,
            tokens: tokens.tokens,
            pushKey: PushKeyRequest(
                keyID: SampleKey.keyID,
                teamID: SampleKey.teamID,
                privateKey: try String(contentsOf: pushKey.file, encoding: .utf8)
            ),
            logger: logger
        )
    }

    /// Completes the sample while the server runs, and makes the link.
    ///
    /// - Parameters:
    ///   - engine: The server's engine.
    ///   - api: Its API, with a key.
    /// - Returns: The ways in.
    /// - Throws: What a request throws.
    func open(_ engine: Engine, _ api: OperatorAPI) async throws -> Entry {
        try await SampleToday(api: api, app: history.app, devices: history.devices).make()
        let password = Base64URL.encode(RandomBytes.system(15))
        let opened = try await SampleOperators(operators: engine.operators, password: password).make()
        let end = engine.context.clock.now().advanced(by: Self.linkTime)
        let server = api.server.absoluteString
        return Entry(
            console: server + "/console/",
            link: server + sessions.link(to: opened, until: end),
            password: password
        )
    }
}
#endif
