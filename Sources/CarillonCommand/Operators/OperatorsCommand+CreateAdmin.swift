import ArgumentParser
import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import CarillonStore
import Foundation

extension OperatorsCommand {
    /// Makes an admin in the store, when no admin can sign in.
    struct CreateAdmin: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "create-admin",
            abstract: "Make an admin in the store itself, and a link for a password.",
            discussion: """
                An Operator who is there is invited anew, as an admin: sessions, password, second factor and recovery \
                codes are gone at once, and the link sets a new password. The audit log has an entry.
                """
        )

        @OptionGroup var store: StoreOptions

        @Argument(help: "The name to sign in with, usually an address of mail.")
        var address: String

        @Option(help: "The name that others see. (default: the address)")
        var displayName: String?

        @Flag(help: "Print the Operator and the link as JSON.")
        var json = false

        func validate() throws {
            guard store.isGiven else { throw ValidationError("Name the store with --data or --database.") }
        }

        func run() async throws {
            let made = try await make()
            let value = try JSONValue(response: try JSONEncoder().encode(made))
            if json { return try OperatorOutput.print(value) }
            OperatorOptions.table(value).print()
            print("\nOpen the link at the server's address; it is good once, until \(made.link.expiresAt).")
        }

        /// Makes the admin, and records it.
        func make() async throws -> OperatorWithLink {
            try await store.withStores { stores, configuration in
                do {
                    let operators = try await ServerComposition.operators(stores, configuration)
                    let made = try await operators.makeAdmin(address: address, displayName: displayName)
                    await stores.record(
                        "carillon operators create-admin",
                        object: made.object.description,
                        change: made.change
                    )
                    return made.value
                } catch {
                    throw CommandFailure.described(error)
                }
            }
        }
    }
}

extension OperatorOptions {
    /// Sends a request whose response has a link, and prints both; the link is whole, as it is to be opened.
    func showLink(_ request: OperatorRequest) async throws {
        let (data, server) = try await run { api in (try await send(request, api), api.server) }
        let value = try JSONValue(response: data)
        try show(value)
        guard !json, field == nil, let path = value.at("link.path")?.string else { return }
        var address = server.absoluteString
        if address.hasSuffix("/") { address.removeLast() }
        print("\nGive this to that person alone: \(address)\(path)")
    }
}
