import ArgumentParser
import CarillonModel
import CarillonOperatorModel
import Foundation

/// `carillon templates`: saved messages for repeated use.
struct TemplatesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "templates",
        abstract: "Manage saved messages.",
        subcommands: [List.self, Show.self, Create.self, Update.self, Test.self, Delete.self]
    )
}

extension TemplatesCommand {
    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "List an App's templates.")

        @OptionGroup var options: OperatorOptions
        @OptionGroup var pages: PageOptions

        func run() async throws {
            let languages = Column("LANGUAGES") { template in
                template.at("message.content")?.object?.keys.sorted().joined(separator: " ")
            }
            try await options.list(
                OperatorRequest("GET", "/v1/templates", app: .query),
                pages,
                [Column("ID", "id"), Column("NAME", "name"), languages, Column("CHANGED", "updatedAt")]
            )
        }
    }

    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Show a template.")

        @OptionGroup var options: OperatorOptions
        @Argument(help: "The template's id, tpl_….") var template: String

        func run() async throws { try await options.show(OperatorRequest("GET", "/v1/templates/\(template)")) }
    }

    struct Create: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Save a message as a template.")

        @OptionGroup var options: OperatorOptions
        @Option(help: "Its name, 1 through 100 characters.") var name: String
        @Option(help: "A file with the message as JSON; - for the standard input.", completion: .file()) var message:
            String

        func run() async throws {
            let body = try TemplatesCommand.body(name, message)
            try await options.show(OperatorRequest("POST", "/v1/templates", body: body, app: .query))
        }
    }

    struct Update: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Change a template's name and message.")

        @OptionGroup var options: OperatorOptions
        @Argument(help: "The template's id, tpl_….") var template: String
        @Option(help: "Its name, 1 through 100 characters.") var name: String
        @Option(help: "A file with the message as JSON; - for the standard input.", completion: .file()) var message:
            String

        func run() async throws {
            let body = try TemplatesCommand.body(name, message)
            try await options.show(OperatorRequest(APIName.templateUpdate, "/v1/templates/\(template)", body: body))
        }
    }

    static func body(_ name: String, _ file: String) throws -> JSONValue {
        .object(["name": .string(name), "message": .object(try OperatorInput.object(from: file))])
    }

    /// Sends one to a Device, for review.
    struct Test: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Send a template to one device, as a test; it does not count for any campaign."
        )

        @OptionGroup var options: OperatorOptions
        @Argument(help: "The template's id, tpl_….") var template: String
        @Option(help: "The device's id, a UUID.") var device: String
        @Option(help: "What its places {{value.NAME}} are filled with, as JSON: {\"line\": 5}.") var values: String?

        /// The request to the server.
        ///
        /// - Throws: `ValidationError` naming the invalid option.
        func request() throws -> OperatorRequest {
            guard TemplateID(template) != nil else { throw ValidationError("A template is tpl_ and 12 characters.") }
            guard DeviceID(device) != nil else { throw ValidationError("--device must be a UUID.") }
            var body: [String: JSONValue] = ["template": .string(template), "device": .string(device)]
            if let values {
                body["values"] = try OperatorInput.json(values, option: "--values")
                guard body["values"]?.object != nil else {
                    throw ValidationError("--values must be an object of JSON with texts, numbers and booleans.")
                }
            }
            return OperatorRequest("POST", "/v1/test-send", body: .object(body), app: .query)
        }

        func run() async throws { try await options.showCampaign(try request()) }
    }

    struct Delete: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Delete a template.")

        @OptionGroup var options: OperatorOptions
        @Argument(help: "The template's id, tpl_….") var template: String

        func run() async throws {
            try await options.show(
                OperatorRequest("DELETE", "/v1/templates/\(template)"),
                done: "The template is deleted."
            )
        }
    }
}
