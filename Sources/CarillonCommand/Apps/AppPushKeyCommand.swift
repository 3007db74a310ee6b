import ArgumentParser
import CarillonModel
import Foundation

/// `carillon apps push-key`: the key with which an App sends.
struct AppPushKeyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "push-key",
        abstract: "Show, set or check an App's push key.",
        subcommands: [Show.self, Set.self, Check.self, Use.self, Discard.self, UseSimulator.self]
    )

    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Show an App's push key, without the key itself.")

        @OptionGroup var options: OperatorOptions

        func run() async throws { try await options.show(OperatorRequest("GET", "/v1/apps/{app}/push-key")) }
    }

    struct UseSimulator: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "use-simulator",
            abstract: "Send to the simulated APNs inside the server, until there is a key of Apple's."
        )

        @OptionGroup var options: OperatorOptions

        func run() async throws { try await options.show(OperatorRequest("POST", "/v1/apps/{app}/push-key/simulator")) }
    }

    struct Set: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Set the .p8 key from Apple's developer account.")

        @OptionGroup var options: OperatorOptions

        @Option(help: "The .p8 file.", completion: .file(extensions: ["p8"]))
        var key: String

        @Option(help: "The key's id, ten capital letters and digits, in the file's name: AuthKey_ABC123DEFG.p8.")
        var keyID: String

        @Option(help: "The team's id, ten capital letters and digits, in Apple's account under Membership details.")
        var teamID: String

        @Flag(help: "Keep the key in use until APNs accepts this one.")
        var whenHealthy = false

        /// The id that Apple gave to the file's name, if it still has that name.
        static func keyID(inName path: String) -> String? {
            URL(fileURLWithPath: path).lastPathComponent.wholeMatch(of: /AuthKey_([A-Z0-9]{10})\.p8/).map {
                String($0.1)
            }
        }

        func run() async throws {
            if let named = Self.keyID(inName: key), named != keyID {
                throw ValidationError(
                    "--key-id is \(keyID), and the file's name says \(named). Name the file's own id."
                )
            }
            let pem = String(decoding: try InputFile.contents(of: key), as: UTF8.self)
            var body: [String: JSONValue] = [
                "keyID": .string(keyID), "teamID": .string(teamID), "privateKey": .string(pem),
            ]
            if whenHealthy { body["whenHealthy"] = .bool(true) }
            if Self.keyID(inName: key) != nil {
                body["fileName"] = .string(URL(fileURLWithPath: key).lastPathComponent)
            }
            try await options.show(OperatorRequest("PUT", "/v1/apps/{app}/push-key", body: .object(body)))
        }
    }

    struct Check: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Ask APNs about the push key, and about one that waits to replace it.",
            discussion: """
                The server sends a request with a device token that cannot exist. A key that was set with --when-healthy \
                replaces the one in use when APNs accepts it.
                """
        )

        @OptionGroup var options: OperatorOptions

        func run() async throws { try await options.show(OperatorRequest("POST", "/v1/apps/{app}/push-key/check")) }
    }

    struct Use: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Use the key that waits, although no check found that APNs accepts it."
        )

        @OptionGroup var options: OperatorOptions

        func run() async throws {
            try await options.show(OperatorRequest("POST", "/v1/apps/{app}/push-key/candidate"))
        }
    }

    struct Discard: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Discard the key that waits; the one in use stays."
        )

        @OptionGroup var options: OperatorOptions

        func run() async throws {
            try await options.show(
                OperatorRequest("DELETE", "/v1/apps/{app}/push-key/candidate"),
                done: "The key that waited is discarded."
            )
        }
    }
}
