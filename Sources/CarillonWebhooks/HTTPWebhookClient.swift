import AsyncHTTPClient
package import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import Foundation
import NIOCore
import NIOHTTP1
package import NIOSSL

/// Posts webhook messages over HTTP, never to addresses of the server's own networks, as ``CheckedHosts`` sees to.
///
/// A connection is kept for the next post to the same name and address; the name is resolved and checked again before
/// that. Redirects are not followed, proxies of the environment are not used, and answers are read up to 64 KiB; of
/// their text the beginning is kept.
package struct HTTPWebhookClient: WebhookClient {
    /// Options of the client.
    package struct Options: Sendable {
        /// Whether plain HTTP and private addresses are allowed: for tests and closed networks.
        package var allowsLocal = false
        /// Timeout of a connection.
        package var connectTime = Duration.seconds(5)
        /// Timeout of a whole post.
        package var wholeTime = Duration.seconds(15)
        /// Maximum size of a body in bytes.
        package var bodyLimit = 4 * 1_024 * 1_024
        /// How long an idle connection is kept.
        package var idleTime = Duration.seconds(30)
        /// Maximum number of connections to one name at one address.
        ///
        /// As many as webhooks are called at once: webhooks of several Apps may have the same host, and with fewer,
        /// unanswered posts would delay the others.
        package var connectionsPerHost = WebhookDispatcher.Options().webhooksAtOnce
        /// Maximum number of names and addresses with idle connections.
        package var keptClients = 256
        /// The trusted root certificates.
        package var trustRoots = NIOSSLTrustRoots.default

        package init() {}
    }

    private static let answerLimit = 65_536

    private let options: Options
    private let hosts: CheckedHosts

    /// Creates a client.
    ///
    /// - Parameters:
    ///   - options: The options.
    ///   - resolver: Resolves names.
    package init(options: Options = Options(), resolver: any HostResolver = SystemHostResolver()) {
        self.options = options
        hosts = CheckedHosts(options, resolver)
    }

    package func objection(to url: String) -> String? { hosts.objection(to: url) }

    package func post(_ post: WebhookPost) async -> WebhookAnswer { await reply(to: post).answer }

    package func reply(to post: WebhookPost) async -> WebhookReply {
        guard post.body.count <= options.bodyLimit else { return WebhookReply(.failed("The message is too large.")) }
        do throws(CheckedHosts.Refusal) {
            return await send(post, try await hosts.key(of: post.url, for: post.app))
        } catch {
            return WebhookReply(.failed(error.sentence))
        }
    }

    // MARK: - Private

    private func send(_ post: WebhookPost, _ key: PinnedClients.Key) async -> WebhookReply {
        let deadline = NIODeadline.now() + TimeAmount(options.wholeTime)
        return await hosts.withClient(key) { client in
            do throws(LostConnection) {
                return try await execute(post, with: client, until: deadline)
            } catch {
                // The server closed an idle connection just when it was reused. Posts may be repeated, under one id.
                let second = try? await execute(post, with: client, until: deadline)
                return second ?? WebhookReply(.failed("The connection was closed before an answer."))
            }
        }
    }

    /// The server closed the connection before it answered.
    private struct LostConnection: Error {}

    private func execute(
        _ post: WebhookPost,
        with client: HTTPClient,
        until deadline: NIODeadline
    ) async throws(LostConnection) -> WebhookReply {
        var request = HTTPClientRequest(url: post.url)
        request.method = .POST
        request.headers.add(name: "Content-Type", value: "application/json")
        request.headers.add(name: "User-Agent", value: "Carillon-Webhooks/1")
        request.headers.add(name: "webhook-id", value: post.id)
        request.headers.add(name: "webhook-timestamp", value: String(post.timestamp.rawValue / 1_000))
        request.headers.add(name: "webhook-signature", value: post.signature)
        request.body = .bytes(ByteBuffer(bytes: post.body))
        do {
            let response = try await client.execute(request, deadline: deadline)
            let status = Int(response.status.code)
            let after = response.headers.first(name: "Retry-After").flatMap { Int($0) }.map { max(0, min($0, 86_400)) }
            // Always read, so that the connection can be reused; too much ends it at once.
            let body = try? await response.body.collect(upTo: Self.answerLimit)
            return WebhookReply(
                .answered(status: status, retryAfter: after.map { .seconds($0) }),
                body: body.flatMap(Self.beginning(of:))
            )
        } catch let error as HTTPClientError where error == .remoteConnectionClosed {
            throw LostConnection()
        } catch let error as HTTPClientError {
            return WebhookReply(.failed("No answer: \(error.shortDescription)."))
        } catch is NIOSSLError {
            return WebhookReply(.failed("The certificate is not believed, or TLS failed."))
        } catch {
            return WebhookReply(.failed("There is no connection to the address."))
        }
    }
}

extension HTTPWebhookClient {
    /// The beginning of a body as text; `nil` for an empty one, and for bytes that are no text.
    fileprivate static func beginning(of body: ByteBuffer) -> String? {
        // A character has at most four bytes; the last one may be cut off.
        let bytes = body.readableBytesView.prefix(4 * WebhookAttempt.bodyLength)
        let text = String(decoding: bytes, as: UTF8.self).prefix(WebhookAttempt.bodyLength)
        guard !text.isEmpty, !text.contains("\0") else { return nil }
        return String(text)
    }
}

extension PublicAddress {
    /// The address in text form.
    var text: String {
        guard bytes.count == 16 else { return bytes.map(String.init).joined(separator: ".") }
        return stride(from: 0, to: 16, by: 2)
            .map { String(UInt16(bytes[$0]) << 8 | UInt16(bytes[$0 + 1]), radix: 16) }
            .joined(separator: ":")
    }
}
