import ArgumentParser
import Configuration

/// The flags of `carillon serve`: they override the environment and the file.
struct ServeOptions: ParsableArguments {
    @Option(help: "A JSON file with settings. (CARILLON_CONFIG)", completion: .file(extensions: ["json"]))
    var config: String?

    @Option(help: .setting(.data, "The folder for the database and the master key."))
    var data: String?

    @Option(
        help: .setting(
            .store,
            """
            postgres://USER@HOST/DATABASE, which several nodes may share, or the path of an SQLite file. A password belongs in \
            CARILLON_DATABASE or a file (PGPASSFILE). (default: carillon.sqlite in the data folder)
            """
        )
    )
    var database: String?

    @Option(help: .setting(.role, "The role of this node on PostgreSQL: all, api or dispatch. (default: all)"))
    var role: String?

    @Flag(
        help: .setting(
            .hold,
            "Answer the API and send nothing, no webhooks either: for a first look at a restored store."
        )
    )
    var hold = false

    @Option(
        help: .setting(
            .masterKeyFile,
            "The master key's file; created at the first start. Store it apart from database backups."
        )
    )
    var masterKeyFile: String?

    @Option(help: .setting(.host, "The name or address to listen at. (default: 127.0.0.1)"))
    var host: String?

    @Option(help: .setting(.port, "The port to listen at; 0 for any that is free. (default: 8080)"))
    var port: Int?

    @Option(help: .setting(.tlsCert, "The certificate chain's PEM file."))
    var tlsCert: String?

    @Option(help: .setting(.tlsKey, "The certificate's key, a PEM file."))
    var tlsKey: String?

    @Option(
        name: .customLong("trusted-proxy"),
        help: .setting(
            .trustedProxies,
            "A proxy whose X-Forwarded-For is trusted: an address or a block; may be repeated."
        )
    )
    var trustedProxies: [String] = []

    @Option(help: .setting(.accessLog, "Which requests to log: none, errors or all. (default: errors)"))
    var accessLog: String?

    @Option(
        help: .setting(
            .logLevel,
            "How much to log: trace, debug, info, notice, warning, error or critical. (default: info)"
        )
    )
    var logLevel: String?

    @Flag(
        help: .setting(.metricsOpen, "Show metrics to everybody, not only to this machine and to keys of the server.")
    )
    var metricsOpen = false

    @OptionGroup var console: ConsoleOptions
    @OptionGroup var outside: OutsideOptions

    @Option(
        help: .setting(
            .registrationRate,
            "Registrations a second of one address to one App; 0 does not bound them. (default: 100)"
        )
    )
    var registrationRate: Double?

    @Option(help: .setting(.registrationBurst, "How many of them may come at once. (default: 1000)"))
    var registrationBurst: Double?

    @Option(
        help: .setting(
            .newDevicesPerMinute,
            "Devices that an app gets in a minute on a node; 0 does not bound them. (default: 60000)"
        )
    )
    var registrationNewDevicesPerMinute: Int?

    @OptionGroup var limits: LimitOptions

    @Option(help: .setting(.apnsHost, "Send to this HOST:PORT in place of Apple."))
    var apnsHost: String?

    @Option(help: .setting(.apnsCAFile, "Trust the certificates of this PEM file there."))
    var apnsCaFile: String?

    @Option(
        help: .setting(.apnsConnections, "Connections to APNs for each key and environment, at most. (default: 16)")
    )
    var apnsConnections: Int?

    @Option(
        help: .setting(.apnsProxy, "The HTTP proxy for APNs: http://HOST:PORT. With a password use the environment.")
    )
    var apnsProxy: String?

    @Option(help: .setting(.apnsConnectionHours, "Replace a connection to APNs after so many hours. (default: never)"))
    var apnsConnectionHours: Double?

    @Option(
        help: .setting(.apnsConnectionRequests, "Replace a connection to APNs after so many requests. (default: never)")
    )
    var apnsConnectionRequests: Int?

