import ApplePushConnection
import ApplePushSender
import CarillonConsole
import CarillonEngine
import CarillonSQL
import CarillonServer
import CarillonStore
import CarillonWebhooks
import Foundation
import NIOCore
import OpenIDConnect

/// The configuration of a server process; read once, at the composition root.
///
/// `carillon serve` reads it from flags, then environment variables, then a JSON file; ``ServerSettings`` lists the
/// keys with their types, defaults and ranges. A demonstration or a test sets it directly.
struct ServerConfiguration: Sendable {
    var store: ServerStore
    /// The role of this node; a file has one node, with all roles.
    var role = ServerRole.all
    /// Whether it sends nothing, including webhooks, and deletes no old rows.
    var holdsBack = false
    /// How long the check of the master key is cached for readiness.
    var readinessLifetime = Duration.seconds(1)
    /// The master key's file; created when it is missing.
    var masterKeyPath: String
    var database = SQLiteDatabase.Options()
    var postgreSQL = PostgreSQLDatabase.Options()
    /// How the API listens.
    var server = APIServer.Configuration()
    /// How the console is served; `nil` for none.
    var console: Console.Configuration? = Console.Configuration()
    /// The identity provider of the console; `nil` for none.
    var identityProvider: ProviderSettings?
    /// The rules of Operators' passwords, sessions and second factors.
    var operators = Operators.Options()
    /// How many registrations an address may send to an App; unlimited when `nil`.
    var registrationLimit: RegistrationLimit? = RegistrationLimit()
    /// How many new Devices an App may have a minute; unlimited when `nil`.
    var newDevicesPerMinute: Int? = 60_000
    /// APNs' hosts, which only the server's configuration sets, never an App.
    var apns = APNsSender.Configuration()
    var dispatcher = Dispatcher.Options()
    /// How webhooks are posted to.
    var webhooks = HTTPWebhookClient.Options()
    /// The last warnings of the log, for the page of the server.
    var warnings: WarningLog?
    /// Timeout of a graceful shutdown.
    var shutdownTime = Duration.seconds(30)

    /// Registrations a second of one address to one App, and their burst.
    struct RegistrationLimit: Hashable, Sendable {
        var rate = 100.0
        var burst = 1_000.0
    }

    /// Whether this node dispatches campaigns and webhooks.
    var sends: Bool { role != .api && !holdsBack }

    /// Whether this node has the console.
    var servesConsole: Bool { server.servesAPI && console != nil }

    /// The file whose time is that of the last backup of the store's file.
    static func backupMark(of database: String) -> String { database + ".last-backup" }

    /// A configuration with all defaults.
    ///
    /// - Parameter folder: The folder of the database and the master key.
    init(folder: URL) {
        store = .file(path: folder.appendingPathComponent("carillon.sqlite").path)
        masterKeyPath = folder.appendingPathComponent("master.key").path
        apns.pool.badTokenBrake = BadTokenBrake(rate: 1_000)
    }

    /// Replaces both of Apple's environments with one APNs.
    ///
    /// - Parameters:
    ///   - endpoint: Its address.
    ///   - caFile: Its trusted root certificates, a PEM file; `nil` for the system's roots.
    mutating func sendTo(_ endpoint: Endpoint, trusting caFile: String?) {
        apns.production = endpoint
        apns.sandbox = endpoint
        // Whoever sees a page must not believe that Apple gets what it sends.
        console?.isSandbox = true
        if let caFile { apns.pool.trustRoots = .file(caFile) }
    }
}
