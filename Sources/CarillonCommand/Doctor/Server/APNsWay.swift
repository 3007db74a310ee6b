import ApplePush
import ApplePushConnection
import ApplePushSender
import NIOCore
import NIOHPACK
import NIOSSL

/// Probes the route to APNs with TCP, TLS and HTTP/2, without a key.
struct APNsWay: Sendable {
    /// The result of one host.
    struct Result: Hashable, Sendable {
        var endpoint: Endpoint
        /// `nil` when HTTP/2 was negotiated.
        var problem: APIConnection.Problem?
        /// Its `date` field, in seconds since 1970.
        var date: Int64?
    }

    var configuration: APNsSender.Configuration
    var timeout = TimeAmount.seconds(10)
    var group: any EventLoopGroup

    /// Probes each host once.
    func results() async -> [Result] {
        var results: [Result] = []
        var endpoints = [configuration.production]
        if configuration.sandbox != configuration.production { endpoints.append(configuration.sandbox) }
        for endpoint in endpoints { results.append(await result(endpoint)) }
        return results
    }

    private func result(_ endpoint: Endpoint) async -> Result {
        let tls: NIOSSLContext
        do {
            tls = try NIOSSLContext(configuration: .apns(trusting: configuration.pool.trustRoots))
        } catch {
            return Result(endpoint: endpoint, problem: .tls("The trusted certificates cannot be read."), date: nil)
        }
        let route = APIRoute(to: endpoint, through: configuration.pool.proxy, timeout: timeout)
        let connection = APIConnection(route, tls: tls, on: group.next())
        defer { connection.drain() }
        do throws(APIConnection.Problem) {
            _ = try await connection.ready()
        } catch {
            return Result(endpoint: endpoint, problem: error, date: nil)
        }
        return Result(endpoint: endpoint, problem: nil, date: await date(connection))
    }

    /// Sends a request without a provider token, which APNs refuses, to get the response's `date`.
    private func date(_ connection: APIConnection) async -> Int64? {
        var fields = HPACKHeaders()
        fields.add(name: "apns-push-type", value: "background")
        let path = ProviderAPI.devicePath + String(repeating: "0", count: 64)
        let request = APIRequest(method: "POST", path: path, fields: fields, body: Array("{}".utf8))
        guard case .answered(let answer) = await connection.perform(request, deadline: .now() + timeout) else {
            return nil
        }
        return answer.fields.first(name: "date").flatMap(HTTPDate.seconds)
    }
}

extension ServerFinding {
    /// The finding for one host.
    static func apns(_ result: APNsWay.Result) -> ServerFinding {
        let place = "\(result.endpoint.host):\(result.endpoint.port)"
        switch result.problem {
        case nil: return .ok(.apns, "\(place) speaks HTTP/2 over TLS.")
        case .unreachable, .timedOut:
            return .problem(
                .apns,
                "\(place) is unreachable.",
                "Open port \(result.endpoint.port) outwards, or name a proxy (apns.proxy)."
            )
        case .proxy(let text):
            return .problem(.apns, "\(place): \(text).", "Check apns.proxy and what it allows.")
        case .tls:
            return .problem(
                .apns,
                "\(place) could not prove who it is.",
                "Install the system's certificates (Debian: ca-certificates), or name a simulator's with --apns-ca-file."
            )
        case .notHTTP2:
            return .problem(
                .apns,
                "\(place) does not speak HTTP/2.",
                "Look for a proxy that reads along, and at --apns-host."
            )
        case .noSettings:
            return .problem(.apns, "\(place) ended the connection at once.", "Try again in some minutes.")
        }
    }
}
