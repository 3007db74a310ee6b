import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import Foundation
import HTTPTypes
import Testing

@testable import CarillonConsole

/// What every answer has, and what none has.
struct AnswerTests {
    private struct Fault: Error {}

    private static var withFaults: ConsoleWorld.Options {
        var options = ConsoleWorld.Options()
        options.declare = { routes in
            routes.page("/system/fault", .anywhere(.viewer)) { _ in throw Fault() }
            routes.page("/system/away", .anywhere(.viewer)) { _ in
                throw EngineError.store(.unavailable("no connection to secret-host"))
            }
            routes.page("/system/conflict", .anywhere(.viewer)) { _ in throw EngineError.conflict("It was changed.") }
        }
        return options
    }

    private func expectHeaders(_ answer: PageAnswer, encrypted: Bool = false, isAsset: Bool = false) {
        let headers = answer.headers
        #expect(
            headers[.contentSecurityPolicy]
                == "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
                + "font-src 'none'; object-src 'none'; frame-src 'self'; form-action 'self'; base-uri 'none'; "
                + "frame-ancestors 'none'"
        )
        let expected = [
            "X-Content-Type-Options": "nosniff", "X-Frame-Options": "DENY", "Referrer-Policy": "same-origin",
            "Cross-Origin-Opener-Policy": "same-origin", "Cross-Origin-Resource-Policy": "same-origin",
            "Permissions-Policy": "camera=(), microphone=(), geolocation=(), payment=(), usb=(), "
                + "publickey-credentials-get=(self), publickey-credentials-create=(self)",
            "Cache-Control": isAsset ? "public, max-age=31536000, immutable" : "no-store",
        ]
        for (name, value) in expected {
            #expect(headers[values: HTTPField.Name(name) ?? .accept] == [value], "\(name) of \(answer.status)")
        }
        let transport = headers[.strictTransportSecurity]
        #expect(transport == (encrypted ? "max-age=31536000; includeSubDomains" : nil))
        #expect(!headers.contains { $0.name.canonicalName.hasPrefix("access-control-") })
    }

    @Test("K-23 All answers have the security headers, errors too")
    func headers() async throws {
        try await ConsoleWorld.run(Self.withFaults) { world in
            let ana = try await world.makeAdmin()
            var browser = world.browser(of: ana)
            let paths = [
                ("/console/", 200), ("/console/nothing", 404), ("/console/operators/opr_1", 404),
                ("/console/invite/gone", 410), ("/console/assets/0.css", 404), ("/console/system/fault", 500),
                ("/console/system/away", 503), ("/console/system/conflict", 409), ("/console/login", 303),
            ]
            for (path, status) in paths {
                let answer = try await browser.get(path)
                #expect(answer.status == status, "\(path)")
                expectHeaders(answer)
                expectHeaders(try await browser.get(path, .head))
            }
            _ = try await browser.get("/console/account")
            let form: KeyValuePairs = ["displayName": "", "zone": "Nowhere"]
            let wrong = try await browser.post("/console/account", form)
            #expect(wrong.status == 422)
            expectHeaders(wrong)
            let foreign = try await browser.post("/console/account", [:], token: "-")
            #expect(foreign.status == 403)
            expectHeaders(foreign)
            expectHeaders(try await browser.get(world.console.assets.style), isAsset: true)
            var remote = world.browser(at: "192.0.2.1", encrypted: true, host: "push.example.org")
            expectHeaders(try await remote.get("/console/login"), encrypted: true)
        }
    }

    @Test("The names below the host can be left out of the transport's security")
    func thisHostOnly() async throws {
        var options = ConsoleWorld.Options()
        options.console.includesSubdomains = false
        try await ConsoleWorld.run(options) { world in
            try await world.makeAdmin()
            var browser = world.browser(at: "192.0.2.1", encrypted: true, host: "push.example.org")
            let answer = try await browser.get("/console/login")
            #expect(answer.headers[.strictTransportSecurity] == "max-age=31536000")
        }
    }

    @Test("A fault has a number that the log has, and tells nothing else")
    func hidesFaults() async throws {
        try await ConsoleWorld.run(Self.withFaults) { world in
            let ana = try await world.makeAdmin()
            var browser = world.browser(of: ana)
            let fault = try await browser.get("/console/system/fault")
            #expect(fault.body.contains("Reference: "))
            #expect(!fault.body.contains("Fault"))
            let away = try await browser.get("/console/system/away")
            #expect(!away.body.contains("secret-host"))
        }
    }

    @Test("The API answers as without a console")
    func leavesAPI() async throws {
        try await ConsoleWorld.run { world in
            var browser = world.browser()
            let answer = try await browser.get("/v1/apps")
            #expect(answer.status == 401)
            #expect(answer.headers[.contentSecurityPolicy] == "default-src 'none'; frame-ancestors 'none'")
            #expect(answer.headers[.contentType] == "application/problem+json")
            #expect(try await browser.get("/consoles").headers[.contentType] == "application/problem+json")
        }
    }

    // MARK: Assets

    @Test("K-105 Assets have a hash in their address, stay for good, and a wrong hash is not found")
    func assets() async throws {
        try await ConsoleWorld.run { world in
            var browser = world.browser()
            let assets = world.console.assets
            for (path, type) in [
                (assets.style, "text/css; charset=utf-8"), (assets.script, "text/javascript; charset=utf-8"),
                (assets.icon, "image/svg+xml"),
            ] {
                let answer = try await browser.get(path)
                #expect(answer.status == 200)
                #expect(answer.headers[.contentType] == type)
                #expect(answer.headers[.cacheControl] == "public, max-age=31536000, immutable")
                #expect(answer.headers[.setCookie] == nil)
                #expect(path.firstMatch(of: /\/console\/assets\/[0-9a-f]{24}\.[a-z]+/) != nil)
                let hash = try #require(path.firstMatch(of: /[0-9a-f]{24}/)?.output)
                let wrong = try await browser.get(path.replacing(hash, with: String(hash.reversed())))
                #expect(wrong.status == 404)
                #expect(wrong.headers[.cacheControl] == "no-store")
            }
        }
    }

    @Test("K-103 A first visit is 100 KB at most, a later page 25 KB, and nothing comes from another origin")
    func sizes() async throws {
        try await ConsoleWorld.run { world in
            for number in 0..<20 { _ = try await world.makeApp("App \(number)") }
            let ana = try await world.makeAdmin()
            for number in 0..<49 {
                _ = try await world.engine.operators.invite(
                    OperatorInvitation(
                        address: "operator-\(number)@example.org",
                        roles: OperatorRoles(everywhere: .viewer)
                    ),
                    by: .server
                )
            }
            var browser = world.browser(of: ana)
            var sizes: [String: Int] = [:]
            for path in [world.console.assets.style, world.console.assets.script, world.console.assets.icon] {
                sizes[path] = try await browser.get(path).body.utf8.count
            }
            let shared = sizes.values.reduce(0, +)
            #expect(sizes[world.console.assets.script] ?? .max <= 24 * 1_024)
            for path in [
                "/console/login", "/console/", "/console/account", "/console/operators", "/console/account/password",
            ] {
                let page = try await browser.get(path)
                let size = page.body.utf8.count
                #expect(shared + size <= 100 * 1_024, "\(path): \(shared + size)")
                #expect(size <= 25 * 1_024, "\(path): \(size)")
                for address in page.body.matches(of: /(?:src|href|action)="([^"]*)"/) {
                    #expect(
                        address.output.1.hasPrefix("/console/") || address.output.1.hasPrefix("#"),
                        "\(address.output)"
                    )
                }
            }
        }
    }

    @Test("K-104 No page has an inline script, an event's attribute or a style's")
    func noInlineCode() async throws {
        try await ConsoleWorld.run { world in
            _ = try await world.makeApp()
            let ana = try await world.makeAdmin()
            var browser = world.browser(of: ana)
            var pages = [try await browser.get("/console/nothing").body]
            for path in [
                "/console/", "/console/account", "/console/account/password", "/console/account/second-factor",
                "/console/operators",
            ] {
                pages.append(try await browser.get(path).body)
            }
            pages += try Resources.files(in: "templates", type: "mustache").values
            for page in pages {
                #expect(page.firstMatch(of: /<script(?![^>]*src=)/) == nil)
                #expect(page.firstMatch(of: /<style/) == nil)
                #expect(page.firstMatch(of: /<[^>]*\son[a-z]+\s*=/) == nil)
                #expect(page.firstMatch(of: /<[^>]*\sstyle\s*=/) == nil)
                #expect(page.firstMatch(of: /javascript:/) == nil)
                // Values are escaped, all of them.
                #expect(!page.contains("{{{") && !page.contains("{{&"))
            }
        }
    }

    // MARK: Texts of others

    private static let hostile = "<script>alert(1)</script>\"'{{page.csrf}}&amp;\u{202E}x\u{0301}\"\u{0301} onfocus=\"x"

    @Test("K-25 Names with markup, braces and marks appear as text")
    func escapes() async throws {
        try await ConsoleWorld.run { world in
            let name = String(Self.hostile.prefix(60))
            let app = try await world.makeApp(name)
            let ana = try await world.makeAdmin()
            var preferences = OperatorPreferences()
            preferences.displayName = name
            let session = try #require(try await world.engine.operators.session(ana.session, by: ConsoleWorld.caller))
            _ = try await world.engine.operators.setPreferences(preferences, of: session)
            var browser = world.browser(of: ana)
            browser.fields["User-Agent"] = "<img src=x>\"'"

            let paths = ["/console/", "/console/account", "/console/operators", "/console/operators/\(ana.id)"]
            for path in paths + ["/console/apps/\(app.id)"] {
                let page = try await browser.get(path)
                #expect([200, 404].contains(page.status), "\(path)")
                #expect(
                    page.body.contains("&lt;script&gt;alert(1)&lt;/script&gt;&quot;&#39;{{page.csrf}}&amp;amp;"),
                    "\(path)"
                )
                #expect(!page.body.contains("<script>alert"), "\(path)")
                #expect(!page.body.unicodeScalars.contains(subsequence: "\"\u{0301}".unicodeScalars), "\(path)")
                #expect(!page.body.contains("<img"), "\(path)")
            }
            // What somebody typed comes back as text too.
            _ = try await browser.get("/console/account")
            let again = try await browser.post("/console/account", ["displayName": Self.hostile, "zone": "\"><b>"])
            #expect(again.status == 422)
            #expect(again.body.contains("value=\"&quot;&gt;&lt;b&gt;\""))
        }
    }

    @Test("K-26 No page has a secret: password, cookie, seed of the second factor or recovery code")
    func keepsSecrets() async throws {
        var options = ConsoleWorld.Options()
        options.secondFactorFrom = .sender
        try await ConsoleWorld.run(options) { world in
            let app = try await world.makeApp()
            let ana = try await world.makeAdmin()
            var browser = world.browser(of: ana)
            let secrets = [ana.session, ConsoleWorld.password, world.serverKey] + ana.recoveryCodes
            for route in world.console.declaredRoutes where route.method == "GET" {
                let path = route.path.replacing("{app}", with: app.id.description)
                    .replacing("{operator}", with: ana.id.description)
                let page = try await browser.get("/console" + path.replacing("{once}", with: "x"))
                for secret in secrets { #expect(!page.body.contains(secret), "\(path)") }
                let cookie = page.headers[values: .setCookie].joined()
                #expect(!cookie.contains(ana.session), "\(path)")
                guard route.path != "/account/second-factor", let code = ana.code else { continue }
                #expect(!page.body.replacing(" ", with: "").contains(code.text), "\(path)")
            }
        }
    }
}

extension Collection where Element: Equatable {
    fileprivate func contains(subsequence: some Collection<Element>) -> Bool { firstRange(of: subsequence) != nil }
}
