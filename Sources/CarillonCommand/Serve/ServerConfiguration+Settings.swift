import ApplePushConnection
import ApplePushSender
import CarillonEngine
import CarillonSQL
import CarillonServer
import CarillonStore
import CarillonWebhooks
import Foundation
import NIOCore
import NIOSSL

extension ServerConfiguration {
    /// Creates the configuration from settings.
    ///
    /// - Parameters:
    ///   - settings: The settings.
    ///   - folder: The data folder.
    /// - Throws: ``ServerSettings/Failure`` naming the setting.
    init(_ settings: ServerSettings, folder: URL) throws {
        self.init(folder: folder)
        if let path = try settings.text(.masterKeyFile) { masterKeyPath = path }
        try readStore(settings)
        if let size = try settings.integer(.cacheKib, 1_024...16_777_216) { database.cacheSize = size }
        try readServer(settings)
        try readConsole(settings)
        try readOutside(settings)
        try readRegistrationLimit(settings)
        try readLimits(settings)
        try readAPNs(settings)
        if let seconds = try settings.number(.leaseSeconds, 0.1...600) { dispatcher.leaseTime = .seconds(seconds) }
        if let seconds = try settings.number(.latenessSeconds, 60...5_184_000) {
            dispatcher.lateness = .seconds(seconds)
        }
        if case .postgreSQL = store { lookForOthers() }
        if let size = try settings.integer(.chunkSize, 1...5_000) { dispatcher.chunkSize = size }
        if let limit = try settings.integer(.failureLimit, 1...1_000) { dispatcher.failures.limit = limit }
        if let count = try settings.integer(.loads, 1...32) { dispatcher.loadsAtOnce = count }
        if let size = try settings.integer(.batchSize, 1...5_000) { dispatcher.batchSize = size }
        if let count = try settings.integer(.unanswered, 8...100_000) { dispatcher.window.total = count }
        if let count = try settings.integer(.unansweredTransactional, 8...100_000) {
            dispatcher.window.irreplaceable = count
        }
        if let isAllowed = try settings.flag(.webhooksAllowLocal) { webhooks.allowsLocal = isAllowed }
        if let seconds = try settings.number(.shutdownSeconds, 0.1...3_600) { shutdownTime = .seconds(seconds) }
    }

    private mutating func readStore(_ settings: ServerSettings) throws {
        if let text = try settings.text(.store) { store = ServerStore(text) }
        if let count = try settings.integer(.readers, 1...100) { postgreSQL.readerCount = count }
        if let count = try settings.integer(.servingWriters, 1...32) { postgreSQL.servingWriterCount = count }
        if let count = try settings.integer(.bulkWriters, 1...32) { postgreSQL.bulkWriterCount = count }
        if let word = try settings.word(.role, ServerRole.self) { role = word }
        if let isHeld = try settings.flag(.hold) { holdsBack = isHeld }
        server.servesAPI = role != .dispatch
        switch store {
        case .file:
            guard role == .all else {
                throw ServerSettings.Failure(description: "role must be all: a file has one node.")
            }
        case .postgreSQL:
            // On PostgreSQL a long write does not block others.
            dispatcher.commitSize = 10_000
        }
    }

    /// Detects a failed node and takes over its Chunks within the duration of a lease.
    private mutating func lookForOthers() {
        dispatcher.longestWait = min(.seconds(1), dispatcher.leaseTime / 4)
        dispatcher.leaseTime -= dispatcher.longestWait
    }

    private mutating func readServer(_ settings: ServerSettings) throws {
        server.port = try settings.integer(.port, 0...65_535) ?? 8080
        if let host = try settings.text(.host) { server.host = host }
        if let log = try settings.word(.accessLog, APIServer.AccessLog.self) { server.accessLog = log }
        if let isOpen = try settings.flag(.metricsOpen) { server.metricsAreOpen = isOpen }
        if let count = try settings.integer(.maximumConnections, 1...1_000_000) { server.maximumConnections = count }
        if let count = try settings.integer(.maximumStreams, 0...100_000) { server.maximumStreams = count }
        guard let proxies = TrustedProxies(try settings.texts(.trustedProxies)) else {
            throw ServerSettings.Failure(description: "trustedProxies must be addresses or blocks as 10.0.0.0/8.")
        }
        server.trustedProxies = proxies
        server.tls = try Self.tls(cert: try settings.text(.tlsCert), key: try settings.text(.tlsKey))
    }

