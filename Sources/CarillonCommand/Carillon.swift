import ArgumentParser

@main
struct CarillonCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "carillon")
}
