import ApplePush
import ApplePushConnection
import ArgumentParser
import Foundation

/// `carillon channels`: manages broadcast channels of Live Activities, without a Carillon server.
struct ChannelsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "channels",
        abstract: "Manage broadcast channels of Live Activities, and send to one.",
        discussion: "An app may have 10,000 channels in each environment; sandbox and production have their own.",
        subcommands: [
            CreateCommand.self, ShowCommand.self, ListCommand.self, DeleteCommand.self, SendCommand.self,
        ]
    )

    /// `carillon channels create`.
    struct CreateCommand: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "create",
            abstract: "Create a channel and print its id."
        )

        /// What APNs stores for offline devices.
        enum Storage: String, ExpressibleByArgument, CaseIterable {
            case nothing
            case mostRecent = "most-recent"
        }

        @OptionGroup var options: ChannelOptions

        @Option(
            help: """
                What APNs stores for offline devices: nothing, which allows more broadcasts, or most-recent, the last \
                message for up to eight hours. It cannot be changed later.
                """
        )
        var storage = Storage.nothing

        func run() async throws {
            print(try await create().rawValue)
        }

        func create() async throws -> ChannelID {
            let storage = storage == .nothing ? BroadcastChannel.Storage.nothing : .mostRecentMessage
            return try await options.perform { client, app, token, timeout in
                await client.createChannel(storing: storage, for: app, token: token, timeout: timeout)
            }
        }
    }

    /// `carillon channels show`.
    struct ShowCommand: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "show",
            abstract: "Print a channel's properties at APNs."
        )

        @OptionGroup var options: ChannelOptions
        @OptionGroup var channel: ChannelArgument

        func run() async throws {
            print(try await text())
        }

        func text() async throws -> String {
            let id = try channel.id
            let known = try await options.perform { client, app, token, timeout in
                await client.readChannel(id, of: app, token: token, timeout: timeout)
            }
            return "storage    \(known.storage.text)\npush type  \(printable(known.pushType))"
        }
    }

    /// `carillon channels list`.
    struct ListCommand: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list",
            abstract: "Print the ids of all channels, one a line."
        )

        @OptionGroup var options: ChannelOptions

        func run() async throws {
            for id in try await list() { print(id.rawValue) }
        }

        func list() async throws -> [ChannelID] {
            try await options.perform { client, app, token, timeout in
                await client.listChannels(of: app, token: token, timeout: timeout)
            }
        }
    }

    /// `carillon channels delete`.
    struct DeleteCommand: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "delete",
            abstract: "Delete a channel; its subscribers get nothing more."
        )

        @OptionGroup var options: ChannelOptions
        @OptionGroup var channel: ChannelArgument

        func run() async throws {
            let id = try channel.id
            try await options.perform { client, app, token, timeout in
                await client.deleteChannel(id, of: app, token: token, timeout: timeout)
            }
        }
    }

    /// `carillon channels send`.
    struct SendCommand: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "send",
            abstract: "Send a message to all who subscribe to a channel.",
            discussion: """
                The message is a payload for APNs, a JSON object with the event update or end, of at most 5,120 bytes. \
                A broadcast cannot start a Live Activity.
                """
        )

        @OptionGroup var options: ChannelOptions
        @OptionGroup var channel: ChannelArgument

        @Option(help: "A file with the payload, JSON; - for the standard input.")
        var message: String

        @Option(help: "The priority: 10 or 5; 5 does not count against the devices' budget.")
        var priority = 10

        @Option(
            help: """
                Until when APNs may deliver, in seconds since 1970; 0 for one attempt, as a channel that stores \
                nothing requires.
                """
        )
        var expiration: Int64 = 0

        func validate() throws {
            guard [5, 10].contains(priority) else { throw ValidationError("--priority is 10 or 5.") }
            guard expiration >= 0 else {
                throw ValidationError("--expiration is a number of seconds since 1970, or 0.")
            }
        }

        func run() async throws {
            let id = try channel.id
            let broadcast = try broadcast()
            try await options.perform { client, app, token, timeout in
                await client.send(broadcast, to: id, of: app, token: token, timeout: timeout)
            }
        }

        private func broadcast() throws -> Broadcast {
            let payload: PayloadObject
            do {
                payload = try PayloadObject(json: InputFile.contents(of: message))
            } catch is PayloadObject.Problem {
                throw ValidationError("The message is not a JSON object.")
            }
            do throws(Broadcast.Problem) {
                return try Broadcast(
                    raw: payload,
                    priority: priority == 5 ? .considerate : .immediate,
                    expiration: Expiration(seconds: expiration)
                )
            } catch {
                throw ValidationError(error.text)
            }
        }
    }
}

/// The channel of a command.
struct ChannelArgument: ParsableArguments {
    @Argument(help: "The channel's id, as create or list printed it.")
    var channel: String

    var id: ChannelID {
        get throws {
            guard let id = ChannelID(rawValue: channel) else {
                throw ValidationError("A channel's id is Base64, as create or list printed it.")
            }
            return id
        }
    }
}

extension BroadcastChannel.Storage {
    fileprivate var text: String {
        switch self {
        case .nothing: "nothing"
        case .mostRecentMessage: "most-recent"
        default: "policy \(rawValue)"
        }
    }
}

extension Broadcast.Problem {
    fileprivate var text: String {
        switch self {
        case .startsActivity: "A broadcast cannot start a Live Activity: its event is update or end."
        case .payload(.tooLarge(let bytes, let limit)): "The message has \(bytes) bytes; a broadcast may have \(limit)."
        case .payload: "The message is not a JSON object."
        }
    }
}
