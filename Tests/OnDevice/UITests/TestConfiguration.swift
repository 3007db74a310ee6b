import Foundation

/// What the tests need to know, from the environment of the scheme's test action.
///
/// - `CARILLON_SERVER_URL`: the server's address, as the app has it.
/// - `CARILLON_API_KEY`: an API key of the App with the scopes `read` and `send`; secret.
/// - `CARILLON_PICTURE_URL`: an `https` address of a JPEG, PNG or GIF.
/// - `CARILLON_SURVEY_URL`: an address of a page, with a query; a default is there.
struct TestConfiguration: Sendable {
    /// A setting that is missing.
    struct Missing: Error, CustomStringConvertible {
        let description: String
    }

    let server: URL
    let apiKey: String
    let picture: String
    let survey: String

    init(environment: [String: String] = ProcessInfo.processInfo.environment) throws {
        func text(_ name: String) throws -> String {
            guard let value = environment[name], !value.isEmpty else {
                throw Missing(description: "\(name) is not set in the scheme's test action")
            }
            return value
        }
        guard let server = URL(string: try text("CARILLON_SERVER_URL")) else {
            throw Missing(description: "CARILLON_SERVER_URL is no URL")
        }
        self.server = server
        apiKey = try text("CARILLON_API_KEY")
        picture = try text("CARILLON_PICTURE_URL")
        survey = environment["CARILLON_SURVEY_URL"] ?? "https://example.com/?survey=1"
    }
}
