import AsyncHTTPClient
import HTTPTypes
import NIOHTTP1
import Testing

@testable import ApplePushSimulator

struct LocalAccessTests {
    @Test(
        "Requests for this computer are accepted",
        arguments: [
            "localhost", "localhost:2198", "LOCALHOST:1", "127.0.0.1:2198", "[::1]:2198", "[::1]", "apns.localhost",
            "192.168.1.7:2198", "push.internal:2198",
        ]
    )
    func hosts(_ authority: String) {
        let access = LocalAccess(names: ["push.internal"])

        #expect(access.objection(to: request(authority)) == nil)
    }

    @Test(
        "A host name that may be rebound is refused",
        arguments: [
            "evil.example", "evil.example:2198", "localhost.evil.example", "127.0.0.1.evil.example", "1.2.3.4.5",
            "256.0.0.1", "localhost:80:80", "[::1", "[::1]x", "[evil]", "", "local host", "localhost:8o",
            "push.internal", "127.1", "+1.0.0.1",
        ]
    )
    func rebinding(_ authority: String) {
        #expect(LocalAccess().objection(to: request(authority)) != nil)
    }

    @Test("Writes from foreign pages are refused, by any header that reveals them")
    func crossSite() {
        let access = LocalAccess()
        func objection(_ method: HTTPRequest.Method, _ fields: [(String, String)]) -> Bool {
            access.objection(to: request("localhost:2198", method, fields)) != nil
        }

        for method in [HTTPRequest.Method.post, .put, .delete, .get] {
            #expect(!objection(method, []))
            #expect(!objection(method, [("origin", "http://localhost:2198"), ("sec-fetch-site", "same-origin")]))
            #expect(objection(method, [("origin", "http://localhost:3000")]))
            #expect(objection(method, [("origin", "https://localhost:2198")]))
            #expect(objection(method, [("origin", "http://evil.example")]))
            #expect(objection(method, [("origin", "null")]))
            #expect(objection(method, [("sec-fetch-site", "cross-site")]))
            #expect(objection(method, [("sec-fetch-site", "same-site")]))
        }
        #expect(!objection(.get, [("sec-fetch-site", "none")]))
    }

    @Test("A link to the page may be followed, and nothing else be loaded that way")
    func links() {
        func objection(_ method: HTTPRequest.Method, mode: String, dest: String) -> Bool {
            let fields = [("sec-fetch-site", "cross-site"), ("sec-fetch-mode", mode), ("sec-fetch-dest", dest)]
            return LocalAccess().objection(to: request("localhost:2198", method, fields)) != nil
        }

        #expect(!objection(.get, mode: "navigate", dest: "document"))
        #expect(objection(.get, mode: "navigate", dest: "iframe"))
        #expect(objection(.get, mode: "no-cors", dest: "script"))
        #expect(objection(.post, mode: "navigate", dest: "document"))
    }

    @Test("A refused write has no effect, and the response has the reason")
    func wire() async throws {
        try await SimulatorFixture.run { fixture in
            let rebound = try await Tool.curl.run([
                "-sS", "-i", "-H", "host: evil.example", "-d", #"{"kind":"stall"}"#, fixture.control("/faults"),
            ])
            let foreign = try await Tool.curl.run([
                "-sS", "-i", "-H", "origin: http://localhost:1", "-d", #"{"kind":"stall"}"#, fixture.control("/faults"),
            ])
            let read = try await Tool.curl.run(["-sS", "-i", "-H", "host: evil.example", fixture.control("/requests")])
            let page = try await Tool.curl.run(["-sS", "-i", fixture.control("/")])

            for refused in [rebound, foreign, read] {
                #expect(refused.output.hasPrefix("HTTP/1.1 403"))
            }
            #expect(rebound.output.contains("--control-name"))
            #expect(foreign.output.contains("another origin"))
            #expect(fixture.handle.faults().isEmpty)
            #expect(page.output.hasPrefix("HTTP/1.1 200"))
            let headers = page.output.lowercased()
            #expect(headers.contains("content-security-policy: default-src 'none';"))
            #expect(headers.contains("x-content-type-options: nosniff"))
            #expect(headers.contains("cross-origin-resource-policy: same-origin"))
        }
    }

    private func request(
        _ authority: String,
        _ method: HTTPRequest.Method = .post,
        _ fields: [(String, String)] = []
    ) -> HTTPRequest {
        var request = HTTPRequest(method: method, scheme: "http", authority: authority, path: "/faults")
        for (name, value) in fields {
            if let name = HTTPField.Name(name) {
                request.headerFields.append(HTTPField(name: name, value: value))
            }
        }
        return request
    }
}
