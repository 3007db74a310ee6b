import ArgumentParser
import CarillonModel
import Foundation

/// The server and API key of a command.
struct OperatorOptions: ParsableArguments {
    @Option(help: "The server's address. Also CARILLON_SERVER. (default: http://127.0.0.1:8080)")
    var server: String?

    @Option(help: "A file with an API key's secret; - for the standard input. Otherwise CARILLON_API_KEY has it.")
    var keyFile: String?

    @Option(help: "The App's id, app_…; may be left out when the key belongs to one.")
    var app: String?

    @Flag(help: "Print the server's answers as JSON.")
    var json = false

    /// The API client of these options.
    ///
    /// The secret comes from a file or the environment: the arguments of a process are visible to everybody.
    ///
    /// - Throws: `ValidationError` naming what is missing or invalid.
    func api(environment: [String: String] = ProcessInfo.processInfo.environment) throws -> OperatorAPI {
        let address = server ?? environment["CARILLON_SERVER"] ?? "http://127.0.0.1:8080"
        guard let url = URL(string: address), url.scheme == "http" || url.scheme == "https", url.host != nil else {
            throw ValidationError("--server must be an address such as https://push.example.com.")
        }
        return OperatorAPI(server: url, key: try secret(environment))
    }

    private func secret(_ environment: [String: String]) throws -> String {
        let text: String?
        if let keyFile {
            text = String(decoding: try InputFile.contents(of: keyFile), as: UTF8.self)
        } else {
            text = environment["CARILLON_API_KEY"]
        }
        guard let secret = text?.split(whereSeparator: \.isWhitespace).first else {
            throw ValidationError("No API key: set CARILLON_API_KEY or name a file with --key-file.")
        }
        guard secret.utf8.count <= 200, secret.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw ValidationError("The API key is malformed: it must be one line of printable characters.")
        }
        return String(secret)
    }
}

extension OperatorOptions {
    /// Runs a command's requests; refusals are reported in the server's words.
    func run<Value>(_ body: (OperatorAPI) async throws -> Value) async throws -> Value {
        let api = try api()
        do {
            return try await body(api)
        } catch let refusal as OperatorAPI.Refusal {
            throw ValidationError(Text.plain(refusal))
        } catch let error as URLError {
            throw ValidationError("\(api.server.absoluteString) does not answer: \(error.localizedDescription)")
        }
    }

    private enum Text {
        /// The problem's description, with its fields.
        static func plain(_ refusal: OperatorAPI.Refusal) -> String {
            guard let problem = refusal.problem else { return "\(refusal.path) answered \(refusal.status)." }
            let fields = (problem.errors ?? []).map { "\n  \($0.field) \($0.problem)" }.joined()
            return (problem.detail ?? problem.title) + fields
        }
    }
}
