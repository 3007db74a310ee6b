import ApplePushConnection
import ApplePushSender
import ArgumentParser
import CarillonServer
import Foundation
import NIOSSL

/// `carillon doctor server`: diagnoses everything that a server needs.
struct DoctorServerCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "server",
        abstract: "Examine a server, running or not, and change nothing.",
        discussion: """
            Has the flags, environment variables and file of carillon serve. It checks the data folder and its disk, \
            the store, its schema and waiting work, the master key and API keys, every App's push key, the connection \
            to APNs, certificates, the clock, and the address to listen on. Run it as the server's user.

            Each line begins with ok, warning or problem; advice follows an arrow. The exit code is 0 without \
            problems, and 1 otherwise.
            """
    )

    @OptionGroup var options: ServeOptions

    @Flag(help: "Skip the checks of APNs.")
    var offline = false

    @Flag(help: "Print each finding as one line of JSON.")
    var json = false

    func run() async throws {
        let report = await examine(environment: ProcessInfo.processInfo.environment)
        for finding in report.findings { print(json ? try finding.json : finding.line) }
        if !report.isHealthy { throw ExitCode(1) }
    }

    /// Runs the examination of options, environment and file.
    func examine(environment: [String: String]) async -> ServerReport {
        var report = ServerReport()
        do {
            let doctor = try await doctor(environment: environment)
            report.add(.ok(.configuration, "All settings can be used."))
            report.add(await doctor.examine().findings)
        } catch {
            report.add(
                .problem(
                    .configuration,
                    (error as? ServerSettings.Failure)?.description ?? "The settings cannot be read.",
                    "carillon serve does not start as long as that is so; nothing else was looked at."
                )
            )
        }
        return report
    }

    private func doctor(environment: [String: String]) async throws -> ServerDoctor {
        let settings = try await ServerSettings(
            flags: options.values,
            environment: environment,
            file: options.config ?? environment["CARILLON_CONFIG"]
        )
        let folder = DataFolder.url(configured: try settings.text(.data), environment: environment)
        let files = (try settings.text(.tlsCert), try settings.text(.tlsKey), try settings.text(.apnsCAFile))
        var configuration = try ServerConfiguration(
            settings.omitting([.tlsCert, .tlsKey, .apnsCAFile]),
            folder: folder
        )
        if let caFile = files.2 { configuration.apns.pool.trustRoots = .file(caFile) }
        // The probe only needs to know whether there is TLS.
        if files.0 != nil { configuration.server.tls = .makeClientConfiguration() }
        var doctor = ServerDoctor(configuration: configuration, folder: folder)
        (doctor.tlsCert, doctor.tlsKey, doctor.apnsCAFile) = files
        doctor.isOffline = offline
        return doctor
    }
}
