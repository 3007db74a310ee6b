#if os(Linux)
import ArgumentParser
import CarillonModel
import Foundation
import Logging
import PhoneSimulator
import ServiceLifecycle
import UnixSignals

/// `carillon simulate phones`: iPhones with the real SDK, until Ctrl-C.
struct SimulatePhonesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "phones",
        abstract: "Run simulated iPhones that register with a server, receive from the APNs simulator and react.",
        discussion: """
            Each phone runs Carillon's SDK and its service extension on simulated frameworks of Apple's. It registers \
            with the server, receives notifications of the APNs simulator, shows them as a phone does, and its person \
            taps, presses or dismisses at the given rates. Start 'carillon serve' and 'carillon simulate apns' first.
            """
    )

    @Option(help: "How many phones, 1 through 20000.")
    var count = 10

    @Option(help: "The server's address. Also CARILLON_SERVER. (default: http://127.0.0.1:8080)")
    var server: String?

    @Option(help: "The App's public key.")
    var appKey: String

    @Option(help: "Where the APNs simulator's control API is.")
    var control = "http://127.0.0.1:2198"

    @Option(help: "The app's topic: its bundle identifier.")
    var topic: String

    @Flag(help: "Phones with an app that was installed by Xcode: Apple's sandbox.")
    var sandbox = false

    @OptionGroup var rates: ReactionRates

    @Option(help: "Maximum time until a person reacts, in seconds.")
    var reaction = 2.0

    @Option(help: "The seed of people's actions, for repeatable runs.")
    var seed: UInt64 = 1

    @Option(help: "The folder of the phones' storage; created if missing. A temporary folder by default.")
    var folder: String?

    @Flag(help: "Print lines of JSON instead of text.")
    var json = false

    func validate() throws {
        guard (1...20_000).contains(count) else { throw ValidationError("There may be 1 through 20000 phones.") }
        guard (0...3_600).contains(reaction) else { throw ValidationError("--reaction is 0 through 3600 seconds.") }
        _ = try plan(in: FileManager.default.temporaryDirectory)
    }

    func run() async throws {
        let temporary = FileManager.default.temporaryDirectory
            .appendingPathComponent("carillon-phones-" + UUID().uuidString, isDirectory: true)
        let place = folder.map { URL(fileURLWithPath: $0, isDirectory: true) } ?? temporary
        try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
        defer { if folder == nil { try? FileManager.default.removeItem(at: temporary) } }
        let fleet = try await PhoneFleet(plan(in: place))
        let services = ServiceGroup(
            configuration: .init(
                services: [.init(service: PhonesService(fleet: fleet, isJSON: json))],
                gracefulShutdownSignals: [.sigint, .sigterm],
                logger: Logger(label: "carillon.phones")
            )
        )
        try await services.run()
    }

    // `environment` has the server's address, unless an option does.
    func plan(
        in place: URL,
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws -> PhoneFleet.Plan {
        let address = server ?? OperatorOptions.server(in: environment) ?? "http://127.0.0.1:8080"
        var plan = PhoneFleet.Plan(
            count: count,
            server: try Self.url(address, server == nil ? OperatorOptions.serverVariable : "--server"),
            appKey: appKey,
            control: try Self.url(control, "--control"),
            topic: topic,
            folder: place
        )
        plan.pushType = sandbox ? .apnsSandbox : .apns
        plan.behavior = rates.behavior(slowestReaction: reaction)
        plan.seed = seed
        return plan
    }

    private static func url(_ text: String, _ option: String) throws -> URL {
        guard let url = URL(string: text), ["http", "https"].contains(url.scheme), url.host?.isEmpty == false else {
            throw ValidationError("\(option) must be an http or https URL.")
        }
        return url
    }
}

/// Runs phones; at the end uploads their last events.
private struct PhonesService: Service {
    let fleet: PhoneFleet
    let isJSON: Bool

    func run() async throws {
        await cancelWhenGracefulShutdown {
            await withDiscardingTaskGroup { group in
                group.addTask { await fleet.run() }
                let failures = await fleet.register()
                say(failures)
                var last = FleetStatistics()
                while !Task.isCancelled {
                    let now = fleet.statistics
                    if now != last { say(now) }
                    last = now
                    try? await Task.sleep(for: .seconds(1))
                }
            }
        }
        _ = await fleet.wait(within: 10)
        await fleet.switchOff()
        say(fleet.statistics)
    }

    private func say(_ failures: [Int: any Error]) {
        guard let (number, error) = failures.min(by: { $0.key < $1.key }) else { return }
        let text = "\(failures.count) phones were not registered; the first, number \(number): \(error)\n"
        FileHandle.standardError.write(Data(text.utf8))
    }

    private func say(_ now: FleetStatistics) {
        if isJSON {
            guard let line = try? JSONEncoder().encode(now) else { return }
            return write(String(decoding: line, as: UTF8.self))
        }
        write(
            """
            \(now.registered) of \(now.phones) registered · \(now.delivered) delivered · \(now.shown) shown · \
            \(now.opened) opened · \(now.actions) pressed · \(now.dismissed) dismissed · \
            shown twice \(now.shownTwice) · alerted again \(now.realerted)
            """
        )
    }

    /// Unlike `print`, without a buffer, also into a pipe.
    private func write(_ line: String) {
        FileHandle.standardOutput.write(Data((line + "\n").utf8))
    }
}
#endif
