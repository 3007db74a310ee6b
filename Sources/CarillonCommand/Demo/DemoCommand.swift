#if os(Linux)
import ArgumentParser
import Foundation
import UnixSignals

/// `carillon demo`: a Campaign end to end on this machine.
struct DemoCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "demo",
        abstract: "Run server, simulated Apple and simulated phones, and send one campaign to all of them.",
        discussion: """
            Everything runs in this process over real sockets on loopback. After the funnel the API runs until Ctrl-C, \
            and the phones get what is sent to them, unless --exit is given. A second, sample App has a week \
            of history; the last lines are its Operators, their password, and a link that opens the console once, signed in. The file 'environment' in the folder has \
            what other terminals need: CARILLON_SERVER, CARILLON_API_KEY, APP, APP_KEY and this \
            program on the PATH.
            """
    )

    @Option(help: "How many phones, 1 through 20000.")
    var phones = 500

    @Option(help: "The API's port; 0 for any that is free.")
    var port = 0

    @Option(help: "The folder of the store, which is not removed; a temporary folder when missing.")
    var folder: String?

    @Flag(help: "End after the funnel.")
    var exit = false

    @Flag(help: "Print one line of JSON last; progress goes to standard error.")
    var json = false

    func validate() throws {
        guard (1...20_000).contains(phones) else { throw ValidationError("There may be 1 through 20000 phones.") }
        guard (0...65_535).contains(port) else { throw ValidationError("A port is a number from 0 through 65535.") }
    }

    func run() async throws {
        let temporary = FileManager.default.temporaryDirectory
            .appendingPathComponent("carillon-demo-" + UUID().uuidString, isDirectory: true)
        let place = folder.map { URL(fileURLWithPath: $0, isDirectory: true) } ?? temporary
        try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
        defer { if folder == nil { try? FileManager.default.removeItem(at: temporary) } }
        let signals = await UnixSignalsSequence(trapping: .sigint, .sigterm)
        try await DemoWorld(folder: place, port: port, hasSample: !exit).whileRunning { world in
            try await until(signals) { try await perform(in: world) }
        }
    }

    private func perform(in world: DemoWorld.Running) async throws {
        let screen = DemoScreen(isJSON: json)
        let environment = DemoEnvironment(world: world)
        try await Demonstration(world: world, screen: screen, phones: phones).run { report, secrets in
            if json { screen.result(try report.line) }
            guard !exit else { return }
            try environment.write(secrets)
            screen.say()
            screen.say("The API runs at \(world.server)/v1 until Ctrl-C, and the phones are on. In another terminal:")
            screen.say("  . \(environment.file.path)")
            screen.say("  carillon campaigns list")
            if let sample = world.sample { show(try await sample.value, screen) }
            // Until the task is cancelled.
            try await Task.sleep(for: .seconds(365 * 86_400))
        }
    }

    /// The ways into the console, last, where they are seen.
    private func show(_ sample: SampleWorld.Entry, _ screen: DemoScreen) {
        let roles = SampleOperators.roles.map(SampleOperators.address(of:)).joined(separator: ", ")
        screen.say()
        screen.say("The console, with a sample App that has a week of history: \(sample.console)")
        screen.say("  Operators         \(roles)")
        screen.say("  password          \(sample.password)")
        screen.say("Open it on this machine, signed in as the admin; the link works once, within an hour:")
        screen.say("  \(sample.link)")
    }

    /// Runs a body until it ends or Ctrl-C is pressed.
    private func until(
        _ signals: UnixSignalsSequence,
        _ body: @escaping @Sendable () async throws -> Void
    ) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                do { try await body() } catch is CancellationError {}
            }
            group.addTask { for await _ in signals { return } }
            try await group.next()
            group.cancelAll()
            try await group.waitForAll()
        }
    }
}
#endif
