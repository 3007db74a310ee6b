import ArgumentParser
import CarillonContentSets
import CarillonModel
import Foundation

/// `carillon content`: content sets, their imports and their rows.
struct ContentCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "content",
        abstract: "Manage content sets: public data of an App, imported from files and searched.",
        discussion: "docs/content-sets.md explains definitions, formats and queries.",
        subcommands: [
            List.self, Show.self, Preset.self, SetDefinition.self, Delete.self, Import.self, Imports.self, Rows.self,
            ContentSourceCommand.self, Arrivals.self, ContentFollowCommand.self, ContentAlertCommand.self,
            ContentAttachmentCommand.self,
        ]
    )
}

extension ContentCommand {
    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "List an App's content sets.")

        @OptionGroup var options: OperatorOptions
        @OptionGroup var pages: PageOptions

        func run() async throws {
            let tables = Column("TABLES") { set in
                set["tables"]?.array?.map { "\($0["name"]?.cell ?? "") \($0["rows"]?.cell ?? "0")" }
                    .joined(separator: ", ")
            }
            try await options.list(
                OperatorRequest("GET", "/v1/content-sets", app: .query),
                pages,
                [Column("NAME", "name"), Column("TITLE", "definition.title"), tables, Column("CHANGED", "updatedAt")]
            )
        }
    }

    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Show a content set.")

        @OptionGroup var options: OperatorOptions
        @Argument(help: "The content set's name.") var set: String

        func run() async throws {
            try await options.show(OperatorRequest("GET", "/v1/content-sets/\(set)", app: .query))
        }
    }

    /// Definitions for formats whose tables have fixed names.
    struct Preset: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Print a definition to begin with, as JSON, without a server."
        )

        @Argument(help: "culture for events of Taiwan's Ministry of Culture, transit for GTFS and TDX.")
        var preset: String

        func run() throws {
            guard let definition = ContentSetDefinition.preset(preset) else {
                let names = ContentSetDefinition.presetNames.joined(separator: ", ")
                throw ValidationError("A preset is one of \(names).")
            }
            print(String(decoding: try JSONEncoder.sorted(.prettyPrinted).encode(definition), as: UTF8.self))
        }
    }

    struct SetDefinition: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "set",
            abstract: "Save a content set's definition; rows stay until the next import."
        )

        @OptionGroup var options: OperatorOptions
        @Argument(help: "The content set's name: a letter and up to 63 letters, digits, hyphens and underscores.")
        var set: String
        @Argument(help: "A file with the definition as JSON; - for the standard input.", completion: .file())
        var definition: String

        func run() async throws {
            let body = JSONValue.object(try OperatorInput.object(from: definition))
            try await options.show(OperatorRequest("PUT", "/v1/content-sets/\(set)", body: body, app: .query))
        }
    }

    struct Delete: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Delete a content set with its rows.")

        @OptionGroup var options: OperatorOptions
        @Argument(help: "The content set's name.") var set: String

        func run() async throws {
            try await options.show(
                OperatorRequest("DELETE", "/v1/content-sets/\(set)", app: .query),
                done: "The content set is deleted."
            )
        }
    }

    struct Imports: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "List the imports of a content set, the latest first."
        )

        @OptionGroup var options: OperatorOptions
        @OptionGroup var pages: PageOptions
        @Argument(help: "The content set's name.") var set: String

        func run() async throws {
            try await options.list(
                OperatorRequest("GET", "/v1/content-sets/\(set)/imports", app: .query),
                pages,
                [
                    Column("STARTED", "startedAt"), Column("FORMAT", "format"), Column("SOURCE", "source"),
                    Column("STATE", "state"),
                    Column("READ", "read"), Column("SKIPPED", "skipped"), Self.count("NEW", "imported"),
                    Self.count("CHANGED", "changed"), Self.count("GONE", "gone"),
                    Column("PROBLEM") { $0["problems"]?.array?.first?.cell },
                ]
            )
        }

        /// A count of all tables.
        private static func count(_ title: String, _ member: String) -> Column {
            Column(title) { run in
                String((run["tables"]?.array ?? []).reduce(0) { $0 + ($1[member]?.integer ?? 0) })
            }
        }
    }
}
