import Foundation
import NIOSSL

/// A certificate's validity, in seconds since 1970.
struct CertificateTime: Hashable, Sendable {
    var begin: Int64
    var end: Int64

    init(begin: Int64, end: Int64) {
        self.begin = begin
        self.end = end
    }

    init(_ certificate: NIOSSLCertificate) {
        begin = Int64(certificate.notValidBefore)
        end = Int64(certificate.notValidAfter)
    }
}

extension ServerFinding {
    /// With fewer days left there is a warning.
    private static let warningDays: Int64 = 21
    private static let secondsADay: Int64 = 86_400

    /// Checks the file of APNs' trusted root certificates.
    ///
    /// - Parameters:
    ///   - path: The file; `nil` for the system's roots.
    ///   - now: Seconds since 1970.
    /// - Returns: The finding.
    static func apnsCA(_ path: String?, at now: Int64) -> ServerFinding {
        guard let path else { return .ok(.apnsCA, "The system's certificates are trusted.") }
        guard let certificates = try? NIOSSLCertificate.fromPEMFile(path), !certificates.isEmpty else {
            return .problem(
                .apnsCA,
                "\(path) cannot be read, or has no certificate.",
                "Give --apns-ca-file a PEM file with at least one; Apple's APNs needs none."
            )
        }
        return time(
            .apnsCA,
            certificates.map(CertificateTime.init),
            what: "\(path) has \(certificates.count) certificate\(certificates.count == 1 ? "" : "s")",
            advice: "Give --apns-ca-file the new certificates and restart.",
            at: now
        )
    }

    /// Checks the server's own certificate and key.
    ///
    /// - Parameters:
    ///   - cert: The chain's file; `nil` for plain HTTP.
    ///   - key: The key's file.
    ///   - now: Seconds since 1970.
    /// - Returns: The finding.
    static func tls(cert: String?, key: String?, at now: Int64) -> ServerFinding {
        guard cert != nil || key != nil else { return .ok(.tls, "Neither certificate nor key is given: plain HTTP.") }
        guard let cert, let key else {
            return .problem(.tls, "Only one of certificate and key is given.", "Give both: --tls-cert and --tls-key.")
        }
        guard let chain = try? NIOSSLCertificate.fromPEMFile(cert), let leaf = chain.first else {
            return .problem(.tls, "\(cert) cannot be read, or has no certificate.", "Give --tls-cert a PEM file.")
        }
        guard let privateKey = try? NIOSSLPrivateKey(file: key, format: .pem) else {
            return .problem(
                .tls,
                "\(key) cannot be read, or has no key.",
                "Give --tls-key a PEM file without passphrase."
            )
        }
        let configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: chain.map { .certificate($0) },
            privateKey: .privateKey(privateKey)
        )
        guard (try? NIOSSLContext(configuration: configuration)) != nil else {
            return .problem(
                .tls,
                "The key in \(key) does not belong to the certificate in \(cert).",
                "Give --tls-key the key that the certificate was requested with."
            )
        }
        return time(
            .tls,
            [CertificateTime(leaf)],
            what: "Certificate and key belong together",
            advice: "Renew the certificate and restart: the files are read at the start.",
            at: now
        )
    }

    /// Checks the validity of certificates; the earliest end counts.
    static func time(
        _ check: Check,
        _ times: [CertificateTime],
        what: String,
        advice: String,
        at now: Int64
    ) -> ServerFinding {
        if let begin = times.map(\.begin).max(), begin > now {
            return .problem(
                check,
                "\(what); it is valid only from \(day(begin)) on.",
                "Set this computer's clock, by NTP."
            )
        }
        guard let end = times.map(\.end).min() else { return .ok(check, what + ".") }
        guard end > now else { return .problem(check, "\(what); it expired on \(day(end)).", advice) }
        let days = (end - now) / secondsADay
        let text = "\(what); \(days) days are left, until \(day(end))."
        return days < warningDays ? .warning(check, text, advice) : .ok(check, text)
    }

    private static func day(_ seconds: Int64) -> String {
        String(ISO8601DateFormatter().string(from: Date(timeIntervalSince1970: TimeInterval(seconds))).prefix(10))
    }
}
