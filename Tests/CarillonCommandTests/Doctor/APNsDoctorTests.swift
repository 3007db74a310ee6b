import ApplePush
import ApplePushConnection
import ApplePushSimulator
import Crypto
import Foundation
import NIOCore
import NIOPosix
import NIOSSL
import Testing

@testable import CarillonCommand

/// `carillon doctor apns` against our simulator: everything good, and each thing wrong once.
struct APNsDoctorTests {
    /// What the doctor finds with a key that is good, unless changed.
    private func examine(
        _ apns: SimulatedAPNs,
        port: Int,
        keyPath: String? = nil,
        keyID: String = SimulatedAPNs.keyID,
        teamID: String = SimulatedAPNs.teamID,
        topic: String = SimulatedAPNs.topic,
        token: String? = nil,
        _ change: (inout APNsDoctor) -> Void = { _ in }
    ) async -> DoctorReport {
        var doctor = APNsDoctor(endpoint: Endpoint(host: "localhost", port: port))
        doctor.trustRoots = .file(apns.caFile)
        doctor.deviceToken = token.flatMap { APNsDeviceToken(hex: $0) }
        change(&doctor)
        let source = CredentialSource.key(path: keyPath ?? apns.keyFile, keyID: keyID, teamID: teamID)
        let check = CredentialFileCheck(source, topic: topic)
        return await doctor.examine(check)
    }

    /// The steps that are neither good nor skipped, with their verdicts.
    private func complaints(_ report: DoctorReport) -> [String] {
        report.findings.filter { $0.verdict == .bad || $0.verdict == .unknown }
            .map { "\($0.verdict.rawValue) \($0.step.rawValue)" }
    }

    private func finding(_ step: Finding.Step, _ report: DoctorReport) -> Finding? {
        report.findings.first { $0.step == step }
    }

    @Test("Without a device token, BadDeviceToken proves that key and topic are valid")
    func goodKey() async throws {
        let apns = try SimulatedAPNs { $0.rules.deviceTokens = .strict }
        try await apns.run { port in
            let report = await examine(apns, port: port)
            #expect(report.isHealthy, "\(report.text)")
            #expect(report.findings.map(\.step) == Finding.Step.allCases)
            #expect(complaints(report) == ["unknown clock", "unknown device-token"])
            #expect(finding(.certificate, report)?.text.contains("TLS 1.3") == true)
            #expect(finding(.settings, report)?.text == "requests at the same time: 1 at first")
        }
    }

    @Test("A valid device token is checked with a background notification that shows nothing")
    func goodToken() async throws {
        let apns = try SimulatedAPNs { $0.rules.deviceTokens = .strict }
        try await apns.run { port in
            let token = try apns.simulator.handle.issueTokens(topic: SimulatedAPNs.topic)[0]
            let report = await examine(apns, port: port, token: token)
            #expect(report.isHealthy && complaints(report) == ["unknown clock"])
            let request = try #require(apns.simulator.handle.requests(limit: 10).last)
            #expect(String(decoding: request.request.body, as: UTF8.self) == #"{"aps":{}}"#)
            let fields = request.request.headers
            #expect(fields.contains { $0.name == "apns-push-type" && $0.value == "background" })
            #expect(fields.contains { $0.name == "apns-priority" && $0.value == "5" })
            #expect(fields.contains { $0.name == "apns-expiration" && $0.value == "0" })
            let told = try report.text + report.json
            #expect(!told.contains(token.prefix(16)) && !told.contains("MIG"))
        }
    }

    @Test("Only --send sends a visible notification")
    func visible() async throws {
        let apns = try SimulatedAPNs()
        try await apns.run { port in
            let token = try apns.simulator.handle.issueTokens(topic: SimulatedAPNs.topic)[0]
            let report = await examine(apns, port: port, token: token) { $0.isVisible = true }
            #expect(report.isHealthy)
            let request = try #require(apns.simulator.handle.requests(limit: 10).last)
            #expect(String(decoding: request.request.body, as: UTF8.self).contains(#""alert""#))
        }
    }

