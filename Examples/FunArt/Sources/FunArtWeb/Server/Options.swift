import Foundation

/// The command line: `fun-art --server JSON --apns JSON`, or `fun-art data FOLDER`.
struct Options {
    /// The command line cannot be understood.
    struct Misuse: Error, CustomStringConvertible {
        let description: String
    }

    static let usage = """
        fun-art --server JSON --apns JSON [--port N] [--small] [--json]
            Shows the app to a browser. JSON are the lines that `carillon serve --json` and `carillon simulate apns --json`
            announce themselves with.
        fun-art data FOLDER
            Writes the sample data.
        """

    /// A line of `carillon serve --json`.
    struct Server: Decodable {
        var url: String
        var adminKeyFile: String
    }

    /// A line of `carillon simulate apns --json`.
    struct APNs: Decodable {
        var host: String
        var controlPort: Int
        var keyFile: String
        var keyID: String
        var teamID: String
    }

    var server: Server?
    var apns: APNs?
    var port = 0
    var isSmall = false
    var isJSON = false
    var dataFolder: String?

    /// Reads the arguments.
    ///
    /// - Throws: ``Misuse``.
    init(_ arguments: [String]) throws {
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            switch argument {
            case "--small": isSmall = true
            case "--json": isJSON = true
            case "--server": server = try Self.line(rest.popFirst())
            case "--apns": apns = try Self.line(rest.popFirst())
            case "--port":
                guard let number = rest.popFirst().flatMap(Int.init), (0...65_535).contains(number) else {
                    throw Misuse(description: "--port needs a number from 0 through 65535\n" + Self.usage)
                }
                port = number
            case "data": dataFolder = rest.popFirst()
            default: throw Misuse(description: "\(argument) is unknown\n" + Self.usage)
            }
        }
    }

    private static func line<Line: Decodable>(_ text: String?) throws -> Line {
        guard let text, let line = try? JSONDecoder().decode(Line.self, from: Data(text.utf8)) else {
            throw Misuse(description: "--server and --apns need the line of JSON of an announcement\n" + usage)
        }
        return line
    }
}
