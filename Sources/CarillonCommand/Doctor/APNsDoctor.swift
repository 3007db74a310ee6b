import ApplePush
import ApplePushConnection
import Foundation
import NIOCore
import NIOPosix
import NIOSSL

/// Examines, step by step, whether a key, a topic and a device token work with APNs.
///
/// It sends a background notification, which shows nothing, unless configured otherwise. Without a device token it uses
/// one that does not exist: APNs checks key and topic first, so `BadDeviceToken` proves that both are valid.
struct APNsDoctor {
    var endpoint: Endpoint
    var trustRoots = TrustRoots.system
    var timeout = TimeAmount.seconds(10)
    /// The proxy; `nil` for none.
    var proxy: HTTPProxy?
    /// `nil` makes one up.
    var deviceToken: APNsDeviceToken?
    /// Whether a real notification may appear on the device.
    var isVisible = false
    var group: any EventLoopGroup = MultiThreadedEventLoopGroup.singleton
    /// This computer's clock, in whole seconds since 1970.
    var now: @Sendable () -> Int64 = { Int64(Date().timeIntervalSince1970) }

    /// Examines everything possible, and reports a finding for each step.
    func examine(_ check: CredentialFileCheck) async -> DoctorReport {
        var report = DoctorReport(server: endpoint.host + ":" + String(endpoint.port))
        for finding in check.findings { report.add(finding) }
        await examineServer(check, &report)
        report.skipTheRest()
        return report
    }

    // MARK: - The way to the server

    private func examineServer(_ check: CredentialFileCheck, _ report: inout DoctorReport) async {
        guard await resolve(&report), let chain = await look(&report),
            let connection = await connect(chain, check.credential?.identity, &report)
        else { return }
        defer { connection.drain() }
        guard let credential = check.credential, let bundleID = check.bundleID else { return }
        await sendRequest(connection, credential, bundleID, &report)
    }

    private var route: APIRoute { APIRoute(to: endpoint, through: proxy, timeout: timeout) }

    private func resolve(_ report: inout DoctorReport) async -> Bool {
        let hop = route.firstHop
        let whose = proxy == nil ? "" : "the proxy's "
        if (try? SocketAddress(ipAddress: hop.host, port: hop.port)) != nil {
            report.add(.good(.name, proxy == nil ? "an address" : "the proxy has an address; it looks the server's up"))
            return true
        }
        do {
            let address = try await NIOThreadPool.singleton.runIfActive {
                try SocketAddress.makeAddressResolvingHost(hop.host, port: hop.port)
            }
            report.add(.good(.name, "\(whose)\(hop.host) is \(address.ipAddress ?? "found")"))
            return true
        } catch {
            report.add(
                .bad(
                    .name,
                    "\(whose)\(hop.host) has no address",
                    "Look at this computer's DNS settings, and at the spelling where you gave the name yourself."
                )
            )
            return false
        }
    }

    private func look(_ report: inout DoctorReport) async -> ServerChain? {
        do {
            let chain = try await ServerChain.look(along: route, on: group.next())
            let way = proxy.map { " through the proxy \($0)" } ?? ""
            report.add(.good(.network, "port \(endpoint.port) answers\(way)"))
            return chain
        } catch {
            if case APIConnection.Problem.proxy(let text) = error {
                report.add(
                    .bad(.network, text, "Check --proxy, and whether the proxy allows CONNECT to this port.")
                )
            } else {
                report.add(
                    .bad(
                        .network,
                        "no connection to port \(route.firstHop.port)\(proxy == nil ? "" : " of the proxy")",
                        "A firewall may be in the way: APNs needs a way to port 443, or 2197 with --server. Where only a "
                            + "proxy goes out, give it with --proxy."
                    )
                )
            }
            return nil
        }
    }

    private func connect(
        _ chain: ServerChain,
        _ identity: ClientIdentity?,
        _ report: inout DoctorReport
    ) async -> APIConnection? {
        let end = chain.end.map { "the server's certificates end at \"\($0)\"" } ?? "the server sent no certificate"
        let tls: NIOSSLContext
        do {
            tls = try NIOSSLContext(configuration: .apns(trusting: trustRoots, as: identity))
        } catch {
            report.add(.bad(.certificate, "the file of trusted certificates cannot be read", "Give --ca a PEM file."))
            return nil
        }
        let connection = APIConnection(route, tls: tls, on: group.next())
        do throws(APIConnection.Problem) {
            let welcome = try await connection.ready()
            let version = welcome.tlsVersion.map { "TLS " + $0.number + "; " } ?? ""
            report.add(.good(.certificate, version + end))
            report.add(.good(.protocolName, "agreed upon"))
            let streams = welcome.maximumStreams.map { "\($0) at first" } ?? "any number"
            report.add(.good(.settings, "requests at the same time: \(streams)"))
            return connection
        } catch {
            record(error, end, &report)
            connection.drain()
            return nil
        }
    }

    private var adviceOnTrust: String {
        guard trustRoots == .system else {
            return "The file given with --ca does not hold the certificate that signed the server's, or the "
                + "server's is for another name."
        }
        return "Apple's end at \"USERTrust RSA Certification Authority\". If these do not, something between here and "
            + "Apple reads along, or this is a simulator: give its certificate with --ca. If they do, install the "
            + "system's certificates (Debian: ca-certificates)."
    }

    private func record(_ problem: APIConnection.Problem, _ end: String, _ report: inout DoctorReport) {
        switch problem {
        case .unreachable, .proxy:
            report.add(.bad(.certificate, "the second connection could not be made", "Try again."))
        case .tls:
            report.add(.bad(.certificate, "the server could not prove who it is; \(end)", adviceOnTrust))
        case .notHTTP2(let name):
            report.add(.good(.certificate, end))
            let spoken = name.map { "it speaks \"\($0.prefix(20))\"" } ?? "it agreed on nothing"
            report.add(
                .bad(
                    .protocolName,
                    "the server does not speak HTTP/2: \(spoken)",
                    "This is not APNs: look for a proxy in between, and check --server."
                )
            )
        case .noSettings(let closure):
            report.add(.good(.certificate, end))
            report.add(.good(.protocolName, "agreed upon"))
            let found = closure.reason.map { Remedy(Rejection($0, status: 400)) }
            report.add(
                .bad(
                    .settings,
                    found.map { "the server ended the connection: " + $0.text } ?? "the server ended the connection",
                    found?.advice
                        ?? "Try again in some minutes; with a certificate, check that it has not expired or been revoked."
                )
            )
        case .timedOut:
            report.add(
                .bad(
                    .certificate,
                    "the server accepted the connection and did not answer",
                    "Packets are dropped: look for a firewall or a proxy in between."
                )
            )
        }
    }
}

extension TLSVersion {
    fileprivate var number: String {
        switch self {
        case .tlsv1: "1.0"
        case .tlsv11: "1.1"
        case .tlsv12: "1.2"
        case .tlsv13: "1.3"
        }
    }
}