    @Test("A key file that is missing, not a key, another key or truncated is found without APNs")
    func keyFiles() async throws {
        let apns = try SimulatedAPNs()
        try await apns.run { port in
            let pem = apns.privateKey.pemRepresentation
            let files = [
                ("/nowhere/key.p8", "cannot be read"),
                (try apns.write("hello", to: "a.p8"), "no key file"),
                (try apns.write(apns.privateKey.publicKey.pemRepresentation, to: "b.p8"), "no private key"),
                (try apns.write(P384.Signing.PrivateKey().pemRepresentation, to: "c.p8"), "P-256"),
                (try apns.write(pem.replacingOccurrences(of: "MIG", with: "XIG"), to: "d.p8"), "P-256"),
                (try apns.write(String(repeating: "a", count: 70_000), to: "e.p8"), "no key file"),
            ]
            for (path, words) in files {
                let report = await examine(apns, port: port, keyPath: path)
                #expect(!report.isHealthy && complaints(report) == ["bad key-file"], "\(path)")
                #expect(finding(.keyFile, report)?.text.contains(words) == true, "\(report.text)")
                #expect(finding(.settings, report)?.verdict == .good)
                #expect(finding(.credentials, report)?.verdict == .skipped)
            }
            #expect(apns.simulator.handle.requests(limit: 10).isEmpty)
        }
    }

    @Test("Ids must have ten letters and digits, and are compared with the file's name")
    func ids() async throws {
        let apns = try SimulatedAPNs { $0.rules.deviceTokens = .strict }
        try await apns.run { port in
            for (keyID, teamID, words) in [
                ("ABC", SimulatedAPNs.teamID, "--key-id must"), (SimulatedAPNs.keyID, "DEF 23GHIJ", "--team-id must"),
                ("", "é123456789", "--key-id and --team-id must"),
            ] {
                let report = await examine(apns, port: port, keyID: keyID, teamID: teamID)
                #expect(!report.isHealthy && complaints(report) == ["bad ids"])
                #expect(finding(.ids, report)?.text.hasPrefix(words) == true)
            }
            let other = await examine(apns, port: port, keyID: "ABC123DEFH")
            #expect(complaints(other) == ["unknown ids", "unknown clock", "bad credentials"])
            #expect(finding(.ids, other)?.text.contains("named for the key ABC123DEFG") == true)
        }
    }

    @Test("An unknown key, another team's and another file's are refused with advice")
    func wrongKeys() async throws {
        let apns = try SimulatedAPNs()
        try await apns.run { port in
            let another = try apns.write(P256.Signing.PrivateKey().pemRepresentation, to: "another.p8")
            for report in [
                await examine(apns, port: port, keyPath: another),
                await examine(apns, port: port, teamID: "DEF123GHIK"),
            ] {
                #expect(!report.isHealthy && complaints(report) == ["unknown clock", "bad credentials"])
                #expect(finding(.credentials, report)?.advice?.contains("--team-id") == true)
                #expect(finding(.permission, report)?.verdict == .skipped)
            }
        }
    }

    @Test("A slow clock creates an already expired provider token")
    func clock() async throws {
        let apns = try SimulatedAPNs()
        try await apns.run { port in
            let behind = await examine(apns, port: port) { doctor in
                doctor.now = { Int64(Date().timeIntervalSince1970) - 7200 }
            }
            #expect(complaints(behind) == ["unknown clock", "bad credentials"])
            #expect(finding(.credentials, behind)?.advice?.contains("clock") == true)
            let lost = await examine(apns, port: port) { $0.now = { 1_000_000 } }
            #expect(complaints(lost) == ["bad clock", "bad credentials"])
        }
    }

