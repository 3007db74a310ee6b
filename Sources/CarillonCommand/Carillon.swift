import ArgumentParser
import CarillonModel

@main
struct CarillonCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "carillon",
        abstract: "Push and engagement for apps, run by yourself.",
        discussion: """
            Commands for the API of a running server read its address from CARILLON_SERVER and an API key from \
            CARILLON_API_KEY. docs/operations.md shows all commands by task, and the exit codes.
            """,
        version: CarillonVersion.current,
        groupedSubcommands: [
            CommandGroup(
                name: "Server",
                subcommands: [
                    ServeCommand.self, StatusCommand.self, NodesCommand.self, DoctorCommand.self, BackupCommand.self,
                    RestoreCommand.self, MarkRestoredCommand.self, MigrateCommand.self, RotateMasterKeyCommand.self,
                ]
            ),
            CommandGroup(
                name: "Configuration",
                subcommands: [
                    AppsCommand.self, KeysCommand.self, OperatorsCommand.self, TagsCommand.self,
                    CategoriesCommand.self, WebhooksCommand.self, AuditCommand.self, ContentCommand.self,
                ]
            ),
            CommandGroup(
                name: "Sending",
                subcommands: [
                    CampaignsCommand.self, DryRunCommand.self, TemplatesCommand.self, AudiencesCommand.self,
                    TestDevicesCommand.self, StatisticsCommand.self, LogCommand.self,
                ]
            ),
            CommandGroup(
                name: "Users and devices",
                subcommands: [
                    UsersCommand.self, AccountsCommand.self, DevicesCommand.self, ImportCommand.self,
                    ExportCommand.self,
                    SwitchOverCommand.self,
                ]
            ),
            CommandGroup(
                name: "Without a server",
                subcommands: onLinux + [SimulateCommand.self, SendCommand.self, ChannelsCommand.self]
            ),
            CommandGroup(name: "Other", subcommands: [APICommand.self]),
        ]
    )

    private static var onLinux: [any ParsableCommand.Type] {
        #if os(Linux)
        [DemoCommand.self]
        #else
        []
        #endif
    }

    /// What `carillon` alone prints.
    static let overview = """
        Carillon \(CarillonVersion.current): push and engagement for apps, run by yourself.

          carillon demo             see the main job on this machine: a server, a simulated APNs and phones
          carillon serve            run a server; it prints its address and a first API key
          carillon simulate apns    run a simulated APNs, to try a server or a sender without Apple
          carillon send             send a payload to device tokens, without a server

        carillon --help lists all commands, carillon help COMMAND explains one. docs/operations.md begins with nothing \
        and ends with a funnel.
        """

    func run() { print(Self.overview) }

    /// Parses and runs: an error in the arguments exits with the usage and 64, a failure of the run with one line and
    /// the code of its kind.
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
                let error = CommandFailure.described(error)
                if let failure = error as? CommandFailure { failure.exit() }
                exit(withError: error)
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
