import Carillon
import CarillonAccounts
import CarillonContent
import CarillonTestKit
import Foundation
import Testing
import UIKit

/// An app of people who sign in and follow content: it knows nothing of tests.
private final class ShowsApp: UIResponder, UIApplicationDelegate {
    struct Show: Codable, Sendable, Identifiable {
        var id: String
        var title: String
        var category: String
        var startsAt: Date
    }

    private(set) var carillon: CarillonApp?

    func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions options: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool {
        do {
            let carillon = try CarillonApp(CarillonConfiguration(bundle: .main))
            carillon.start()
            self.carillon = carillon
        } catch {
            assertionFailure("\(error)")
        }
        return true
    }

    func signIn() async throws -> Account? {
        try await carillon?.account.signUp(name: "kim@example.com", password: "correct horse")
    }

    func titles(_ query: ContentQuery) async throws -> (titles: [String], isStored: Bool)? {
        guard let page = try await carillon?.content.table("events", of: Show.self).page(query) else { return nil }
        return (page.rows.map(\.title), page.isStored)
    }

    func follow(_ query: ContentQuery) async throws -> Bool? {
        try await carillon?.content.table("events", of: Show.self).follow(query, name: "music").isSent
    }
}

@Suite("An app with accounts and content, on the test kit's phone")
struct TestKitContentTests {
    private static let definition = #"""
        {"version":1,"title":"Events","timeZone":"Asia/Taipei","tables":[{"name":"events","key":"id","order":["startsAt"],"fields":[
        {"name":"id","type":"text"},{"name":"title","type":"text","isSearchable":true},
        {"name":"category","type":"text","isIndexed":true},{"name":"startsAt","type":"time"}]}]}
        """#

    @Test("A person signs up, sees content with and without a network, and follows offline until the network is back")
    func wholeWay() async throws {
        let server = TestKitServer()
        server.hasAccounts = true
        try server.setContentSet("events", definition: Data(Self.definition.utf8))
        let start = Date(timeIntervalSince1970: 1_800_000_000)
        try server.setRows(
            [
                ShowsApp.Show(id: "2", title: "Jazz", category: "1", startsAt: start.addingTimeInterval(60)),
                ShowsApp.Show(id: "1", title: "Opera", category: "1", startsAt: start),
                ShowsApp.Show(id: "3", title: "Museum", category: "6", startsAt: start),
            ],
            of: "events"
        )
        let phone = try TestKitPhone(server: server) { ShowsApp() }
        await phone.openApp()
        let account = try #require(try await phone.withApp(ShowsApp.self) { try await $0.signIn() })
        #expect(server.accounts[account.user]?.name == "kim@example.com")

        let music = ContentQuery.matching("category", "1")
        let fresh = try await phone.withApp(ShowsApp.self) { try await $0.titles(music) }
        #expect(fresh?.titles == ["Opera", "Jazz"] && fresh?.isStored == false)
        server.always(.error(URLError(.notConnectedToInternet)))
        let old = try await phone.withApp(ShowsApp.self) { try await $0.titles(music) }
        #expect(old?.titles == ["Opera", "Jazz"] && old?.isStored == true)
        #expect(try await phone.withApp(ShowsApp.self) { try await $0.follow(music) } == false)
        #expect(server.follows(of: account.user, in: "events").isEmpty)

        server.always(nil)
        await phone.withAppRefreshed()
        #expect(server.follows(of: account.user, in: "events") == ["music"])
        #expect(phone.complaints.isEmpty)
    }

    @Test("What is no definition, no row and no table is told")
    func failures() throws {
        let server = TestKitServer()
        #expect(throws: TestKitServer.ContentFailure.self) {
            try server.setContentSet("events", definition: Data("{}".utf8))
        }
        #expect(throws: TestKitServer.ContentFailure.self) { try server.setRows(["x"], of: "events") }
        try server.setContentSet("events", definition: Data(Self.definition.utf8))
        #expect(throws: TestKitServer.ContentFailure.self) { try server.setRows(["x"], of: "events") }
        #expect(throws: TestKitServer.ContentFailure.self) {
            try server.setRows([["id": "1"]], of: "events", table: "shops")
        }
        try server.setRows([["id": "1"]], of: "events", table: "events")
        #expect(server.contentSets == ["events"])
    }
}

extension TestKitPhone {
    /// Sends what waits, as when the network is back.
    fileprivate func withAppRefreshed() async {
        try? await withApp(ShowsApp.self) { await $0.carillon?.client.refresh() }
    }
}
