import ArgumentParser
import CarillonModel
import Foundation

/// `carillon apps vendor-apis`: which rented services' calls the server answers for an App.
struct AppVendorAPIsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "vendor-apis",
        abstract: "Show, turn on or turn off the REST calls of rented services: toast, corepush and coimotion.",
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

        @Argument(help: "toast, corepush or coimotion.")
        var api: String

        @Option(help: "The vendor's app key or config key. (default: the one that it has, or generated)")
        var key: String?

        @Option(help: "A file with the vendor's secret key, or - for standard input. (default: generated)")
        var secretFile: String?

        @Option(help: "COIMOTION's app code, 6 through 63 letters and digits. (default: the one that it has)")
        var code: String?

        @Option(
            name: .customLong("content-set"),
            help: "Of coimotion: twShow, twCtBus or cms, and the content set behind it, such as twShow=events."
        )
        var contentSets: [String] = []

        @Option(help: "Of coimotion: the name of who is not signed in. (default: guest)")
        var guestName: String?

        @Option(help: "Of coimotion: how far a bus stop may be, in metres. (default: 500)")
        var stopRadius: Int?

        @Option(help: "Of coimotion: how many bus stops an answer has at most. (default: 50)")
        var stopLimit: Int?

        func validate() throws {
            let others = [guestName, stopRadius.map(String.init), stopLimit.map(String.init)].compactMap(\.self)
            guard code != nil || contentSets.isEmpty && others.isEmpty else {
                throw ValidationError("Name --code too: the settings of coimotion are replaced as a whole.")
            }
        }

        func run() async throws {
            var body: [String: JSONValue] = [:]
            body["key"] = key.map(JSONValue.string)
            if let secretFile {
                let text = String(decoding: try InputFile.contents(of: secretFile), as: UTF8.self)
                body["secret"] = .string(text.trimmingCharacters(in: .whitespacesAndNewlines))
            }
            body["coimotion"] = try settings
            try await options.show(OperatorRequest("PUT", "/v1/apps/{app}/vendor-apis/\(api)", body: .object(body)))
        }

        /// The settings of `coimotion`; `nil` without a code.
        private var settings: JSONValue? {
            get throws {
                guard let code else { return nil }
                var settings: [String: JSONValue] = ["code": .string(code)]
                var sets: [String: JSONValue] = [:]
                for pair in contentSets {
                    let parts = pair.split(separator: "=", maxSplits: 1)
                    guard parts.count == 2 else {
                        throw ValidationError("--content-set is a repository and a content set, such as twShow=events.")
                    }
                    sets[String(parts[0])] = .string(String(parts[1]))
                }
                if !sets.isEmpty { settings["contentSets"] = .object(sets) }
                settings["guestName"] = guestName.map(JSONValue.string)
                settings["stopRadius"] = stopRadius.map { .integer(Int64($0)) }
                settings["stopLimit"] = stopLimit.map { .integer(Int64($0)) }
                return .object(settings)
            }
        }
    }

    struct Delete: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Turn a vendor API off.")

        @OptionGroup var options: OperatorOptions

        @Argument(help: "toast, corepush or coimotion.")
        var api: String

        func run() async throws {
            try await options.show(OperatorRequest("DELETE", "/v1/apps/{app}/vendor-apis/\(api)"))
        }
    }
}
