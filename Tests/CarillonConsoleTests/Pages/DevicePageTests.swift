import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import HTTPTypes
import HummingbirdTesting
import Testing

@testable import CarillonConsole

/// The pages of Devices and Users.
@Suite(.timeLimit(.minutes(2)))
struct DevicePageTests {
    @Test("K-69 a Device is found by its User's id, its own id and its whole token")
    func finds() async throws {
        try await PageWorld.run { world in
            let app = try await world.makeApp()
            let first = try await world.addDevice(1, user: "ann", of: app)
            let second = try await world.addDevice(2, user: "anna", of: app)
            func rows(_ text: String) async throws -> [Bool] {
                let page = try await world.get("/apps/\(app)/devices?q=\(FormFields.escaped(text))").text
                return [first, second].map { page.contains("/devices/\($0)\"") }
            }

            #expect(try await rows("") == [true, true])
            #expect(try await rows("ann") == [true, false])
            #expect(try await rows(first.description.uppercased()) == [true, false])
            let token = try #require(PageWorld.token(2)?.hexadecimal)
            #expect(try await rows(token) == [false, true])
            #expect(try await rows(token.uppercased()) == [false, true])
            // No User has this id; those whose ids begin so are offered.
            #expect(try await rows("an") == [false, false])
            #expect(try await world.get("/apps/\(app)/devices?q=an").text.contains("/users/anna\""))
        }
    }

    @Test("K-70 part of a token finds nothing")
    func findsNoPart() async throws {
        try await PageWorld.run { world in
            let app = try await world.makeApp()
            let device = try await world.addDevice(1, of: app)
            let token = try #require(PageWorld.token(1)?.hexadecimal)
            let parts = [String(token.dropLast(2)), String(token.dropFirst(2)), String(token.prefix(16)), token + "00"]
            for part in parts {
                let page = try await world.get("/apps/\(app)/devices?q=\(part)")
                #expect(page.status == .ok)
                #expect(page.text.contains("Part of a device token finds nothing."))
                #expect(!page.text.contains(device.description))
            }
        }
    }

    @Test("K-69 the page of a Device has its facts, consents and each delivery; that of its User as well")
    func shows() async throws {
        try await PageWorld.run { world in
            let app = try await world.makeApp()
            let device = try await world.addDevice(1, user: "ann", of: app)
            let campaign = try await world.makeCampaign("News", of: app)
            try await world.deliver(campaign)
            for path in ["/apps/\(app)/devices/\(device)", "/apps/\(app)/users/ann"] {
                let page = try await world.get(path)

                #expect(page.status == .ok)
                #expect(page.text.contains("ann"))
                #expect(page.text.contains("<code>\(campaign.id)</code>"))
                #expect(page.text.contains("Accepted"))
            }
            #expect(try await world.get("/apps/\(app)/devices/\(device)").text.contains("First registration"))
        }
    }

    @Test("K-26 no page has a whole device token, also not for an admin")
    func hidesTokens() async throws {
        try await PageWorld.run { world in
            let app = try await world.makeApp()
            let device = try await world.addDevice(1, user: "ann", of: app)
            let token = try #require(PageWorld.token(1)?.hexadecimal)
            for path in ["devices", "devices/\(device)", "users", "users/ann"] {
                #expect(!(try await world.get("/apps/\(app)/\(path)").text.contains(token)), "\(path)")
            }
            // A search repeats what was typed, and nothing more.
            let found = try await world.get("/apps/\(app)/devices?q=\(token)").text
            #expect(found.matches(of: try Regex(token)).count == 1)
            #expect(try await world.get("/apps/\(app)/devices/\(device)").text.contains("<code>010101…0101ab</code>"))
        }
    }

    @Test("K-76 an erased User is on no page, and the counts stay")
    func forgetsErased() async throws {
        try await PageWorld.run { world in
            let app = try await world.makeApp()
            let device = try await world.addDevice(1, user: "ann", of: app)
            let campaign = try await world.makeCampaign("News", of: app)
            try await world.deliver(campaign)
            try await world.engine.registry.users.erase(try #require(UserID(rawValue: "ann")), app: app)

            #expect(try await world.get("/apps/\(app)/users/ann").status == .notFound)
            #expect(try await world.get("/apps/\(app)/devices/\(device)").status == .notFound)
            #expect(!(try await world.get("/apps/\(app)/users").text.contains("ann<")))
            let csv = try await world.get("/apps/\(app)/campaigns/\(campaign.id)/export.csv").text
            #expect(!csv.contains(device.description))
            let page = try await world.get("/apps/\(app)/campaigns/\(campaign.id)").text
            #expect(page.contains("data-live=\"accepted\">1<"))
        }
    }

    @Test("K-73 Devices and Users are paged by their keys")
    func pages() async throws {
        try await PageWorld.run { world in
            let app = try await world.makeApp()
            for number in 1...60 { try await world.addDevice(UInt8(number), user: "u\(number).", of: app) }
            for (path, pattern) in [("devices", #/users\/(u\d+)\./#), ("users", #/users\/(u\d+)\./#)] {
                let first = try await world.get("/apps/\(app)/\(path)").text
                let link = try #require(first.firstMatch(of: #/href="/console([^"]*after=[^"]*)"/#)?.1)
                let second = try await world.get(String(link).replacing("&amp;", with: "&")).text
                let found = [first, second].flatMap { $0.matches(of: pattern).map { String($0.1) } }

                #expect(found.count == 60, "\(path)")
                #expect(Set(found).count == 60, "\(path)")
            }
        }
    }
}
