import CarillonEngine
import CarillonOperatorModel
import NIOConcurrencyHelpers
import Testing

@testable import CarillonConsole

/// Exports of Operators whose sessions end meanwhile.
struct ExportEndTests {
    private typealias Step = @Sendable () async throws -> Void

    /// A world with an export of three parts, whose second one waits for a step.
    private func withExport(
        _ test: @escaping @Sendable (ConsoleWorld, Person, NIOLockedValueBox<Step>) async throws -> Void
    ) async throws {
        let step = NIOLockedValueBox<Step> {}
        var options = ConsoleWorld.Options()
        options.declare = { routes in
            routes.page("/system/export", .anywhere(.viewer)) { _ in
                let body = CSVText.body(header: ["part"], 0) { part in
                    part += 1
                    if part == 2 { try await step.withLockedValue { $0 }() }
                    return part <= 3 ? [["part \(part)"]] : nil
                }
                return .download(name: "parts.csv", type: CSVText.type, body)
            }
        }
        try await ConsoleWorld.run(options) { world in
            try await world.makeAdmin()
            let ben = try await world.makeOperator("ben@example.org", OperatorRoles(everywhere: .viewer))
            try await test(world, ben, step)
        }
    }

    private func export(_ world: ConsoleWorld, _ person: Person) async throws -> PageAnswer {
        var browser = world.browser(at: "192.0.2.1")
        browser.cookies["carillon-dev"] = person.session
        return try await browser.get("/console/system/export")
    }

    @Test("K-08 An export is whole while the session lasts")
    func isWhole() async throws {
        try await withExport { world, ben, _ in
            let answer = try await export(world, ben)
            #expect(answer.body.hasSuffix("part 1\r\npart 2\r\npart 3\r\n"))
        }
    }

    @Test("K-08 Disabling an Operator ends an export that runs")
    func endsWhenDisabled() async throws {
        try await withExport { world, ben, step in
            step.withLockedValue {
                $0 = {
                    var update = OperatorUpdate()
                    update.isDisabled = true
                    _ = try await world.engine.operators.update(ben.id, update, by: .server)
                }
            }
            await #expect(throws: GuardedWriter.Ended.self) { try await export(world, ben) }
        }
    }
}
