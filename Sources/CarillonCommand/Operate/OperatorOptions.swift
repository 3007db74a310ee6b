import ArgumentParser
import CarillonModel
import CarillonOperatorModel
import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The server and API key of a command, and the form of its output.
struct OperatorOptions: ParsableArguments {
    /// The environment variable with the server's address.
    static let serverVariable = "CARILLON_SERVER"

    @Option(help: "The server's address. Also CARILLON_SERVER. (default: http://127.0.0.1:8080)")
    var server: String?

    @Option(
        help: "A file with an API key's secret; - for the standard input. Otherwise CARILLON_API_KEY has it.",
        completion: .file()
    )
    var keyFile: String?

    @Option(help: "The App's id, app_…; may be left out when the key belongs to one, or the server has only one.")
    var app: String?

    @Flag(help: "Print the server's answers as JSON.")
    var json = false

    @Option(help: "Print only this field of the answer, such as id or app.name; of a list, one line each.")
    var field: String?

    /// The API client of these options.
    ///
    /// The secret comes from a file or the environment: the arguments of a process are visible to everybody.
    ///
    /// - Throws: `ValidationError` naming what is missing or invalid.
    func api(environment: [String: String] = ProcessInfo.processInfo.environment) throws -> OperatorAPI {
        OperatorAPI(server: try address(environment), key: try secret(environment))
    }

    /// The API client of requests that need no key; it has one when one is configured.
    func openAPI(environment: [String: String] = ProcessInfo.processInfo.environment) throws -> OperatorAPI {
        let hasKey = keyFile != nil || environment["CARILLON_API_KEY"] != nil
        return OperatorAPI(server: try address(environment), key: hasKey ? try secret(environment) : "")
    }

    private func address(_ environment: [String: String]) throws -> URL {
        let address = server ?? Self.server(in: environment) ?? "http://127.0.0.1:8080"
        guard let url = URL(string: address), url.scheme == "http" || url.scheme == "https", url.host != nil else {
            let name = server == nil ? Self.serverVariable : "--server"
            throw ValidationError("\(name) must be an address such as https://push.example.com.")
        }
        return url
    }

    /// The server's address in the environment; an empty one counts as missing.
    static func server(in environment: [String: String]) -> String? {
        environment[serverVariable].flatMap { $0.isEmpty ? nil : $0 }
    }

    /// The App of `--app`.
    ///
    /// - Throws: `ValidationError` when it is not an App's id.
    func namedApp() throws -> AppID? {
        guard let app else { return nil }
        guard let id = AppID(app) else { throw ValidationError("--app must be app_ and 12 base-32 characters.") }
        return id
    }

    /// The App of `--app`, or the only one that the key may see.
    func appID(_ api: OperatorAPI) async throws -> AppID {
        if let named = try namedApp() { return named }
        let page: Page<IdentifiedApp> = try await api.get("/v1/apps", [APIName.limit: "2"])
        guard let only = page.items.first, page.items.count == 1 else {
            throw ValidationError(
                page.items.isEmpty
                    ? "The server has no App yet; `carillon apps create` makes one."
                    : "The server has several Apps; name one with --app. `carillon apps list` shows them."
            )
        }
        return only.id
    }

    private struct IdentifiedApp: Codable, Hashable, Sendable { var id: AppID }

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
        try await run(try api(), body)
    }

    /// The same with an API client.
    func run<Value>(_ api: OperatorAPI, _ body: (OperatorAPI) async throws -> Value) async throws -> Value {
        do {
            return try await body(api)
        } catch let error as URLError {
            throw Self.failure(error, api)
        } catch {
            throw CommandFailure.described(error)
        }
    }

    /// The failure of a request that the server did not answer.
    static func failure(_ error: URLError, _ api: OperatorAPI) -> CommandFailure {
        CommandFailure(.unavailable, "\(api.server.absoluteString) does not answer: \(cause(error))")
    }

    /// Sends a request and returns the body of the response.
    func send(_ request: OperatorRequest, _ api: OperatorAPI) async throws -> Data {
        var query = request.query
        let app = try await app(for: request, api)
        if request.app != .nowhere { query[APIName.app] = app }
        return try await api.call(
            request.method,
            request.path.resolved(app: app),
            query,
            body: try request.body.map { try JSONEncoder().encode($0) }
        )
    }

    /// The App that a request names; `nil` leaves it to the server.
    func app(for request: OperatorRequest, _ api: OperatorAPI) async throws -> String? {
        if let named = try namedApp() { return named.description }
        switch request.app {
        case .nowhere where !request.path.needsApp: return nil
        case .filter: return nil
        default: break
        }
        do {
            return try await appID(api).description
        } catch let refusal as OperatorAPI.Refusal where refusal.kind == .permission && !request.path.needsApp {
            // A key that may not read Apps belongs to one, which the server knows.
            return nil
        }
    }

    private static func cause(_ error: URLError) -> String {
        switch error.code {
        case .cannotConnectToHost: "nothing listens there. Is `carillon serve` running?"
        case .timedOut: "it took too long."
        case .cannotFindHost, .dnsLookupFailed: "the name is not known."
        case .networkConnectionLost, .badServerResponse, .cannotParseResponse: "it closed the connection."
        case .serverCertificateUntrusted, .secureConnectionFailed, .serverCertificateHasBadDate,
            .serverCertificateHasUnknownRoot:
            "TLS failed: its certificate is not trusted here."
        default: error.localizedDescription
        }
    }
}
