import ArgumentParser
import CarillonModel
import CarillonOperatorModel
import Foundation

/// `carillon templates`: saved messages for repeated use.
struct TemplatesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "templates",
        abstract: "Manage saved messages.",
        subcommands: [List.self, Show.self, Create.self, Replace.self, Test.self, Delete.self]
    )
}

extension TemplatesCommand {
    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "List an App's templates.")

        @OptionGroup var options: OperatorOptions

        func run() async throws {
            let templates = try await options.run { api in
                var templates: [Template] = []
                var cursor: String?
                repeat {
                    let page = try await api.get(
                        "/v1/templates",
                        ["app": options.app, "cursor": cursor, "limit": "200"],
                        as: Page<Template>.self
                    )
                    templates += page.items
                    cursor = page.nextCursor
                } while cursor != nil
                return templates
            }
            guard !options.json else { return try OperatorOutput.print(templates) }
            var table = TextTable("ID", "NAME", "LANGUAGES", "CHANGED")
            for template in templates {
                table.add(
                    template.id.description,
                    template.name,
                    template.message.content.keys.sorted().joined(separator: " "),
                    template.updatedAt.description
                )
            }
            table.print()
        }
    }

    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Show a template as JSON.")

        @OptionGroup var options: OperatorOptions
        @Argument(help: "The template's id, tpl_….") var template: String

        func run() async throws {
            let found = try await options.run { api in
                try await api.get("/v1/templates/" + OperatorAPI.segment(template), as: Template.self)
            }
            try OperatorOutput.print(found)
        }
    }

    struct Create: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Save a message as a template.")

        @OptionGroup var options: OperatorOptions
        @Option(help: "Its name, 1 through 100 characters.") var name: String
        @Option(help: "A file with the message as JSON; - for the standard input.") var message: String

        func run() async throws {
            let request = try TemplateRequest(name: name, messageFile: message)
            let made = try await options.run { api in
                try await api.post("/v1/templates", ["app": options.app], request, as: Template.self)
            }
            if options.json { try OperatorOutput.print(made) } else { print(made.id) }
        }
    }

    struct Replace: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Change a template's name and message.")

        @OptionGroup var options: OperatorOptions
        @Argument(help: "The template's id, tpl_….") var template: String
        @Option(help: "Its name, 1 through 100 characters.") var name: String
        @Option(help: "A file with the message as JSON; - for the standard input.") var message: String

        func run() async throws {
            let request = try TemplateRequest(name: name, messageFile: message)
            let changed = try await options.run { api in
                try await api.put("/v1/templates/" + OperatorAPI.segment(template), request, as: Template.self)
            }
            if options.json { try OperatorOutput.print(changed) } else { print(changed.id) }
        }
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
        func request() throws -> TestSendRequest {
            guard let id = TemplateID(template) else { throw ValidationError("A template is tpl_ and 12 characters.") }
            guard let device = DeviceID(device) else { throw ValidationError("--device must be a UUID.") }
            var request = TestSendRequest(template: id, device: device)
            request.values = try values.map { text in
                do {
                    return try JSONDecoder().decode(TemplateValues.self, from: Data(text.utf8))
                } catch let error as FieldError {
                    throw ValidationError("--values \(error.problem)")
                } catch {
                    throw ValidationError("--values must be an object of JSON with texts, numbers and booleans.")
                }
            }
            return request
        }

        func run() async throws {
            let request = try request()
            let sent = try await options.run { api in
                try await api.post("/v1/test-send", ["app": options.app], request, as: Campaign.self)
            }
            if options.json { try OperatorOutput.print(sent) } else { print(sent.id) }
        }
    }

    struct Delete: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Delete a template.")

        @OptionGroup var options: OperatorOptions
        @Argument(help: "The template's id, tpl_….") var template: String

        func run() async throws {
            try await options.run { api in
                try await api.delete("/v1/templates/" + OperatorAPI.segment(template))
            }
        }
    }
}

extension TemplateRequest {
    /// Creates a request with the message in a file.
    ///
    /// - Throws: `ValidationError` naming the invalid field.
    fileprivate init(name: String, messageFile: String) throws {
        self.init(name: name, message: try OperatorInput.decode(Message.self, from: messageFile))
    }
}
