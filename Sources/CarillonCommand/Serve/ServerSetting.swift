/// The keys of a server's configuration.
///
/// In the file they are nested (`{"tls": {"cert": "…"}}`), in the environment they read `CARILLON_TLS_CERT`. None is a
/// secret itself, except a URL with a password: secrets are in files, whose paths are configured.
enum ServerSetting: String, CaseIterable {
    /// Text; the folder of the database and, by default, the master key.
    ///
    /// Default: systemd's state folder, else `$XDG_DATA_HOME/carillon`, else `~/.local/share/carillon`, else
    /// `./carillon-data`.
    case data = "data"
    /// Text; `postgres://…` for a PostgreSQL database that several nodes may share, or the path of an SQLite file.
    ///
    /// With a password it is a secret: set it in the environment, or have libpq read it from a file (`PGPASSFILE`).
    /// Default: `carillon.sqlite` in the data folder.
    case store = "database"
    /// Text, one of `all`, `api`, `dispatch`: the role of this node. Others than `all` need PostgreSQL. Default: `all`.
    case role = "role"
    /// Boolean; the API accepts and stores requests, and this node sends nothing: for the first start after a restore.
    /// Default: false.
    case hold = "hold"
    /// Integer, 1 through 100; concurrent reads on PostgreSQL. Default: 4.
    case readers = "postgres.readers"
    /// Integer, 1 through 32; PostgreSQL connections for writes that apps and people wait for. Default: 2.
    case servingWriters = "postgres.servingWriters"
    /// Integer, 1 through 32; PostgreSQL connections for writes of dispatchers and imports. Default: 2.
    case bulkWriters = "postgres.bulkWriters"
    /// Text; the master key's file, 32 bytes. Default: `master.key` in the data folder.
    case masterKeyFile = "masterKeyFile"
    /// Text; the name or address to listen on. Default: `127.0.0.1`.
    case host = "host"
    /// Integer, 0 through 65,535; 0 selects a free port. Default: 8080.
    case port = "port"
    /// Text; the certificate chain's PEM file. Default: none, plain HTTP.
    case tlsCert = "tls.cert"
    /// Text; the certificate's key, a PEM file. Required with `tls.cert`.
    case tlsKey = "tls.key"
    /// Texts; addresses and blocks (`10.0.0.0/8`) of proxies whose `X-Forwarded-For` is trusted. Default: none.
    case trustedProxies = "trustedProxies"
    /// Text, one of `none`, `errors`, `all`. Default: `errors`.
    case accessLog = "accessLog"
    /// Text, a level of swift-log. Default: `info`.
    case logLevel = "logLevel"
    /// Boolean; opens `/metrics` to everybody. Default: false, only this machine and keys of the server.
    case metricsOpen = "metricsOpen"
    /// Boolean; this node has no console. Default: false, it is below `/console`.
    case consoleOff = "console.off"
    /// Text, `https://HOST` or `https://HOST:PORT`; the address under which browsers reach the console, if a proxy changes
    /// it. Default: the one that they ask.
    case consolePublicURL = "console.publicUrl"
    /// Boolean; the console can be used over plain HTTP from other machines, where passwords can be read on the way.
    ///
    /// Default: false.
    case consoleAllowPlainHTTP = "console.allowPlainHttp"
    /// Boolean; browsers are not told that names below the console's host have TLS too. Default: false.
    case consoleThisHostOnly = "console.thisHostOnly"
    /// Text, one of `everybody`, `admins`; whose passwords sign in at the console. Default: everybody.
    case consolePasswords = "console.passwords"
    /// Texts, `GROUP=ROLE` or `GROUP=ROLE@APP`; the roles that groups of the identity provider or proxy have.
    /// Default: none.
    case consoleGroups = "console.groups"
    /// Boolean; somebody unknown whose group has a role becomes an Operator. Default: false.
    case consoleProvision = "console.provision"
    /// Boolean; each sign-in replaces the roles by those of the groups. Default: false.
    case consoleRolesFollowGroups = "console.rolesFollowGroups"
    /// Boolean; the second factor of the console is asked for after the identity provider or proxy too. Default:
    /// false.
    case consoleOwnSecondFactor = "console.ownSecondFactor"
    /// Text; the issuer of the OpenID provider that signs Operators in, exactly as it calls itself. Default: none.
    case consoleOIDCIssuer = "console.oidc.issuer"
    /// Text; the id of the console at the provider. Required with `console.oidc.issuer`.
    case consoleOIDCClientID = "console.oidc.clientId"
    /// Text; the file with the client secret. Default: none, a public client.
    case consoleOIDCClientSecretFile = "console.oidc.clientSecretFile"
    /// Texts; the scopes that are asked for beside `openid`. Default: `profile`, `email`.
    case consoleOIDCScopes = "console.oidc.scopes"
    /// Text; the claim with the groups of a person. Default: `groups`.
    case consoleOIDCGroupsClaim = "console.oidc.groupsClaim"
    /// Text; what the button for signing in calls the provider. Default: `SSO`.
    case consoleOIDCName = "console.oidc.name"
    /// Text; trusted root certificates of the provider, a PEM file. Default: the system's roots.
    case consoleOIDCCAFile = "console.oidc.caFile"
    /// Text; the header field in which a proxy names the Operator by the address. Default: none.
    case consoleProxyUserHeader = "console.proxy.userHeader"
    /// Texts; addresses and blocks of the proxies whose field counts. Required with `console.proxy.userHeader`.
    case consoleProxyAddresses = "console.proxy.addresses"
    /// Text; the header field with the groups, separated by commas. Default: none.
    case consoleProxyGroupsHeader = "console.proxy.groupsHeader"
    /// Text, an `https://` address; where the proxy signs somebody out. Default: none.
    case consoleProxySignOutURL = "console.proxy.signOutUrl"
    /// Integer, 1 through 1,000,000; maximum number of open connections. Default: 20,000.
    case maximumConnections = "maximumConnections"
    /// Integer, 0 through 100,000; maximum number of open progress streams. Default: 100.
    case maximumStreams = "maximumStreams"
    /// Number, 0 through 1,000,000; registrations a second of one address to one App; 0 for no limit.
    ///
    /// Default: 100.
    case registrationRate = "registration.rate"
    /// Number, 1 through 10,000,000; their burst. Default: 1,000.
    case registrationBurst = "registration.burst"
    /// Integer, 0 through 100,000,000; new Devices of an App in a minute on a node; 0 for no limit.
    ///
    /// Default: 60,000.
    case newDevicesPerMinute = "registration.newDevicesPerMinute"
    /// Integer, 0 through 1,000,000; open connections of one IPv4 address or IPv6 /64 block; 0 for no limit. Trusted
    /// proxies are not limited. Default: 2,000.
    case connectionsPerAddress = "connections.perAddress"
    /// Number, 1 through 3,600; maximum time of receiving a request, in seconds, beside the time that its bytes take at
    /// `connections.leastRate`. Default: 60.
    case requestSeconds = "connections.requestSeconds"
    /// Number, 1 through 3,600; maximum time until a response is read, in seconds, beside the time that its bytes take
    /// at `connections.leastRate`. Default: 60.
    case answerSeconds = "connections.answerSeconds"
    /// Integer, 1 through 1,000,000,000; bytes a second. Default: 16,384.
    case leastRate = "connections.leastRate"
    /// Number, 0 through 1,000,000; requests a second of one API key, with a burst of five seconds; 0 for no limit.
    ///
    /// Default: 2,000.
    case apiKeyRate = "limits.apiKeyRate"
    /// Number, 0 through 1,000,000; the same with one App key, which all phones of an App share. Default: 10,000.
    case appKeyRate = "limits.appKeyRate"
    /// Number, 0 through 1,000,000; the same of one Device. Default: 20.
    case deviceRate = "limits.deviceRate"
    /// Number, 0 through 1,000,000; the same of one address with wrong keys. Default: 10.
    case wrongKeyRate = "limits.wrongKeyRate"
    /// Integer, 0 through 1,000; concurrent exports, estimates, dry runs and requests of more than 2 MiB of one App, four
    /// times as many of a node; 0 for no limit.
    ///
    /// Default: 4.
    case costlyRequests = "limits.costly"
    /// Text, `HOST` or `HOST:PORT`; an APNs instead of Apple's two. Default: none.
    case apnsHost = "apns.host"
    /// Text; its trusted root certificates, a PEM file. Default: the system's roots.
    case apnsCAFile = "apns.caFile"
    /// Integer, 1 through 64; maximum number of connections to APNs for each key and environment. Default: 16.
    case apnsConnections = "apns.connections"
    /// Text, `http://HOST:PORT` or `http://USER:PASSWORD@HOST:PORT`; the proxy for connections to APNs.
    ///
    /// With a password it is a secret: set it in the environment. Default: none.
    case apnsProxy = "apns.proxy"
    /// Number, 0.1 through 8,760; maximum age of a connection to APNs in hours. Default: none.
    case apnsConnectionHours = "apns.connectionHours"
    /// Integer, 100 through 1,000,000,000; maximum number of requests on a connection to APNs. Default: none.
    case apnsConnectionRequests = "apns.connectionRequests"
    /// Integer, 0 through 1,000,000; notifications a second of a key while Apple refuses many device tokens; 0 for no
    /// limit. Default: 1,000.
    case apnsBadTokenRate = "apns.badTokenRate"
    /// Integer, 1,024 through 16,777,216; the page cache of an SQLite file in KiB. Default: 32,768.
    case cacheKib = "sqlite.cacheKib"
    /// Boolean; webhooks may use plain HTTP and private addresses: for tests and closed networks.
    ///
    /// Default: false.
    case webhooksAllowLocal = "webhooks.allowLocal"
    /// Number, 0.1 through 600; the duration of a dispatcher's lease without a heartbeat, in seconds.
    ///
    /// Default: 10.
    case leaseSeconds = "dispatcher.leaseSeconds"
    /// Number, 60 through 5,184,000; how late a Campaign without a schedule may begin by itself, in seconds. A later
    /// one is paused with an alarm. Default: 3,600.
    case latenessSeconds = "dispatcher.latenessSeconds"
    /// Integer, 1 through 5,000; Devices in a Chunk. Default: 5,000.
    case chunkSize = "dispatcher.chunkSize"
    /// Integer, 1 through 1,000; consecutive failed attempts after which a Campaign is paused with an alarm.
    ///
    /// Default: 20.
    case failureLimit = "dispatcher.failureLimit"
    /// Integer, 1 through 32; Chunks of different Campaigns that are read concurrently. Default: 3.
    case loads = "dispatcher.loads"
    /// Integer, 1 through 5,000; notifications passed to the sender together. Default: 1,000.
    case batchSize = "dispatcher.batchSize"
    /// Integer, 8 through 100,000; notifications that a node may have sent without a committed outcome.
    ///
    /// After a crash at most so many are sent again. Default: 24,000.
    case unanswered = "dispatcher.unanswered"
    /// Integer, 8 through 100,000; how many of them may be transactional messages, calls and others that a repeated
    /// delivery does not replace. Default: 1,000.
    case unansweredTransactional = "dispatcher.unansweredTransactional"
    /// Number, 0.1 through 3,600; timeout of a graceful shutdown, in seconds. Default: 30.
    case shutdownSeconds = "shutdownSeconds"
}