    @Test("A topic with a suffix, a malformed topic, and one that the key may not use")
    func topics() async throws {
        let apns = try SimulatedAPNs { $0.rules.topics = [SimulatedAPNs.topic] }
        try await apns.run { port in
            for topic in ["com.example.app.voip", "com.example.app.push-type.liveactivity", "com example", ""] {
                let report = await examine(apns, port: port, topic: topic)
                #expect(!report.isHealthy && complaints(report) == ["bad topic"], "\(topic)")
            }
            let other = await examine(apns, port: port, topic: "com.example.other")
            #expect(complaints(other) == ["unknown clock", "bad permission"])
            #expect(finding(.credentials, other)?.verdict == .good)
        }
    }

    @Test("A device token of the other environment, of another app, or an invalid one")
    func deviceTokens() async throws {
        let apns = try SimulatedAPNs()
        try await apns.run { port in
            let handle = apns.simulator.handle
            let sandbox = try handle.issueTokens(topic: SimulatedAPNs.topic, environment: .sandbox)[0]
            let other = try handle.issueTokens(topic: "com.example.other")[0]
            let gone = try handle.issueTokens(topic: SimulatedAPNs.topic, count: 2)
            try handle.expire(gone[0])
            try handle.expire(gone[1], isExpiry: true)
            for (token, words) in [
                (sandbox, "other environment"), (other, "another app"), (gone[0], "no longer active"),
                (gone[1], "expired"),
            ] {
                let report = await examine(apns, port: port, token: token)
                #expect(!report.isHealthy && complaints(report) == ["unknown clock", "bad device-token"])
                #expect(finding(.deviceToken, report)?.text.contains(words) == true, "\(report.text)")
                #expect(finding(.permission, report)?.verdict == .good)
            }
        }
    }

    @Test("A server that fails, sends GOAWAY or does not answer is neither the key's fault nor healthy")
    func serviceUnavailable() async throws {
        let apns = try SimulatedAPNs()
        try await apns.run { port in
            let handle = apns.simulator.handle
            var fault = Fault(.answer)
            fault.status = 503
            fault.reason = "ServiceUnavailable"
            handle.inject(fault)
            let busy = await examine(apns, port: port)
            #expect(!busy.isHealthy && complaints(busy) == ["unknown clock", "unknown credentials"])
            handle.removeFaults()

            handle.inject(Fault(.close))
            let closed = await examine(apns, port: port)
            #expect(finding(.credentials, closed)?.text.contains("did not answer") == true)
            handle.removeFaults()

            handle.inject(Fault(.stall))
            let silent = await examine(apns, port: port) { $0.timeout = .milliseconds(500) }
            #expect(!silent.isHealthy)
        }
    }

    @Test("An unknown name, a closed port, an untrusted server, and one without TLS or HTTP/2")
    func network() async throws {
        let apns = try SimulatedAPNs()
        try await apns.run { port in
            let nameless = await examine(apns, port: port) { $0.endpoint.host = "name.invalid" }
            #expect(complaints(nameless) == ["bad name"])

            let mistrusted = await examine(apns, port: port) { $0.trustRoots = .system }
            #expect(complaints(mistrusted) == ["bad certificate"])
            #expect(finding(.certificate, mistrusted)?.advice?.contains("USERTrust") == true)
            #expect(finding(.certificate, mistrusted)?.text.contains("certificates end at \"") == true)

            let unreadable = await examine(apns, port: port) { $0.trustRoots = .file("/nowhere/ca.pem") }
            #expect(complaints(unreadable) == ["bad certificate"])
        }
        let closed = await examine(apns, port: 1)
        #expect(complaints(closed).contains("bad network"))
    }