    @Option(
        help: .setting(
            .apnsBadTokenRate,
            "Send so many a second with a key while Apple finds many device tokens bad; 0: all. (default: 1000)"
        )
    )
    var apnsBadTokenRate: Int?

    @Flag(
        help: .setting(
            .webhooksAllowLocal,
            "Let webhooks lead to plain HTTP and to the server's own networks: for tests and closed nets."
        )
    )
    var webhooksAllowLocal = false

    @Option(help: .setting(.cacheKib, "The page cache of an SQLite file in KiB. (default: 32768)"))
    var sqliteCacheKib: Int?

    @Option(
        help: .setting(
            .unanswered,
            "Maximum sent notifications without a committed outcome, which a crash repeats. (default: 24000)"
        )
    )
    var unanswered: Int?

    @Option(
        help: .setting(
            .unansweredTransactional,
            "How many of them may be transactional messages or calls. (default: 1000)"
        )
    )
    var unansweredTransactional: Int?

    @Option(
        help: .setting(
            .leaseSeconds,
            "How long a dispatcher holds its leases without a heartbeat, in seconds. (default: 10)"
        )
    )
    var leaseSeconds: Double?

    @Option(
        help: .setting(
            .latenessSeconds,
            "How late a campaign without a schedule may begin by itself, in seconds. (default: 3600)"
        )
    )
    var latenessSeconds: Double?

    @Option(help: .setting(.chunkSize, "Devices in a unit of work, 1 through 5000. (default: 5000)"))
    var chunkSize: Int?

    @Option(help: .setting(.batchSize, "Notifications passed to the sender together, 1 through 5000. (default: 1000)"))
    var batchSize: Int?

    @Option(help: .setting(.shutdownSeconds, "How long a graceful shutdown may take, in seconds. (default: 30)"))
    var shutdownSeconds: Double?

    @Option(help: .setting(.maximumConnections, "Open connections, at most. (default: 20000)"))
    var maximumConnections: Int?

    @Option(help: .setting(.maximumStreams, "Open progress streams, at most. (default: 100)"))
    var maximumStreams: Int?

    @Option(help: .setting(.readers, "Concurrent reads on PostgreSQL, 1 through 100. (default: 4)"))
    var postgresReaders: Int?

    @Option(
        help: .setting(.servingWriters, "PostgreSQL connections for writes of requests, 1 through 32. (default: 2)")
    )
    var postgresServingWriters: Int?

    @Option(
        help: .setting(
            .bulkWriters,
            "PostgreSQL connections for writes of sending and imports, 1 through 32. (default: 2)"
        )
    )
    var postgresBulkWriters: Int?

    @Option(
        help: .setting(
            .failureLimit,
            "Consecutive failures after which a campaign is paused, 1 through 1000. (default: 20)"
        )
    )
    var failureLimit: Int?

    @Option(help: .setting(.loads, "Units of work that are read concurrently, 1 through 32. (default: 3)"))
    var loads: Int?

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
        values.merge(console.values) { $1 }
        values.merge(outside.values) { $1 }
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
        integer(.cacheKib, sqliteCacheKib)
        number(.leaseSeconds, leaseSeconds)
        number(.latenessSeconds, latenessSeconds)
        integer(.chunkSize, chunkSize)
        integer(.batchSize, batchSize)
        integer(.unanswered, unanswered)
        integer(.unansweredTransactional, unansweredTransactional)
        number(.shutdownSeconds, shutdownSeconds)
        integer(.maximumConnections, maximumConnections)
        integer(.maximumStreams, maximumStreams)
        integer(.readers, postgresReaders)
        integer(.servingWriters, postgresServingWriters)
        integer(.bulkWriters, postgresBulkWriters)
        integer(.failureLimit, failureLimit)
        integer(.loads, loads)
        return values
    }
}
