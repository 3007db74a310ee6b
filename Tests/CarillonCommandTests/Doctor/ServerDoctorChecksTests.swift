import ApplePushConnection
import ApplePushSender
import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import CarillonStore
import Foundation
import NIOCore
import NIOPosix
import Testing

@testable import CarillonCommand

/// The doctor's checks that need no store: a value in, findings out.
struct ServerDoctorChecksTests {
    private static let day: Int64 = 86_400
    private static let now: Int64 = 1_800_000_000

    private func verdicts(_ findings: [ServerFinding]) -> [ServerFinding.Verdict] { findings.map(\.verdict) }

    @Test(
        "S1-operators-3 Certificates that are expired, expire soon or are not valid yet are reported",
        arguments: [
            (-10, 0, ServerFinding.Verdict.problem), (-10, 1, .warning), (-10, 20, .warning), (-10, 21, .ok),
            (1, 90, .problem),
        ]
    )
    func certificateTimes(_ begin: Int64, _ end: Int64, _ verdict: ServerFinding.Verdict) {
        let time = CertificateTime(begin: Self.now + begin * Self.day, end: Self.now + end * Self.day)
        let finding = ServerFinding.time(.tls, [time], what: "It is there", advice: "Renew it.", at: Self.now)
        #expect(finding.verdict == verdict)
        let later = CertificateTime(begin: 0, end: Self.now + 900 * Self.day)
        #expect(ServerFinding.time(.tls, [later, time], what: "", advice: "", at: Self.now).verdict == verdict)
    }

    @Test("S1-operators-3 A certificate with another key is reported, and so are other files")
    func tls() async throws {
        let apns = try SimulatedAPNs()
        defer { try? FileManager.default.removeItem(at: apns.folder) }
        #expect(ServerFinding.tls(cert: nil, key: nil, at: Self.now).verdict == .ok)
        #expect(ServerFinding.tls(cert: apns.caFile, key: nil, at: Self.now).verdict == .problem)
        let strange = ServerFinding.tls(cert: apns.caFile, key: apns.keyFile, at: Self.now)
        #expect(strange.text.contains("does not belong to the certificate"))
        let noCertificate = ServerFinding.tls(cert: apns.keyFile, key: apns.keyFile, at: Self.now)
        #expect(noCertificate.text.contains("has no certificate"))
        #expect(ServerFinding.tls(cert: apns.caFile, key: apns.caFile, at: Self.now).text.contains("has no key"))
        #expect(ServerFinding.apnsCA(nil, at: Self.now).verdict == .ok)
        #expect(ServerFinding.apnsCA(apns.keyFile, at: Self.now).verdict == .problem)
        let seconds = Int64(Date().timeIntervalSince1970)
        #expect(ServerFinding.apnsCA(apns.caFile, at: seconds).verdict != .problem)
    }

    @Test("S1-operators-3 The connection to APNs is tested with TLS and HTTP/2, and its clock is read")
    func way() async throws {
        let apns = try SimulatedAPNs()
        try await apns.run { port in
            var configuration = ServerConfiguration(folder: apns.folder)
            func results(_ configuration: ServerConfiguration) async -> [APNsWay.Result] {
                await APNsWay(
                    configuration: configuration.apns,
                    timeout: .seconds(60),
                    group: MultiThreadedEventLoopGroup.singleton
                ).results()
            }
            configuration.sendTo(Endpoint(host: "127.0.0.1", port: port), trusting: apns.caFile)
            #expect(await results(configuration).map { ServerFinding.apns($0).verdict } == [.ok])

            configuration.apns.pool.trustRoots = .system
            let texts = await results(configuration).map { ServerFinding.apns($0).text }
            #expect(texts == ["127.0.0.1:\(port) could not prove who it is."])
        }
        let closed = APNsWay.Result(endpoint: Endpoint(host: "a.b", port: 443), problem: .unreachable(""), date: nil)
        #expect(ServerFinding.apns(closed).line.hasPrefix("problem  apns: a.b:443 is unreachable."))
    }