    private mutating func readRegistrationLimit(_ settings: ServerSettings) throws {
        var limit = RegistrationLimit()
        if let rate = try settings.number(.registrationRate, 0...1_000_000) { limit.rate = rate }
        if let burst = try settings.number(.registrationBurst, 1...10_000_000) { limit.burst = burst }
        registrationLimit = limit.rate > 0 ? limit : nil
        if let count = try settings.integer(.newDevicesPerMinute, 0...100_000_000) {
            newDevicesPerMinute = count > 0 ? count : nil
        }
    }

    private mutating func readAPNs(_ settings: ServerSettings) throws {
        let caFile = try settings.text(.apnsCAFile)
        if let caFile { try Self.checkCertificates(in: caFile) }
        if let count = try settings.integer(.apnsConnections, 1...64) { apns.pool.maximumConnections = count }
        try readAPNsConnections(settings)
        guard let text = try settings.text(.apnsHost) else {
            if let caFile { apns.pool.trustRoots = .file(caFile) }
            return
        }
        guard let endpoint = Endpoint(text) else {
            throw ServerSettings.Failure(description: "apns.host must be HOST or HOST:PORT.")
        }
        sendTo(endpoint, trusting: caFile)
    }

    private mutating func readAPNsConnections(_ settings: ServerSettings) throws {
        if let hours = try settings.number(.apnsConnectionHours, 0.1...8_760) {
            apns.pool.maximumConnectionAge = .seconds(Int64(hours * 3_600))
        }
        if let count = try settings.integer(.apnsConnectionRequests, 100...1_000_000_000) {
            apns.pool.maximumRequestsPerConnection = count
        }
        if let rate = try settings.integer(.apnsBadTokenRate, 0...1_000_000) {
            apns.pool.badTokenBrake = rate > 0 ? BadTokenBrake(rate: rate) : nil
        }
        guard let url = try settings.text(.apnsProxy) else { return }
        do throws(HTTPProxy.Problem) {
            apns.pool.proxy = try HTTPProxy(url: url)
        } catch {
            throw ServerSettings.Failure(description: "apns.proxy: \(error).")
        }
    }

    /// Checks a file that is read again for the first connection to APNs, which is too late to report it missing.
    private static func checkCertificates(in path: String) throws {
        guard let certificates = try? NIOSSLCertificate.fromPEMFile(path), !certificates.isEmpty else {
            throw ServerSettings.Failure(
                description: "apns.caFile: cannot read certificates from \(path). Give a PEM file with at least one."
            )
        }
    }

    private static func tls(cert: String?, key: String?) throws -> TLSConfiguration? {
        guard cert != nil || key != nil else { return nil }
        guard let cert, let key else {
            throw ServerSettings.Failure(description: "tls.cert and tls.key must come together.")
        }
        do {
            let chain = try NIOSSLCertificate.fromPEMFile(cert).map { NIOSSLCertificateSource.certificate($0) }
            let privateKey = NIOSSLPrivateKeySource.privateKey(try NIOSSLPrivateKey(file: key, format: .pem))
            var tls = TLSConfiguration.makeServerConfiguration(certificateChain: chain, privateKey: privateKey)
            tls.minimumTLSVersion = .tlsv12
            tls.applicationProtocols = ["http/1.1"]
            return tls
        } catch {
            throw ServerSettings.Failure(description: "Cannot use the certificate in \(cert) with the key in \(key).")
        }
    }
}

extension Endpoint {
    /// Parses `HOST`, `HOST:PORT`, `[IPv6]` or `[IPv6]:PORT`; `nil` for anything else.
    init?(_ text: String) {
        let isBracketed = text.hasPrefix("[")
        let end = isBracketed ? text.firstIndex(of: "]") : text.firstIndex(of: ":") ?? text.endIndex
        guard let end else { return nil }
        let host = isBracketed ? text[text.index(after: text.startIndex)..<end] : text[..<end]
        let rest = text[end...].drop { $0 == "]" }
        guard !host.isEmpty, !host.contains(where: \.isWhitespace), isBracketed || !host.contains("/") else {
            return nil
        }
        guard !rest.isEmpty else {
            self.init(host: String(host))
            return
        }
        guard rest.first == ":", let port = Int(rest.dropFirst()), (1...65_535).contains(port) else { return nil }
        self.init(host: String(host), port: port)
    }
}
