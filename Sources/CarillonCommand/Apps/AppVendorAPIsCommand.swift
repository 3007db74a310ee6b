import ArgumentParser
import CarillonModel
import Foundation

/// `carillon apps vendor-apis`: which rented services' calls the server answers for an App.
struct AppVendorAPIsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "vendor-apis",
        abstract: "Show, turn on or turn off the REST calls of rented services: toast and corepush.",
        subcommands: [List.self, Set.self, Delete.self]
    )

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Show which vendor APIs are on.")

        @OptionGroup var options: OperatorOptions

        func run() async throws { try await options.show(OperatorRequest("GET", "/v1/apps/{app}/vendor-apis")) }
    }

    struct Set: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Turn a vendor API on, or replace its secret; what is generated is shown this once."
        )

        @OptionGroup var options: OperatorOptions

        @Argument(help: "toast or corepush.")
        var api: String

        @Option(help: "The vendor's app key or config key. (default: the one that it has, or generated)")
        var key: String?

        @Option(help: "A file with the vendor's secret key, or - for standard input. (default: generated)")
        var secretFile: String?

        func run() async throws {
            var body: [String: JSONValue] = [:]
            body["key"] = key.map(JSONValue.string)
            if let secretFile {
                let text = String(decoding: try InputFile.contents(of: secretFile), as: UTF8.self)
                body["secret"] = .string(text.trimmingCharacters(in: .whitespacesAndNewlines))
            }
            try await options.show(OperatorRequest("PUT", "/v1/apps/{app}/vendor-apis/\(api)", body: .object(body)))
        }
    }

    struct Delete: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Turn a vendor API off.")

        @OptionGroup var options: OperatorOptions

        @Argument(help: "toast or corepush.")
        var api: String

        func run() async throws {
            try await options.show(OperatorRequest("DELETE", "/v1/apps/{app}/vendor-apis/\(api)"))
        }
    }
}
