import Carillon
import CarillonAccounts
import CarillonModel
import CarillonOperatorModel
import Foundation
import Testing

@testable import CarillonCommand

/// People with accounts, through the SDK, over HTTP, down to the store and back, in an App whose identity is signed.
@Suite struct AccountTests {
    private struct World: Sendable {
        let running: DemoWorld.Running
        let app: AppID
        let appKey: String
        let folder: URL

        static func run(_ body: @escaping @Sendable (World) async throws -> Void) async throws {
            let folder = FileManager.default.temporaryDirectory
                .appendingPathComponent("carillon-accounts-" + UUID().uuidString, isDirectory: true)
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(at: folder) }
            try await DemoWorld(folder: folder, port: 0).whileRunning { running in
                let request = AppRequest(name: "People", bundleID: "com.example.people")
                let secrets: AppSecrets = try await running.api.post("v1/apps", request)
                var rules = AccountRules()
                (rules.isOn, rules.guests) = (true, true)
                let _: AccountRules = try await running.api.put("v1/apps/\(secrets.app.id)/accounts", rules)
                let world = World(running: running, app: secrets.app.id, appKey: secrets.appKey, folder: folder)
                try await body(world)
            }
        }

        /// A client of one installation; the same name is the same installation.
        func client(_ name: String) throws -> CarillonClient {
            var configuration = CarillonConfiguration(server: running.server, appKey: appKey)
            configuration.storage = folder.appendingPathComponent(name)
            return try CarillonClient(configuration, transport: URLSessionTransport())
        }

        /// The Users that have Devices.
        func users() async throws -> [String] {
            let page: Page<ListedUser> = try await running.api.get("v1/users", ["app": app.description])
            return page.items.map(\.user.rawValue)
        }
    }

    @Test("M-26 M-32 M-37 A person signs up on one phone and in on another, and both are theirs until they sign out")
    func signsUpAndIn() async throws {
        try await World.run { world in
            let (phone, tablet) = (try world.client("phone"), try world.client("tablet"))
            try await phone.register(consent: Consent(notifications: true))
            let account = try await phone.account.signUp(name: "alice@example.com", password: "correct horse")
            #expect(account.displayName == "alice")
            #expect(try await world.users() == [account.user.rawValue])
            let wrong = await #expect(throws: CarillonError.self) {
                try await tablet.account.signIn(name: "alice@example.com", password: "wrong horse")
            }
            #expect(wrong?.problem?.code == "wrong-name-or-password")

            #expect(try await tablet.account.signIn(name: "Alice@Example.com", password: "correct horse") == account)
            try await tablet.register()
            #expect(try await tablet.fetchRecord().user == account.user)
            // Started anew, the person is signed in still.
            #expect(try await world.client("tablet").account.refresh() == account)

            try await phone.account.changePassword(from: "correct horse", to: "battery staple")
            #expect(try await tablet.account.refresh() == nil)
            #expect(try await tablet.fetchRecord().user == nil)
            #expect(try await phone.account.refresh() == account)

            try await phone.account.signOut()
            #expect(try await world.users() == [])
            #expect(try await phone.account.refresh() == nil)
        }
    }

    @Test("A guest's phone is the guest's, keeps it with a name, and is nobody's when the account is deleted")
    func deletesAccount() async throws {
        try await World.run { world in
            let phone = try world.client("phone")
            let guest = try await phone.account.signInAsGuest()
            try await phone.register()
            #expect(try await phone.fetchRecord().user == guest.user)
            let named = try await phone.account.setCredentials(name: "bob", password: "correct horse")
            #expect(named.user == guest.user && !named.isGuest)
            #expect(try await phone.account.refresh() == named)

            try await phone.account.delete(password: "correct horse")

            #expect(try phone.account.current == nil)
            #expect(try await world.users() == [])
            let gone = await #expect(throws: CarillonError.self) {
                try await phone.account.signIn(name: "bob", password: "correct horse")
            }
            #expect(gone?.problem?.code == "wrong-name-or-password")
        }
    }
}
