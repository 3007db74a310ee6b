import ArgumentParser
import Configuration

/// The flags of `carillon serve`: they override the environment and the file.
struct ServeOptions: ParsableArguments {
    @Option(help: "A JSON file with settings. Also CARILLON_CONFIG.")
    var config: String?

    @Option(help: "The folder for the database and the master key.")
    var data: String?

    @Option(
        help: """
            postgres://USER@HOST/DATABASE, which several nodes may share, or the path of an SQLite file. Say a password in \
            CARILLON_DATABASE or a file (PGPASSFILE). (default: carillon.sqlite in the data folder)
            """
    )
    var database: String?

    @Option(help: "The role of this node on PostgreSQL: all, api or dispatch. (default: all)")
    var role: String?

    @Flag(help: "Answer the API and send nothing, no webhooks either: for a first look at a restored store.")
    var hold = false

    @Option(help: "The master key's file; created at the first start. Store it apart from database backups.")
    var masterKeyFile: String?

    @Option(help: "The name or address to listen at. (default: 127.0.0.1)")
    var host: String?

    @Option(help: "The port to listen at; 0 for any that is free. (default: 8080)")
    var port: Int?

    @Option(help: "The certificate chain's PEM file.")
    var tlsCert: String?

    @Option(help: "The certificate's key, a PEM file.")
    var tlsKey: String?

    @Option(
        name: .customLong("trusted-proxy"),
        help: "A proxy whose X-Forwarded-For is trusted: an address or a block."
    )
    var trustedProxies: [String] = []

    @Option(help: "Which requests to log: none, errors or all. (default: errors)")
    var accessLog: String?

    @Option(help: "How much to log: trace, debug, info, notice, warning, error or critical. (default: info)")
    var logLevel: String?

    @Flag(help: "Show metrics to everybody, not only to this machine and to keys of the server.")
    var metricsOpen = false

    @Option(help: "Registrations a second of one address to one App; 0 does not bound them. (default: 100)")
    var registrationRate: Double?

    @Option(help: "How many of them may come at once. (default: 1000)")
    var registrationBurst: Double?

    @Option(help: "Devices that an app gets in a minute on a node; 0 does not bound them. (default: 60000)")
    var registrationNewDevicesPerMinute: Int?

    @OptionGroup var limits: LimitOptions

    @Option(help: "Send to this HOST:PORT in place of Apple.")
    var apnsHost: String?

    @Option(help: "Trust the certificates of this PEM file there.")
    var apnsCaFile: String?

    @Option(help: "Connections to APNs for each key and environment, at most. (default: 16)")
    var apnsConnections: Int?

    @Option(
        help: "The HTTP proxy for APNs: http://HOST:PORT. With a password use CARILLON_APNS_PROXY."
    )
    var apnsProxy: String?

    @Option(help: "Replace a connection to APNs after so many hours. (default: never)")
    var apnsConnectionHours: Double?

    @Option(help: "Replace a connection to APNs after so many requests. (default: never)")
    var apnsConnectionRequests: Int?

    @Option(help: "Send so many a second with a key while Apple finds many device tokens bad; 0: all. (default: 1000)")
    var apnsBadTokenRate: Int?

    @Flag(help: "Let webhooks lead to plain HTTP and to the server's own networks: for tests and closed nets.")
    var webhooksAllowLocal = false

    @Option(help: "The database's page cache in KiB. (default: 32768)")
    var cacheKib: Int?

    @Option(help: "Maximum sent notifications without a committed outcome, which a crash repeats. (default: 24000)")
    var unanswered: Int?

    @Option(help: "How many of them may be transactional messages or calls. (default: 1000)")
    var unansweredTransactional: Int?

    @Option(help: .hidden)
    var leaseSeconds: Double?

    @Option(help: "How late a campaign without a schedule may begin by itself, in seconds. (default: 3600)")
    var latenessSeconds: Double?

    @Option(help: .hidden)
    var chunkSize: Int?

    @Option(help: .hidden)
    var batchSize: Int?

    @Option(help: .hidden)
    var shutdownSeconds: Double?

    /// The given flags.
    var values: [ServerSetting: ConfigValue] {
        var values = limits.values
        func text(_ setting: ServerSetting, _ value: String?) {
            if let value { values[setting] = ConfigValue(.string(value), isSecret: false) }
        }
        func integer(_ setting: ServerSetting, _ value: Int?) {
            if let value { values[setting] = ConfigValue(.int(value), isSecret: false) }
        }
        func number(_ setting: ServerSetting, _ value: Double?) {
            if let value { values[setting] = ConfigValue(.double(value), isSecret: false) }
        }
        text(.data, data)
        if let database { values[.store] = ConfigValue(.string(database), isSecret: true) }
        text(.role, role)
        if hold { values[.hold] = ConfigValue(.bool(true), isSecret: false) }
        text(.masterKeyFile, masterKeyFile)
        text(.host, host)
        integer(.port, port)
        text(.tlsCert, tlsCert)
        text(.tlsKey, tlsKey)
        if !trustedProxies.isEmpty {
            values[.trustedProxies] = ConfigValue(.stringArray(trustedProxies), isSecret: false)
        }
        text(.accessLog, accessLog)
        text(.logLevel, logLevel)
        if metricsOpen { values[.metricsOpen] = ConfigValue(.bool(true), isSecret: false) }
        number(.registrationRate, registrationRate)
        number(.registrationBurst, registrationBurst)
        integer(.newDevicesPerMinute, registrationNewDevicesPerMinute)
        text(.apnsHost, apnsHost)
        text(.apnsCAFile, apnsCaFile)
        integer(.apnsConnections, apnsConnections)
        if let apnsProxy { values[.apnsProxy] = ConfigValue(.string(apnsProxy), isSecret: true) }
        number(.apnsConnectionHours, apnsConnectionHours)
        integer(.apnsConnectionRequests, apnsConnectionRequests)
        integer(.apnsBadTokenRate, apnsBadTokenRate)
        if webhooksAllowLocal { values[.webhooksAllowLocal] = ConfigValue(.bool(true), isSecret: false) }
        integer(.cacheKiB, cacheKib)
        number(.leaseSeconds, leaseSeconds)
        number(.latenessSeconds, latenessSeconds)
        integer(.chunkSize, chunkSize)
        integer(.batchSize, batchSize)
        integer(.unanswered, unanswered)
        integer(.unansweredTransactional, unansweredTransactional)
        number(.shutdownSeconds, shutdownSeconds)
        return values
    }
}