    @Test("S1-operators-2 A clock deviation is reported with its size")
    func clock() {
        let now = Timestamp(rawValue: Self.now * 1_000)
        #expect(verdicts(.clock(ClockComparison(now: now))) == [.ok])
        var times = ClockComparison(now: now, database: now.advanced(by: .seconds(-5)), apns: Self.now - 300)
        times.newestRecord = now.advanced(by: .seconds(60))
        #expect(verdicts(.clock(times)) == [.ok])
        times.newestRecord = now.advanced(by: .seconds(61))
        times.database = now.advanced(by: .seconds(6))
        times.apns = Self.now - 301
        let findings: [ServerFinding] = .clock(times)
        #expect(verdicts(findings) == [.problem, .problem, .problem])
        #expect(
            findings.map(\.text) == [
                "It is 61 seconds behind the newest record in the store.", "It is 6 seconds behind PostgreSQL's.",
                "It is 301 seconds ahead of APNs'.",
            ]
        )
    }

    @Test("S1-operators-2 A nearly full disk, a read-only folder and a long log are reported")
    func disk() {
        var state = DiskState(path: "/data")
        state.free = 3 << 30
        state.log = 512 << 20
        #expect(verdicts(.disk(state)) == [.ok, .ok, .ok])
        state.database = 4 << 30
        state.log = 512 << 20 + 1
        #expect(verdicts(.disk(state)) == [.ok, .warning, .warning])
        state.free = 256 << 20 - 1
        state.isWritable = false
        #expect(verdicts(.disk(state)) == [.problem, .problem, .warning])
    }

    @Test("S1-operators-2 Missing partitions, indexes and migrations are reported")
    func layout() {
        var layout = StoreExamination()
        layout.missingIndexes = ["devices_by_user"]
        layout.partitions = [
            .init(table: "events", missing: ["events_w1"], defaultSize: 0, hasDefaultRows: false, hasConstraint: false),
            .init(table: "deliveries", missing: [], defaultSize: 1, hasDefaultRows: true, hasConstraint: false),
        ]
        #expect(verdicts(.schema(layout)) == [.ok, .problem, .problem, .warning])
        layout.missingSteps = ["0041 former app secrets"]
        #expect(verdicts(.schema(layout)) == [.warning])
        layout.unknownSteps = ["9000 newer"]
        #expect(verdicts(.schema(layout)) == [.problem])
        layout.isPreRelease = true
        let findings: [ServerFinding] = .schema(layout)
        #expect(findings.map(\.text) == ["A version before the first release made the schema."])
    }

    @Test("S1-operators-9 Work that waits behind other work is a warning, work that nobody does a problem")
    func work() {
        let past = Timestamp(rawValue: Self.now * 1_000)
        var found = ServerExamination()
        let (app, campaign) = (AppID(rawValue: 1), CampaignID(rawValue: 1))
        found.standing = [.init(kind: .wave, app: app, campaign: campaign, since: Timestamp(rawValue: 1))]
        #expect(ServerFinding.work(found, past: past, holdsBack: false).verdict == .problem)
        #expect(ServerFinding.work(found, past: past, holdsBack: true).verdict == .warning)
        found.lastHeartbeat = past
        #expect(ServerFinding.work(found, past: past, holdsBack: false).verdict == .warning)
        found.standing.append(.init(kind: .outcomes, app: nil, campaign: campaign, since: Timestamp(rawValue: 2)))
        let finding = ServerFinding.work(found, past: past, holdsBack: false)
        #expect(finding.verdict == .problem && finding.text.contains("cannot commit"))
    }

    @Test("S1-operators-7 A disabled webhook is a problem, a failing one a warning")
    func webhooks() {
        var found = ServerExamination()
        #expect(verdicts(.webhooks(found)) == [.ok])
        let (app, webhook) = (AppID(rawValue: 1), WebhookID(rawValue: 2))
        found.webhooks = [
            .init(app: app, webhook: webhook, isActive: false, alarm: "It answers 410.", failingSince: nil),
            .init(app: app, webhook: webhook, isActive: true, alarm: nil, failingSince: Timestamp(rawValue: 1)),
        ]
        #expect(verdicts(.webhooks(found)) == [.problem, .warning])
    }
}
