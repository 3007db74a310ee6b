import ArgumentParser
import CarillonModel
import Foundation

/// `carillon accounts`: people who sign in at the server itself.
struct AccountsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "accounts",
        abstract: "List, create, block and delete people's accounts, and set forgotten passwords.",
        discussion: """
            carillon apps accounts set --set isOn=true
            carillon accounts create alice@example.com
            carillon accounts list --prefix alice
            carillon accounts set-password acc_3nUaC2bZ0x9TqLkVd7WfGg
            """,
        subcommands: [
            List.self, Create.self, Show.self, Block.self, Unblock.self, SetPassword.self, Delete.self,
        ]
    )

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "List accounts with names, by their names.")

        @OptionGroup var options: OperatorOptions
        @OptionGroup var pages: PageOptions

        @Option(help: "Only accounts whose names begin so, whatever the case.")
        var prefix: String?

        func run() async throws {
            try await options.list(
                OperatorRequest("GET", "/v1/accounts", query: ["prefix": prefix], app: .query),
                pages,
                [
                    Column("USER", "user"), Column("NAME", "name"), Column("DISPLAY NAME", "displayName"),
                    Column("STATE", "state"), Column("CREATED", "createdAt"), Column("USED", "usedAt"),
                ]
            )
        }
    }

    struct Create: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Create an account; a generated password is shown this once."
        )

        @OptionGroup var options: OperatorOptions

        @Argument(help: "The name that the person signs in with, 1 through 128 characters.")
        var name: String

        @Option(help: "A file with the password, or - for standard input. (default: generated)")
        var passwordFile: String?

        @Option(help: "The name that others see. (default: what stands before @)")
        var displayName: String?

        @Option(help: "The user that the account is for. (default: a new one)")
        var user: String?

        func run() async throws {
            var body: [String: JSONValue] = ["name": .string(name)]
            body["password"] = try passwordFile.map(AccountsCommand.password(of:))
            body["displayName"] = displayName.map(JSONValue.string)
            body["user"] = user.map(JSONValue.string)
            try await options.show(OperatorRequest("POST", "/v1/accounts", body: .object(body), app: .query))
        }
    }

    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Show the account of a user.")

        @OptionGroup var named: NamedUser

        func run() async throws {
            try await named.options.show(OperatorRequest("GET", "/v1/users/\(named.user)/account", app: .query))
        }
    }

    struct Block: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Block an account: nobody can sign in, and who is signed in is not any more."
        )

        @OptionGroup var named: NamedUser

        func run() async throws { try await AccountsCommand.set(isBlocked: true, named) }
    }

    struct Unblock: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Let the person sign in again.")

        @OptionGroup var named: NamedUser

        func run() async throws { try await AccountsCommand.set(isBlocked: false, named) }
    }

    struct SetPassword: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "set-password",
            abstract: "Replace a forgotten password and end all sessions; a generated one is shown this once."
        )

        @OptionGroup var named: NamedUser

        @Option(help: "A file with the password, or - for standard input. (default: generated)")
        var passwordFile: String?

        func run() async throws {
            var body: [String: JSONValue] = [:]
            body["password"] = try passwordFile.map(AccountsCommand.password(of:))
            try await named.options.show(
                OperatorRequest(
                    "PUT",
                    "/v1/users/\(named.user)/account/password",
                    body: .object(body),
                    app: .query
                )
            )
        }
    }

    struct Delete: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Delete an account and erase all data of its user; it cannot be undone."
        )

        @OptionGroup var named: NamedUser

        @Flag(help: "Do not ask for the account's name.")
        var yes = false

        func run() async throws {
            if !yes { try await confirm() }
            try await named.options.show(
                OperatorRequest("DELETE", "/v1/users/\(named.user)/account", app: .query),
                done: "The account is deleted, and so are its user's devices and all other data."
            )
        }

        /// Asks for the name that the person signs in with; a guest has none but the user's id.
        private func confirm() async throws {
            try Confirmation.requireTerminal()
            let account: JSONValue = try await named.options.run { api in
                let request = OperatorRequest("GET", "/v1/users/\(named.user)/account", app: .query)
                return try JSONValue(response: try await named.options.send(request, api))
            }
            let name = account["name"]?.string
            try Confirmation(
                name: name ?? named.user,
                kind: name == nil ? "user's id" : "account's name",
                loss: "all data of its user, devices included"
            ).confirm()
        }
    }

    // MARK: - Private

    private static func set(isBlocked: Bool, _ named: NamedUser) async throws {
        let body = JSONValue.object(["isBlocked": .bool(isBlocked)])
        try await named.options.show(
            OperatorRequest("PATCH", "/v1/users/\(named.user)/account", body: body, app: .query)
        )
    }

    /// The password in a file, without the line break that an editor puts at its end.
    private static func password(of file: String) throws -> JSONValue {
        guard let password = password(in: try InputFile.contents(of: file)) else {
            throw ValidationError("The password file must be UTF-8.")
        }
        return .string(password)
    }

    /// The password in a file's bytes: all of them but one line break at the end; `nil` when they are not UTF-8.
    static func password(in bytes: some Sequence<UInt8>) -> String? {
        guard var text = String(validating: bytes, as: UTF8.self) else { return nil }
        // Both bytes of a carriage return and a line feed are one character.
        if let last = text.last, last == "\n" || last == "\r\n" || last == "\r" { text.removeLast() }
        return text
    }
}
