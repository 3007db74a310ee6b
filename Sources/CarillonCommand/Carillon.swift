import ArgumentParser

@main
struct CarillonCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "carillon",
        abstract: "Push notifications, sent by yourself.",
        subcommands: [ServeCommand.self]
    )
}
