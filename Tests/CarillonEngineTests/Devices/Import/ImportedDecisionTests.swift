import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import CarillonStore
import Foundation
import Testing

/// What imports keep of what people decided and did since, here and at the service that they come from.
struct ImportedDecisionTests {
    private static let token = String(repeating: "a1", count: 32)
    private static let day: Int64 = 86_400_000

    /// One line of an import.
    private struct Line {
        var consents = true
        var device: DeviceID?
        var tenant: String?
        var since: Timestamp?
        var lastSeen: Timestamp?

        var text: String {
            var registration = #""token":"\#(ImportedDecisionTests.token)","consent":{"notifications":\#(consents)}"#
            if let tenant { registration += #","tenant":"\#(tenant)""# }
            var fields = [#""registration":{\#(registration)}"#]
            if let device { fields.append(#""device":"\#(device)""#) }
            if let since { fields.append(#""consentTimes":{"notifications":"\#(since)"}"#) }
            if let lastSeen { fields.append(#""lastSeen":"\#(lastSeen)""#) }
            return "{" + fields.joined(separator: ",") + "}\n"
        }
    }

    private struct World {
        let registry: Registry
        let app: AppID

        init() async throws {
            registry = try await Registry()
            app = try await registry.app().app.id
        }

        @discardableResult
        func importing(
            _ text: String,
            isDryRun: Bool = false,
            isAlone: Bool = false,
            format: DeviceFileFormat = .jsonLines,
            refused: @escaping (Int, String) -> Void = { line, problem in Issue.record("\(line): \(problem)") }
        ) async throws -> ImportCounts {
            // Two decisions of one millisecond are one.
            registry.clock.advance(milliseconds: 1_000)
            var options = DeviceImport.Options()
            (options.format, options.isDryRun, options.isAlone) = (format, isDryRun, isAlone)
            var devices = DeviceImport(
                app: app,
                store: registry.stores.deviceImports,
                tags: registry.stores.tags,
                attributes: registry.stores.attributes,
                clock: registry.clock,
                options: options,
                reject: refused
            )
            try await devices.read(Array(text.utf8))
            return try await devices.finish()
        }

        func devices() async throws -> [ExportedDevice] {
            try await registry.stores.deviceExports.devices(app: app, after: nil, limit: 10)
        }

        /// The lines of an export of what was registered or imported from a time on.
        func exported(from start: Timestamp) async throws -> [Substring] {
            let changes = start..<Timestamp(rawValue: .max)
            var reading = try await registry.engine.exports.begin(app: app, format: .jsonLines, changes: changes)
            return String(decoding: try await reading.next() ?? [], as: UTF8.self).split(separator: "\n")
        }
    }

    @Test("X-42 A consent that a file without ids lowered stays so in files with ids, until the person gave it anew")
    func keepsLoweredConsent() async throws {
        let world = try await World()
        func consents() async throws -> [Bool] { try await world.devices().map(\.registration.consent.notifications) }
        try await world.importing(Line().text)
        try await world.importing(Line(consents: false).text)
        let device = DeviceID(rawValue: UUID())

        for _ in 0..<3 {
            try await world.importing(Line(device: device).text)
            #expect(try await consents() == [false])
            #expect(try await world.devices().map(\.device) == [device])
        }

        let later = world.registry.clock.now()
        try await world.importing(Line(device: device, since: later).text)
        #expect(try await consents() == [true])
    }

    @Test("A removed token is not brought back, but by a later consent, and in another tenant")
    func bringsBack() async throws {
        let world = try await World()
        let before = world.registry.clock.now()
        try await world.importing(Line(tenant: "a").text)
        let device = try #require(try await world.devices().first?.device)
        world.registry.clock.advance(milliseconds: 1_000)
        try await world.registry.devices.delete(app: world.app, device: device, secret: nil)
        let later = world.registry.clock.now().advanced(by: .seconds(1))

        for line in [Line(tenant: "a"), Line(tenant: "a", since: before)] {
            #expect(try await world.importing(line.text, isDryRun: true).registered == 1)
            #expect(try await world.importing(line.text).registered == 1)
        }
        #expect(try await world.devices().isEmpty)
        #expect(try await world.importing(Line(tenant: "b").text).added == 1)
        #expect(try await world.importing(Line(tenant: "a", since: later).text, isDryRun: true).added == 1)
        #expect(try await world.importing(Line(tenant: "a", since: later).text).added == 1)
        #expect(try await world.devices().map(\.registration.tenant) == ["b", "a"])
    }

    @Test(
        "X-42 A consent since a time in the future is one since now when it is within five minutes; others are refused",
        arguments: [0, 1, 300_000, 300_001]
    )
    func refusesFutureConsents(_ excess: Int64) async throws {
        let (refused, added) = excess > 300_000 ? (1, 0) : (0, 1)
        let world = try await World()
        try await world.importing(Line().text)
        let device = try #require(try await world.devices().first?.device)
        world.registry.clock.advance(milliseconds: 1_000)
        try await world.registry.devices.delete(app: world.app, device: device, secret: nil)
        var problems: [String] = []
        for isDryRun in [true, false] {
            // The import is a second later.
            let since = Timestamp(rawValue: world.registry.clock.now().rawValue + 1_000 + excess)
            let counts = try await world.importing(Line(since: since).text, isDryRun: isDryRun) { line, problem in
                problems.append("\(line) \(problem)")
            }
            #expect((counts.rejected, counts.added) == (refused, added))
        }
        let problem = "1 consents to notifications since a time that is in the future"
        #expect(problems == Array(repeating: problem, count: 2 * refused))
        #expect(try await world.devices().count == added)
    }

    @Test(
        "The last use that another service knows is the Device's, within a month of its token's end",
        arguments: [false, true]
    )
    func keepsLastUse(_ isAlone: Bool) async throws {
        let world = try await World()
        let now = world.registry.clock.now()
        let seen = Timestamp(rawValue: now.rawValue - 40 * Self.day)
        try await world.importing(Line(lastSeen: seen).text, isAlone: isAlone)
        #expect(try await world.devices().map(\.registeredAt) == [seen])
        // An older file says nothing new, a newer one does.
        for (days, result) in [(50, 40), (20, 20)] as [(Int64, Int64)] {
            let line = Line(lastSeen: Timestamp(rawValue: now.rawValue - days * Self.day))
            try await world.importing(line.text)
            let expected = Timestamp(rawValue: now.rawValue - result * Self.day)
            #expect(try await world.devices().map(\.registeredAt) == [expected])
        }
        try await world.importing(Line().text)
        #expect(try await world.devices().map(\.registeredAt.rawValue) == [now.rawValue - 20 * Self.day])
    }

    @Test("Who was seen last years ago is reached for a month, and nobody was seen in the future")
    func boundsLastUse() async throws {
        let world = try await World()
        let other = String(repeating: "b2", count: 32)
        let text = "token,last_seen\n\(Self.token),2001-01-01T00:00:00Z\n\(other),2199-01-01T00:00:00+08:00\n"
        try await world.importing(text, format: .csv)
        let now = world.registry.clock.now()
        func times() async throws -> Set<Int64> { Set(try await world.devices().map(\.registeredAt.rawValue)) }
        #expect(try await times() == [now.rawValue, now.rawValue - 335 * Self.day])
        // The same again does not make the month longer.
        try await world.importing(text, format: .csv)
        #expect(try await times().min() == now.rawValue - 335 * Self.day)
    }

    @Test("An export may have only what was registered or imported since a time")
    func exportsChanges() async throws {
        let world = try await World()
        let old = Timestamp(rawValue: world.registry.clock.now().rawValue - 40 * Self.day)
        try await world.importing(Line(lastSeen: old).text)
        let begin = world.registry.clock.now()
        world.registry.clock.advance(milliseconds: 1_000)
        #expect(try await world.exported(from: begin).count == 1, "It was imported then.")
        let since = world.registry.clock.now()
        #expect(try await world.exported(from: since).isEmpty)
        let other = String(repeating: "b2", count: 32)
        try await world.importing(#"{"registration":{"token":"\#(other)","consent":{"notifications":true}}}"#)
        let lines = try await world.exported(from: since)
        #expect(lines.count == 1 && lines[0].contains(other))
        // A file that changes a known Device alone, and the same again.
        let later = world.registry.clock.now().advanced(by: .milliseconds(1))
        for count in [1, 0] {
            let begin = count == 1 ? later : world.registry.clock.now().advanced(by: .milliseconds(1))
            try await world.importing(Line(consents: false, lastSeen: old).text)
            let changed = try await world.exported(from: begin)
            #expect(changed.count == count && changed.allSatisfy { $0.contains(Self.token) })
        }
        #expect(try await world.exported(from: later).count == 1)
    }
}
