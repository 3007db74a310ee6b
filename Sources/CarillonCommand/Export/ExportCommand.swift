import ArgumentParser
import CarillonEngine
import CarillonModel
import Foundation

/// `carillon export`: exports data.
struct ExportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Export data from a running server.",
        subcommands: [ExportDevicesCommand.self, ExportUserCommand.self]
    )
}

/// `carillon export devices`: all devices with their tokens, from a running server.
struct ExportDevicesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "devices",
        abstract: "Export devices with their tokens from a running server.",
        discussion: """
            Requires a key with scope admin: device tokens are secrets, and so is the file, which only its owner may \
            read. Continue an interrupted export with --cursor and the cursor of its last complete line, in another \
            file.
            """
    )

    @OptionGroup var options: OperatorOptions

    @Argument(help: "The file, which must not be there yet; - for the standard output.")
    var file: String

    @Option(help: "csv or jsonl (an object a line).")
    var format = DeviceFileFormat.csv

    @Option(
        help: "Only devices registered, imported or changed by an import from then on, such as 2026-11-26T09:00:00Z."
    )
    var from: String?

    @Option(help: "Only devices registered, imported or changed by an import before then.")
    var until: String?

    @Option(help: "The cursor of the last line of an export that was cut off.")
    var cursor: String?

    func run() async throws {
        try await ExportFile(path: file).write { handle in
            try await options.run { api in
                try await api.download(
                    "/v1/device-export",
                    [
                        APIName.app: "\(try await options.appID(api))", "format": format.rawValue,
                        "from": from, "until": until,
                        APIName.cursor: cursor,
                    ]
                ) { try handle.write(contentsOf: $0) }
            }
        }
    }
}

/// `carillon export user`: all data of one person.
struct ExportUserCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "user",
        abstract: "Export all data of a user from a running server.",
        discussion: """
            One object per line, with its `kind`. Requires a key with scope admin: the file contains device tokens and \
            personal data, and only its owner may read it.
            """
    )

    @OptionGroup var options: OperatorOptions

    @Argument(help: "The user's id.")
    var user: String

    @Argument(help: "The file, which must not be there yet; - for the standard output.")
    var file: String

    func run() async throws {
        let path = "/v1/users/" + OperatorAPI.segment(user) + "/export"
        try await ExportFile(path: file).write { handle in
            try await options.run { api in
                try await api.download(path, [APIName.app: "\(try await options.appID(api))"]) {
                    try handle.write(contentsOf: $0)
                }
            }
        }
    }
}

/// The destination of an export: a new file that only its owner may read, or standard output.
struct ExportFile {
    let path: String

    func write(_ body: (FileHandle) async throws -> Void) async throws {
        let handle = try output()
        do {
            try await body(handle)
        } catch {
            // An empty file would block the next attempt.
            if path != "-", let size = try? handle.offset(), size == 0 { unlink(path) }
            throw error
        }
        if path != "-" { try handle.close() }
    }

    private func output() throws -> FileHandle {
        guard path != "-" else { return .standardOutput }
        let descriptor = open(path, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw CommandFailure(.cannotCreate, "Cannot make \(path): \(String(cString: strerror(errno))).")
        }
        return FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    }
}
