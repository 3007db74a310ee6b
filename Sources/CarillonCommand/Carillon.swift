import ArgumentParser
import CarillonModel

@main
struct CarillonCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "carillon",
        abstract: "Push and engagement for apps, run by yourself.",
        version: CarillonVersion.current,
        subcommands: [
            ServeCommand.self, KeysCommand.self, RotateMasterKeyCommand.self, AuditCommand.self, SendCommand.self,
            ChannelsCommand.self, ImportCommand.self,
            AudiencesCommand.self,
            CategoriesCommand.self,
            CampaignsCommand.self, TemplatesCommand.self, DryRunCommand.self, SimulateCommand.self,
            DoctorCommand.self, MigrateCommand.self, ExportCommand.self,
            StatisticsCommand.self, LogCommand.self, BackupCommand.self, RestoreCommand.self, MarkRestoredCommand.self,
        ] + onLinux
    )

    private static var onLinux: [any ParsableCommand.Type] {
        #if os(Linux)
        [DemoCommand.self]
        #else
        []
        #endif
    }

    /// Parses and runs: an error in the arguments exits with the usage and 64, a failure of the run with one line and
    /// 1.
    static func main() async {
        do {
            var command = try parseAsRoot()
            do {
                if var asynchronous = command as? any AsyncParsableCommand {
                    try await asynchronous.run()
                } else {
                    try command.run()
                }
            } catch {
                exit(withError: CommandFailure.described(error))
            }
        } catch {
            exit(withError: error)
        }
    }
}

/// `carillon simulate`: simulators of APNs and of phones.
struct SimulateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "simulate",
        abstract: "Run a simulator of Apple's push service, or of phones.",
        subcommands: [SimulateAPNsCommand.self] + onLinux
    )

    private static var onLinux: [any ParsableCommand.Type] {
        #if os(Linux)
        [SimulatePhonesCommand.self]
        #else
        []
        #endif
    }
}