    @Test("A client certificate that is valid, for another app, for the other environment, or with a wrong passphrase")
    func certificates() async throws {
        let apns = try SimulatedAPNs { $0.rules.deviceTokens = .strict }
        try await apns.run { port in
            var doctor = APNsDoctor(endpoint: Endpoint(host: "localhost", port: port))
            doctor.trustRoots = .file(apns.caFile)
            func report(_ order: ClientCertificateOrder, passphrase: String? = nil) async throws -> DoctorReport {
                let files = try apns.certificate(order)
                let source = CredentialSource.certificate(
                    path: files.p12,
                    keyPath: nil,
                    passphraseFile: passphrase ?? files.passphrase
                )
                return await doctor.examine(CredentialFileCheck(source, topic: SimulatedAPNs.topic))
            }
            let good = try await report(ClientCertificateOrder(topic: SimulatedAPNs.topic))
            #expect(good.isHealthy && finding(.credentials, good)?.verdict == .good, "\(good.text)")
            #expect(finding(.settings, good)?.text == "requests at the same time: 1000 at first")

            let other = try await report(ClientCertificateOrder(topic: "com.example.other"))
            #expect(complaints(other) == ["unknown clock", "bad permission"])

            let sandbox = try await report(ClientCertificateOrder(topic: SimulatedAPNs.topic, environments: [.sandbox]))
            #expect(!sandbox.isHealthy && sandbox.text.contains("for the other environment"), "\(sandbox.text)")

            let wrong = try apns.write("wrong", to: "wrong.txt")
            let locked = try await report(ClientCertificateOrder(topic: SimulatedAPNs.topic), passphrase: wrong)
            #expect(complaints(locked) == ["bad key-file"])
        }
    }

    @Test("An unreachable proxy, and a server that is not a proxy")
    func proxies() async throws {
        let apns = try SimulatedAPNs()
        defer { try? FileManager.default.removeItem(at: apns.folder) }
        let mail = try await StrangeServer.start { try $0.addHandler(Greeter()) }
        let noProxy = try HTTPProxy(host: "127.0.0.1", port: mail.port, user: "user", password: "secret")
        let report = await examine(apns, port: 443) { $0.proxy = noProxy }
        #expect(complaints(report) == ["bad network"])
        #expect(finding(.network, report)?.advice?.contains("--proxy") == true)
        #expect(!report.text.contains("secret"))
        try await mail.stop()
        let away = try HTTPProxy(host: "127.0.0.1", port: 1)
        let nothing = await examine(apns, port: 443) { $0.proxy = away }
        #expect(finding(.network, nothing)?.text == "no connection to port 1 of the proxy")
    }

    @Test("A server without TLS, and one that does not answer")
    func strangers() async throws {
        let apns = try SimulatedAPNs()
        defer { try? FileManager.default.removeItem(at: apns.folder) }
        let mail = try await StrangeServer.start { try $0.addHandler(Greeter()) }
        let report = await examine(apns, port: mail.port)
        #expect(complaints(report) == ["bad certificate"])
        #expect(finding(.certificate, report)?.text.contains("sent no certificate") == true)
        try await mail.stop()

        let silent = try await StrangeServer.start { _ in }
        let nothing = await examine(apns, port: silent.port) { $0.timeout = .seconds(1) }
        #expect(complaints(nothing) == ["bad certificate"])
        #expect(finding(.certificate, nothing)?.text.contains("did not answer") == true)
        try await silent.stop()
    }

    @Test("A server without HTTP/2")
    func oldServer() async throws {
        let apns = try SimulatedAPNs()
        defer { try? FileManager.default.removeItem(at: apns.folder) }
        let identity = try StrangeServer.Identity()
        let caFile = try apns.write(identity.pem, to: "other.pem")
        let old = try await StrangeServer.start { pipeline in
            try pipeline.addHandler(NIOSSLServerHandler(context: identity.context(speaking: ["http/1.1"])))
        }
        let report = await examine(apns, port: old.port) { $0.trustRoots = .file(caFile) }
        #expect(complaints(report) == ["bad protocol"])
        #expect(finding(.certificate, report)?.text.contains("end at \"Strange Root\"") == true)
        try await old.stop()
    }
}
