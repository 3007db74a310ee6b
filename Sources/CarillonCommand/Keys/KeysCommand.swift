import ArgumentParser
import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import Foundation

/// `carillon keys`: API keys, of a running server or of a store.
struct KeysCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "keys",
        abstract: "Make, list and end API keys.",
        discussion: """
            carillon keys create backup-admin --scope admin
            carillon keys create --data /var/lib/carillon new-admin --scope admin
            With --data or --database the key is created in the store itself, without any key: use it when the last \
            one is lost. A server on SQLite must be stopped meanwhile; one on PostgreSQL need not.
            """,
        subcommands: [Create.self, List.self, Delete.self]
    )
}

extension KeysCommand {
    struct Create: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "create",
            abstract: "Make a key; its secret is shown this once, on the standard output."
        )

        @OptionGroup var options: OperatorOptions
        @OptionGroup var store: StoreOptions

        @Argument(help: "Its name, 1 through 100 characters.")
        var name: String

        @Option(
            name: .customLong("scope"),
            help: "A permission: read, send, messages or admin; may be repeated."
        )
        var scopes: [KeyScope] = []

        @Option(help: "When it ends, such as 2027-01-01T00:00:00Z. (default: never)")
        var expiresAt: String?

        @Option(
            help: """
                How many devices one of its campaigns may reach, or none. (default: 10000 for a key of an app, none for a \
                key of the server)
                """
        )
        var recipientsPerCampaign: RecipientsOption?

        @Option(
            help: """
                How many devices its campaigns of an hour may reach together, or none. (default: 50000 for a key of an \
                app, none for a key of the server)
                """
        )
        var recipientsPerHour: RecipientsOption?

        func validate() throws {
            _ = try request()
            guard !store.isGiven || options.server == nil else {
                throw ValidationError("Give --server, or the store by --data or --database, not both.")
            }
        }

        func run() async throws {
            let made = try await make()
            if options.json || options.field != nil {
                return try options.show(try JSONValue(response: try JSONEncoder().encode(made)))
            }
            print(made.secret)
        }

        /// Creates the key, in the store or over the API.
        func make() async throws -> APIKeySecret {
            let request = try request()
            guard store.isGiven else {
                return try await options.run { api in
                    try await api.post("/v1/keys", [APIName.app: options.app], request)
                }
            }
            return try await store.withStores { stores, configuration in
                let made = try await ServerComposition.access(stores, configuration).createKey(
                    app: try options.namedApp(),
                    request
                )
                await stores.record("carillon keys create", app: made.key.app, object: made.key.id.description)
                return made
            }
        }

        /// The request of the options.
        private func request() throws -> APIKeyRequest {
            _ = try options.namedApp()
            guard (1...100).contains(name.count) else {
                throw ValidationError("The name has 1 through 100 characters.")
            }
            guard !scopes.isEmpty, Set(scopes).count == scopes.count else {
                throw ValidationError("Give --scope read, send, messages or admin, each once.")
            }
            var request = APIKeyRequest(name: name, scopes: scopes.map(\.scope))
            if let expiresAt {
                request.expiresAt = Timestamp(expiresAt)
                guard request.expiresAt != nil else {
                    throw ValidationError("--expires-at is a time such as 2027-01-01T00:00:00Z.")
                }
            }
            if let recipientsPerCampaign { request.recipientsPerCampaign = .some(recipientsPerCampaign.limit) }
            if let recipientsPerHour { request.recipientsPerHour = .some(recipientsPerHour.limit) }
            return request
        }
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list",
            abstract: "List keys, without their secrets."
        )

        @OptionGroup var options: OperatorOptions
        @OptionGroup var pages: PageOptions

        func run() async throws {
            try await options.list(
                OperatorRequest("GET", "/v1/keys", app: .filter),
                pages,
                [
                    Column("KEY", "id"), Column("NAME", "name"), Column("APP", "app"), Column("SCOPES", "scopes"),
                    Column("EXPIRES", "expiresAt"), Column("LAST USED", "lastUsedAt"),
                ]
            )
        }
    }

    struct Delete: AsyncParsableCommand {
        static let configuration = CommandConfiguration(commandName: "delete", abstract: "End a key at once.")

        @OptionGroup var options: OperatorOptions

        @Argument(help: "The key's id, key_….")
        var key: String

        func run() async throws {
            guard let id = APIKeyID(key) else {
                throw ValidationError("The key's id is key_ and 12 base-32 characters.")
            }
            try await options.show(OperatorRequest("DELETE", "/v1/keys/\(id.description)"), done: "The key is ended.")
        }
    }
}

/// A limit of recipients as an argument: a number, or `none`.
struct RecipientsOption: ExpressibleByArgument {
    /// `nil` for no limit.
    let limit: Int?

    init?(argument: String) {
        if argument == "none" {
            limit = nil
        } else if let number = Int(argument), APIKey.recipientLimits.contains(number) {
            limit = number
        } else {
            return nil
        }
    }
}

/// A scope as an argument.
enum KeyScope: String, ExpressibleByArgument, CaseIterable {
    case read
    case send
    case messages
    case admin

    var scope: APIKeyScope {
        switch self {
        case .read: .read
        case .send: .send
        case .messages: .messages
        case .admin: .admin
        }
    }
}
