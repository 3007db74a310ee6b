import ArgumentParser
import CarillonModel
import Foundation

/// `carillon api`: one request to the API, as it is.
struct APICommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "api",
        abstract: "Send one request to the API and print the response.",
        discussion: """
            carillon api GET /v1/campaigns?limit=2
            carillon api PATCH /v1/apps/app_0fk2m9q3tw7x --body '{"name": "Bus"}'
            GET /v1/openapi.yaml describes all requests.
            """
    )

    @OptionGroup var options: OperatorOptions

    @Argument(help: "GET, POST, PUT, PATCH or DELETE.")
    var method: String

    @Argument(help: "The path with its query, such as /v1/apps?limit=10.")
    var path: String

    @Option(help: "The body as JSON; @FILE reads a file.")
    var body: String?

    func validate() throws {
        guard path.hasPrefix("/") else { throw ValidationError("The path begins with /, such as /v1/apps.") }
        guard ["GET", "POST", "PUT", "PATCH", "DELETE"].contains(method.uppercased()) else {
            throw ValidationError("The method is GET, POST, PUT, PATCH or DELETE.")
        }
    }

    func run() async throws {
        let body = try body.map { try JSONEncoder().encode(try OperatorInput.json($0, option: "--body")) }
        guard let components = URLComponents(string: path) else { throw ValidationError("The path is malformed.") }
        let query = (components.queryItems ?? []).reduce(into: [String: String?]()) { $0[$1.name] = $1.value }
        let data = try await options.run { api in
            try await api.call(method.uppercased(), components.percentEncodedPath, query, body: body)
        }
        guard !data.isEmpty else { return }
        guard let value = try? JSONValue(json: data) else {
            return print(Terminal.escaped(String(decoding: data, as: UTF8.self), keepsLines: true))
        }
        if options.field != nil { return try options.show(value) }
        try OperatorOutput.print(value)
    }
}
