import ApplePushConnection
import ApplePushSender
import CarillonEngine
import CarillonSQL
import CarillonServer
import CarillonStore
import CarillonWebhooks
import Foundation
import NIOCore

/// All that a server process is told; read once, at the root.
///
/// `carillon serve` reads it from flags, then environment variables, then a JSON file; ``ServerSettings`` lists the keys
/// with their types, defaults and ranges. A demonstration or a test fills it in by hand.
struct ServerConfiguration: Sendable {
    var store: ServerStore
    /// What this node does; a file has one node, which does everything.
    var role = ServerRole.all
    /// Whether it sends nothing, no webhooks either, and deletes nothing that is old.
    var holdsBack = false
    /// For how long what a node found out about its master key is told to those who ask whether it is ready.
    var readinessLifetime = Duration.seconds(1)
    /// The master key's file; it is made when it is not there.
    var masterKeyPath: String
    var database = SQLiteDatabase.Options()
    var postgreSQL = PostgreSQLDatabase.Options()
    /// How the API listens.
    var server = APIServer.Configuration()
    /// How many registrations an address may send to an App; `nil` does not bound them.
    var registrationLimit: RegistrationLimit? = RegistrationLimit()
    /// How many Devices an App gets in a minute; `nil` does not bound them.
    var newDevicesPerMinute: Int? = 60_000
    /// Where APNs is, which is the server's to say and never an App's.
    var apns = APNsSender.Configuration()
    var dispatcher = Dispatcher.Options()
    /// How webhooks are posted to.
    var webhooks = HTTPWebhookClient.Options()
    /// How long an orderly end may take before it is cut short.
    var shutdownTime = Duration.seconds(30)

    /// Registrations a second of one address to one App, and how many may come at once.
    struct RegistrationLimit: Hashable, Sendable {
        var rate = 100.0
        var burst = 1_000.0
    }

    /// Whether this node dispatches campaigns and webhooks.
    var sends: Bool { role != .api && !holdsBack }

    /// A configuration with all defaults.
    ///
    /// - Parameter folder: Where the database and the master key lie.
    init(folder: URL) {
        store = .file(path: folder.appendingPathComponent("carillon.sqlite").path)
        masterKeyPath = folder.appendingPathComponent("master.key").path
        apns.pool.badTokenBrake = BadTokenBrake(rate: 1_000)
    }

    /// Sends to one APNs in place of Apple's two.
    ///
    /// - Parameters:
    ///   - endpoint: Where it is.
    ///   - caFile: Whom to trust there, a PEM file; `nil` for the system's roots.
    mutating func sendTo(_ endpoint: Endpoint, trusting caFile: String?) {
        apns.production = endpoint
        apns.sandbox = endpoint
        if let caFile { apns.pool.trustRoots = .file(caFile) }
    }
}
