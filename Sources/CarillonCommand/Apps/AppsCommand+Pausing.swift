import ArgumentParser

extension AppsCommand {
    struct PauseSending: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "pause-sending",
            abstract: "Pause all sending of an App, until it is resumed.",
            discussion: """
                Within two seconds no node sends a batch of it. Campaigns stay in their states; new ones are accepted \
                and wait. Calls and test sends are refused meanwhile.
                """
        )

        @OptionGroup var options: OperatorOptions

        func run() async throws { try await options.show(OperatorRequest("POST", "/v1/apps/{app}/pause-sending")) }
    }

    struct ResumeSending: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "resume-sending",
            abstract: "Go on sending what waits of an App."
        )

        @OptionGroup var options: OperatorOptions

        func run() async throws { try await options.show(OperatorRequest("POST", "/v1/apps/{app}/resume-sending")) }
    }
}
