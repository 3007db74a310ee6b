import ArgumentParser
import CarillonModel
import CarillonOperatorModel

/// `carillon test-devices`: phones of the team, which get test messages.
struct TestDevicesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "test-devices",
        abstract: "Name the phones that get test messages, and send them some.",
        discussion: """
            carillon test-devices pair "Mei's iPhone" --owner Mei
            carillon test-devices add 3f2504e0-4f89-41d3-9a0c-0305e82c3301 "Mei's iPhone"
            carillon test-devices send message.json --device 3f2504e0-4f89-41d3-9a0c-0305e82c3301
            """,
        subcommands: [List.self, Add.self, Pair.self, Send.self, Remove.self]
    )

    static func body(name: String, owner: String?) -> [String: JSONValue] {
        var body: [String: JSONValue] = ["name": .string(name)]
        body["owner"] = owner.map(JSONValue.string)
        return body
    }
}

extension TestDevicesCommand {
    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(commandName: "list", abstract: "List the test devices.")

        @OptionGroup var options: OperatorOptions
        @OptionGroup var pages: PageOptions

        func run() async throws {
            try await options.list(
                OperatorRequest("GET", "/v1/test-devices", app: .query),
                pages,
                [
                    Column("DEVICE", "device"), Column("NAME", "name"), Column("OWNER", "owner"),
                    Column("USER", "user"), Column("LANGUAGE", "language"), Column("TOKEN", "hasToken"),
                ]
            )
        }
    }

    struct Add: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "add",
            abstract: "Make a device a test device, or rename one."
        )

        @OptionGroup var options: OperatorOptions

        @Argument(help: "The device's id, a UUID.")
        var device: String

        @Argument(help: "Its name, 1 through 64 characters.")
        var name: String

        @Option(help: "Whose it is, 1 through 64 characters.")
        var owner: String?

        func run() async throws {
            var body = TestDevicesCommand.body(name: name, owner: owner)
            body["device"] = .string(device)
            try await options.show(OperatorRequest("POST", "/v1/test-devices", body: .object(body), app: .query))
        }
    }

    struct Pair: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "pair",
            abstract: "Make a code that the app sends, which makes its device a test device."
        )

        @OptionGroup var options: OperatorOptions

        @Argument(help: "The name of the device, 1 through 64 characters.")
        var name: String

        @Option(help: "Whose it is, 1 through 64 characters.")
        var owner: String?

        func run() async throws {
            let body = TestDevicesCommand.body(name: name, owner: owner)
            try await options.show(OperatorRequest("POST", "/v1/test-pairings", body: .object(body), app: .query))
        }
    }

    struct Send: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "send",
            abstract: "Send a message to test devices; it counts for no campaign."
        )

        @OptionGroup var options: OperatorOptions

        @Argument(
            help: "A file with a campaign or another object that has a message or template; - for the standard input.",
            completion: .file(extensions: ["json"])
        )
        var file: String

        @Option(help: "A test device's id; repeat it for several, at most 20.")
        var device: [String] = []

        func validate() throws {
            guard (1...TestDevicesSend.maximumDevices).contains(device.count) else {
                throw ValidationError("Give --device, at most \(TestDevicesSend.maximumDevices) times.")
            }
        }

        func run() async throws {
            let given = try OperatorInput.object(from: file)
            // A campaign's other fields, such as its audience, do not concern a test.
            var body = given.filter {
                ["message", "template", "values", "recipientValues", "adWording", "channel"].contains($0.key)
            }
            body["devices"] = .array(device.map(JSONValue.string))
            try await options.showCampaign(
                OperatorRequest("POST", "/v1/test-device-send", body: .object(body), app: .query)
            )
        }
    }

    struct Remove: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "remove",
            abstract: "Make a test device an ordinary one."
        )

        @OptionGroup var options: OperatorOptions

        @Argument(help: "The device's id, a UUID.")
        var device: String

        func run() async throws {
            try await options.show(
                OperatorRequest("DELETE", "/v1/test-devices/\(device)", app: .query),
                done: "It is no test device any more."
            )
        }
    }
}
