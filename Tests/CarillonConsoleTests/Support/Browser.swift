import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import NIOConcurrencyHelpers
import NIOCore
import Testing

@testable import CarillonConsole

/// A browser: it keeps cookies, and sends forms with the token of the page that has them.
struct Browser: Sendable {
    let client: any TestClientProtocol
    /// Asked without the server in front; `nil` for the server.
    let console: Console?
    let address: String
    var isEncrypted = false
    var host = "localhost"
    var cookies: [String: String] = [:]
    var language = "en"
    /// Header fields of each request.
    var fields: [String: String] = [:]
    /// The token of the last page.
    private(set) var token = ""

    init(client: any TestClientProtocol, console: Console?, address: String) {
        (self.client, self.console, self.address) = (client, console, address)
    }

    /// The session's cookie.
    var session: String? {
        get { cookies[isEncrypted ? "__Host-carillon" : "carillon-dev"] }
        set { cookies[isEncrypted ? "__Host-carillon" : "carillon-dev"] = newValue }
    }

    /// Opens a page.
    mutating func get(_ path: String, _ method: HTTPRequest.Method = .get) async throws -> PageAnswer {
        try await send(method, path, nil, [:])
    }

    /// Opens the page that an answer leads to.
    mutating func follow(_ answer: PageAnswer) async throws -> PageAnswer {
        try await get(try #require(answer.location, "\(answer.status): \(answer.body.prefix(400))"))
    }

    /// Sends a form, with the token of the last page unless it has one.
    mutating func post(
        _ path: String,
        _ form: KeyValuePairs<String, String> = [:],
        token: String? = nil,
        site: String? = "same-origin"
    ) async throws -> PageAnswer {
        var fields = form.map { (name: $0.key, value: $0.value) }
        let token = token ?? self.token
        if !token.isEmpty { fields.append(("_csrf", token)) }
        var headers = ["Content-Type": "application/x-www-form-urlencoded"]
        if let site { headers["Sec-Fetch-Site"] = site }
        return try await send(.post, path, FormFields(fields).encoded, headers)
    }

    /// Sends a form of fields that may come several times, with the token of the last page.
    mutating func post(_ path: String, _ fields: FormFields) async throws -> PageAnswer {
        let fields = FormFields(fields.all + [("_csrf", token)])
        let headers = ["Content-Type": "application/x-www-form-urlencoded", "Sec-Fetch-Site": "same-origin"]
        return try await send(.post, path, fields.encoded, headers)
    }

    // MARK: - Private

    private mutating func send(
        _ method: HTTPRequest.Method,
        _ path: String,
        _ body: String?,
        _ more: [String: String]
    ) async throws -> PageAnswer {
        var headers = HTTPFields()
        for (name, value) in fields.merging(more, uniquingKeysWith: { $1 }) {
            headers[try #require(HTTPField.Name(name))] = value
        }
        if headers[.acceptLanguage] == nil { headers[.acceptLanguage] = language }
        if !cookies.isEmpty {
            headers[.cookie] = cookies.map { "\($0.key)=\($0.value)" }.joined(separator: "; ")
        }
        let answer = try await answer(method, path, body, headers)
        for text in answer.headers[values: .setCookie] { keep(text) }
        if let token = answer.token { self.token = token }
        return answer
    }

    private func answer(
        _ method: HTTPRequest.Method,
        _ path: String,
        _ body: String?,
        _ headers: HTTPFields
    ) async throws -> PageAnswer {
        guard let console else {
            let answer = try await client.executeRequest(
                uri: path,
                method: method,
                headers: headers,
                body: body.map { ByteBuffer(string: $0) }
            )
            return PageAnswer(status: answer.status.code, headers: answer.headers, body: String(buffer: answer.body))
        }
        let request = Request(
            head: HTTPRequest(
                method: method,
                scheme: isEncrypted ? "https" : "http",
                authority: host,
                path: path,
                headerFields: headers
            ),
            body: RequestBody(buffer: ByteBuffer(string: body ?? ""))
        )
        let caller = ConsoleCaller(
            address: address,
            network: address,
            peer: address,
            isEncrypted: isEncrypted,
            requestID: "r1"
        )
        let response = await console.answer(request, caller).response
        let writer = CollectingWriter()
        try await response.body.write(writer)
        return PageAnswer(status: response.status.code, headers: response.headers, body: writer.text)
    }

    private mutating func keep(_ text: String) {
        let pair = text.prefix { $0 != ";" }.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard pair.count == 2 else { return }
        cookies[String(pair[0])] = text.contains("Max-Age=0") ? nil : String(pair[1])
    }
}

/// An answer of the console.
struct PageAnswer: Sendable {
    let status: Int
    let headers: HTTPFields
    let body: String

    /// Where it leads.
    var location: String? { headers[.location] }
    /// The token of its forms.
    var token: String? { value(of: "_csrf") }
    /// Its only first heading.
    var heading: String? { between("<h1>", "</h1>") }
    var title: String? { between("<title>", "</title>") }

    /// The value of the first field with a name.
    func value(of field: String) -> String? {
        between("name=\"\(field)\" value=\"", "\"").map(Self.unescaped)
            ?? between("name=\"\(field)\" type=\"text\" value=\"", "\"").map(Self.unescaped)
    }

    /// The text between two others.
    func between(_ start: String, _ end: String) -> String? {
        guard let from = body.range(of: start), let to = body.range(of: end, range: from.upperBound..<body.endIndex)
        else { return nil }
        return String(body[from.upperBound..<to.lowerBound])
    }

    private static func unescaped(_ text: String) -> String {
        text.replacing("&lt;", with: "<").replacing("&gt;", with: ">").replacing("&quot;", with: "\"")
            .replacing("&#39;", with: "'").replacing("&amp;", with: "&")
    }
}

private final class CollectingWriter: ResponseBodyWriter {
    private let buffer = NIOLockedValueBox(ByteBuffer())

    var text: String { String(buffer: buffer.withLockedValue { $0 }) }

    func write(_ part: ByteBuffer) async throws {
        buffer.withLockedValue { buffer in
            var part = part
            buffer.writeBuffer(&part)
        }
    }

    func finish(_ trailingHeaders: HTTPFields?) async throws {}
}
