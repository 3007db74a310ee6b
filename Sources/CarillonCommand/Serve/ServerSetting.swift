/// The keys of a server's configuration.
///
/// In the file they are nested (`{"tls": {"cert": "…"}}`), in the environment they read `CARILLON_TLS_CERT`. None is a
/// secret itself, but for a proxy with a password: secrets lie in files, whose paths are told.
enum ServerSetting: String, CaseIterable {
    /// Text; the folder that holds the database and, unless told otherwise, the master key.
    ///
    /// Default: systemd's state folder, else `$XDG_DATA_HOME/carillon`, else `~/.local/share/carillon`, else
    /// `./carillon-data`.
    case data = "data"
    /// Text; `postgres://…` for a PostgreSQL database that several nodes may share, or the path of an SQLite file.
    ///
    /// With a password it is a secret: say it in the environment, or have libpq read it from a file (`PGPASSFILE`).
    /// Default: `carillon.sqlite` in the data folder.
    case store = "database"
    /// Text, one of `all`, `api`, `dispatch`: what this node does. Others than `all` need PostgreSQL. Default: `all`.
    case role = "role"
    /// Boolean; the API answers and keeps what it is given, and this node sends nothing: for the first start after a
    /// restore. Default: false.
    case hold = "hold"
    /// Integer, 1 through 100; how many reads run beside each other on PostgreSQL. Default: 4.
    case readers = "postgres.readers"
    /// Integer, 1 through 32; connections to PostgreSQL that write what apps and people wait for. Default: 2.
    case servingWriters = "postgres.servingWriters"
    /// Integer, 1 through 32; connections to PostgreSQL that write what dispatchers and imports bring. Default: 2.
    case bulkWriters = "postgres.bulkWriters"
    /// Text; the master key's file, 32 bytes. Default: `master.key` in the data folder.
    case masterKeyFile = "masterKeyFile"
    /// Text; the name or address to listen at. Default: `127.0.0.1`.
    case host = "host"
    /// Integer, 0 through 65,535; 0 takes a free port. Default: 8080.
    case port = "port"
    /// Text; the certificate chain's PEM file. Default: none, plain HTTP.
    case tlsCert = "tls.cert"
    /// Text; the certificate's key, a PEM file. Needed with `tls.cert`.
    case tlsKey = "tls.key"
    /// Texts; addresses and blocks (`10.0.0.0/8`) of proxies whose `X-Forwarded-For` is believed. Default: none.
    case trustedProxies = "trustedProxies"
    /// Text, one of `none`, `errors`, `all`. Default: `errors`.
    case accessLog = "accessLog"
    /// Text, a level of swift-log. Default: `info`.
    case logLevel = "logLevel"
    /// Boolean; shows `/metrics` to everybody. Default: false, to this machine and to keys of the server.
    case metricsOpen = "metricsOpen"
    /// Integer, 1 through 1,000,000; connections that may be open. Default: 20,000.
    case maximumConnections = "maximumConnections"
    /// Integer, 0 through 100,000; streams of progress that may be open. Default: 100.
    case maximumStreams = "maximumStreams"
    /// Number, 0 through 1,000,000; registrations a second of one address to one App; 0 does not bound them.
    ///
    /// Default: 100.
    case registrationRate = "registration.rate"
    /// Number, 1 through 10,000,000; how many of them may come at once. Default: 1,000.
    case registrationBurst = "registration.burst"
    /// Integer, 0 through 100,000,000; Devices that an App gets in a minute on a node; 0 does not bound them.
    ///
    /// Default: 60,000.
    case newDevicesPerMinute = "registration.newDevicesPerMinute"
    /// Integer, 0 through 1,000,000; connections that one address may have open, of version 6 one block of 64 bits; 0 does
    /// not bound them. Trusted proxies may have any number. Default: 2,000.
    case connectionsPerAddress = "connections.perAddress"
    /// Number, 1 through 3,600; how long a request may take to come, in seconds, beside the time that its bytes take at
    /// `connections.leastRate`. Default: 60.
    case requestSeconds = "connections.requestSeconds"
    /// Number, 1 through 3,600; how long an answer may wait to be read, in seconds, beside the time that its bytes take at
    /// `connections.leastRate`. Default: 60.
    case answerSeconds = "connections.answerSeconds"
    /// Integer, 1 through 1,000,000,000; bytes a second. Default: 16,384.
    case leastRate = "connections.leastRate"
    /// Number, 0 through 1,000,000; requests a second of one API key, five seconds' worth at once; 0 does not bound them.
    ///
    /// Default: 2,000.
    case apiKeyRate = "limits.apiKeyRate"
    /// Number, 0 through 1,000,000; the same with one App key, which all phones of an App have. Default: 10,000.
    case appKeyRate = "limits.appKeyRate"
    /// Number, 0 through 1,000,000; the same of one Device. Default: 20.
    case deviceRate = "limits.deviceRate"
    /// Number, 0 through 1,000,000; the same of one address with wrong keys. Default: 10.
    case wrongKeyRate = "limits.wrongKeyRate"
    /// Integer, 0 through 1,000; exports, estimates and dry runs of one App that run at once, of the node four times as
    /// many; 0 does not bound them.
    ///
    /// Default: 4.
    case costlyRequests = "limits.costly"
    /// Text, `HOST` or `HOST:PORT`; an APNs in place of Apple's two. Default: none.
    case apnsHost = "apns.host"
    /// Text; whom to trust there, a PEM file. Default: the system's roots.
    case apnsCAFile = "apns.caFile"
    /// Integer, 1 through 64; connections to APNs for each key and environment, at most. Default: 16.
    case apnsConnections = "apns.connections"
    /// Text, `http://HOST:PORT` or `http://USER:PASSWORD@HOST:PORT`; the proxy through which APNs is reached.
    ///
    /// With a password it is a secret: say it in the environment. Default: none.
    case apnsProxy = "apns.proxy"
    /// Number, 0.1 through 8,760; after how many hours a connection to APNs is replaced. Default: never.
    case apnsConnectionHours = "apns.connectionHours"
    /// Integer, 100 through 1,000,000,000; after how many requests a connection to APNs is replaced. Default: never.
    case apnsConnectionRequests = "apns.connectionRequests"
    /// Integer, 0 through 1,000,000; how many notifications a second a key sends while Apple finds many device tokens
    /// bad; 0 does not slow it. Default: 1,000.
    case apnsBadTokenRate = "apns.badTokenRate"
    /// Integer, 1,024 through 16,777,216; the database's page cache in KiB. Default: 32,768.
    case cacheKiB = "database.cacheKiB"
    /// Boolean; webhooks may lead to plain HTTP and to the server's own networks: for tests and closed nets.
    ///
    /// Default: false.
    case webhooksAllowLocal = "webhooks.allowLocal"
    /// Number, 0.1 through 600; how long a dispatcher's claim on work lasts without a sign of life, in seconds.
    ///
    /// Default: 10.
    case leaseSeconds = "dispatcher.leaseSeconds"
    /// Number, 60 through 5,184,000; how late a Campaign without a schedule may begin by itself, in seconds. One that is
    /// later is paused with an alarm. Default: 3,600.
    case latenessSeconds = "dispatcher.latenessSeconds"
    /// Integer, 1 through 5,000; Devices in a unit of work. Default: 5,000.
    case chunkSize = "dispatcher.chunkSize"
    /// Integer, 1 through 1,000; how many attempts in a row at a Campaign's work may fail before it is paused with an
    /// alarm.
    ///
    /// Default: 20.
    case failureLimit = "dispatcher.failureLimit"
    /// Integer, 1 through 32; how many units of work are read beside each other, of different Campaigns. Default: 3.
    case loads = "dispatcher.loads"
    /// Integer, 1 through 5,000; notifications that are handed to the sender together. Default: 1,000.
    case batchSize = "dispatcher.batchSize"
    /// Integer, 8 through 100,000; notifications that a node may have sent without having committed an answer.
    ///
    /// After a crash so many at most are sent again. Default: 24,000.
    case unanswered = "dispatcher.unanswered"
    /// Integer, 8 through 100,000; how many of them may be transactional messages, calls and others that a repeat does
    /// not replace. Default: 1,000.
    case unansweredTransactional = "dispatcher.unansweredTransactional"
    /// Number, 0.1 through 3,600; how long an orderly end may take, in seconds. Default: 30.
    case shutdownSeconds = "shutdownSeconds"
}
