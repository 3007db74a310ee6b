import ArgumentParser
import CarillonModel
import Foundation

/// `carillon content attachments`: files that people have attached to rows.
struct ContentAttachmentCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "attachments",
        abstract: "List, fetch and delete files that people have attached to a content set's rows.",
        subcommands: [List.self, Download.self, Delete.self]
    )
}

/// An attachment of a content set.
struct NamedContentAttachment: ParsableArguments {
    @OptionGroup var options: OperatorOptions
    @Argument(help: "The content set's name.") var set: String
    @Argument(help: "The attachment's id: att_ and 12 characters.") var attachment: String

    var path: APIPath { "/v1/content-sets/\(set)/attachments/\(attachment)" }
}

extension ContentAttachmentCommand {
    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "List attachments, the latest first.")

        @OptionGroup var options: OperatorOptions
        @OptionGroup var pages: PageOptions
        @Argument(help: "The content set's name.") var set: String
        @Option(help: "Only those to rows of a table.") var table: String?
        @Option(help: "Only those to rows of a key.") var row: String?
        @Option(help: "Only those of a User.") var user: String?

        func run() async throws {
            try await options.list(
                OperatorRequest(
                    "GET",
                    "/v1/content-sets/\(set)/attachments",
                    query: ["table": table, "row": row, "user": user],
                    app: .query
                ),
                pages,
                [
                    Column("ID", "id"), Column("TABLE", "table"), Column("ROW", "row"), Column("USER", "user"),
                    Column("NAME", "name"), Column("TYPE", "mediaType"), Column("BYTES", "size"),
                    Column("TITLE", "title"), Column("SENT", "createdAt"),
                ]
            )
        }
    }

    struct Download: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Fetch the file of an attachment.")

        @OptionGroup var named: NamedContentAttachment
        @Argument(help: "The file, which must not be there yet; - for the standard output.") var file: String

        func run() async throws {
            try await ExportFile(path: file).write { handle in
                try await named.options.run { api in
                    let app = try await named.options.appID(api)
                    try await api.download(named.path.resolved(app: nil), [APIName.app: "\(app)"]) {
                        try handle.write(contentsOf: $0)
                    }
                }
            }
        }
    }

    struct Delete: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Delete an attachment with its file.")

        @OptionGroup var named: NamedContentAttachment

        func run() async throws {
            try await named.options.show(
                OperatorRequest("DELETE", named.path, app: .query),
                done: "The attachment is deleted."
            )
        }
    }
}
