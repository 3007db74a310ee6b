import AsyncHTTPClient
import CarillonModel
import NIOCore
import NIOPosix
import NIOSSL

/// Leads from an address's text to a client that connects to a checked public address, and to nothing else.
///
/// The name is resolved before each request; if any of its addresses is not public, nothing is sent. The connection uses
/// the checked address, so that a name which resolves differently a moment later (DNS rebinding) has no effect, while
/// the certificate is verified against the name.
struct CheckedHosts: Sendable {
    /// Why there is no connection, as a whole sentence.
    struct Refusal: Error {
        var sentence: String
        /// Whether the address must not be asked; otherwise nobody knows where it leads.
        var isForbidden = true
    }

    let allowsLocal: Bool
    private let connectTime: Duration
    private let resolver: any HostResolver
    private let clients: PinnedClients

    init(_ options: HTTPWebhookClient.Options, _ resolver: any HostResolver) {
        allowsLocal = options.allowsLocal
        connectTime = options.connectTime
        self.resolver = resolver
        clients = PinnedClients(limit: options.keptClients) { Self.client(options, pinnedTo: $0) }
    }

    /// Why an address is forbidden, as text that follows "must"; `nil` when its text allows it.
    func objection(to url: String) -> String? {
        do throws(WebhookAddress.Objection) {
            _ = try WebhookAddress(url, allowsLocal: allowsLocal)
            return nil
        } catch {
            return error.words
        }
    }

    /// Checks where an address leads now.
    func key(of url: String, for app: AppID) async throws(Refusal) -> PinnedClients.Key {
        let host: String
        do throws(WebhookAddress.Objection) {
            host = try WebhookAddress(url, allowsLocal: allowsLocal).host
        } catch {
            throw Refusal(sentence: "The address must \(error.words).")
        }
        let addresses = await resolve(host, for: app).compactMap(PublicAddress.init)
        guard let address = addresses.first else {
            throw Refusal(sentence: "The name does not resolve.", isForbidden: false)
        }
        guard allowsLocal || addresses.allSatisfy(\.isPublic) else {
            throw Refusal(sentence: "The name leads to a network of the server's own.")
        }
        return PinnedClients.Key(host: host, address: address)
    }

    /// Uses the client of a checked address.
    func withClient<Value: Sendable>(
        _ key: PinnedClients.Key,
        _ body: (HTTPClient) async throws -> Value
    ) async rethrows -> Value {
        let client = clients.acquire(key)
        defer { clients.giveBack(key) }
        return try await body(client)
    }

    // MARK: - Private

    /// Stops waiting at the timeout; the system may take longer.
    private func resolve(_ host: String, for app: AppID) async -> [[UInt8]] {
        if let address = PublicAddress(text: host) { return [address.bytes] }
        return await withTaskGroup(of: [[UInt8]]?.self) { group in
            let (resolver, limit) = (resolver, connectTime)
            let (answers, answer) = AsyncStream.makeStream(of: [[UInt8]].self)
            // Outside of the group, which would wait for it.
            let asking = Task {
                answer.yield(await resolver.addresses(of: host, for: app))
                answer.finish()
            }
            group.addTask { await answers.first { _ in true } }
            group.addTask {
                try? await Task.sleep(for: limit)
                return nil
            }
            let first = await group.next() ?? nil
            group.cancelAll()
            asking.cancel()
            return first ?? []
        }
    }

    private static func client(_ options: HTTPWebhookClient.Options, pinnedTo key: PinnedClients.Key) -> HTTPClient {
        var configuration = HTTPClient.Configuration()
        var tls = TLSConfiguration.makeClientConfiguration()
        tls.trustRoots = options.trustRoots
        configuration.tlsConfiguration = tls
        configuration.dnsOverride = [key.host: key.address.text]
        configuration.redirectConfiguration = .disallow
        configuration.decompression = .disabled
        configuration.httpVersion = .http1Only
        configuration.timeout.connect = TimeAmount(options.connectTime)
        configuration.connectionPool.idleTimeout = TimeAmount(options.idleTime)
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = options.connectionsPerHost
        configuration.connectionPool.retryConnectionEstablishment = false
        return HTTPClient(eventLoopGroup: MultiThreadedEventLoopGroup.singleton, configuration: configuration)
    }
}
