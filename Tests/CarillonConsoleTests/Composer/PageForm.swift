import CarillonEngine
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import NIOCore

@testable import CarillonConsole

/// The hidden fields and boxes of a page's forms, sent as a browser does.
struct PageForm: Sendable {
    struct Answer: Sendable {
        let status: Int
        let text: String
        let location: String?
    }

    private let fields: [(name: String, value: String)]

    /// - Parameters:
    ///   - page: The page.
    ///   - ticksAll: Whether all boxes are ticked.
    init(_ page: String, ticksAll: Bool = false) {
        var fields: [(name: String, value: String)] = []
        for input in page.matches(of: #/<input [^>]*>/#) {
            let tag = String(input.0)
            guard let name = tag.firstMatch(of: #/ name="([^"]*)"/#),
                let value = tag.firstMatch(of: #/ value="([^"]*)"/#)
            else { continue }
            let isBox = tag.contains("type=\"checkbox\"")
            guard tag.contains("type=\"hidden\"") || isBox && (ticksAll || tag.contains(" checked")) else { continue }
            fields.append((Self.unescaped(String(name.1)), Self.unescaped(String(value.1))))
        }
        self.fields = fields.filter { $0.name != "_csrf" }
    }

    /// Sends it; fields of the same names are replaced.
    func send(
        _ world: PageWorld,
        to path: String,
        as session: String? = nil,
        _ changes: KeyValuePairs<String, String?> = [:]
    ) async throws -> Answer {
        let value = session ?? world.admin
        var headers: HTTPFields = [.contentType: "application/x-www-form-urlencoded", .origin: "http://localhost"]
        headers[.cookie] = "carillon-dev=" + value
        headers[.acceptLanguage] = "en"
        let token = SessionValue.csrfToken(of: value)
        let form = FormFields(fields).setting(changes).setting(["_csrf": token])
        let answer = try await world.client.executeRequest(
            uri: "/console" + path,
            method: .post,
            headers: headers,
            body: ByteBuffer(string: form.encoded)
        )
        return Answer(status: answer.status.code, text: answer.text, location: answer.headers[.location])
    }

    private static func unescaped(_ text: String) -> String {
        text.replacing("&lt;", with: "<").replacing("&gt;", with: ">").replacing("&quot;", with: "\"")
            .replacing("&#39;", with: "'").replacing("&amp;", with: "&")
    }
}
