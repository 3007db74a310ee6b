#if os(Linux)
import Foundation
import Hummingbird

/// The app's pages and the sample data, beside a Carillon server and an APNs simulator.
struct FunArtServer: Sendable {
    /// What runs.
    struct Running: Sendable {
        /// Where a browser opens the app.
        let url: URL
        /// The App at the Carillon server.
        let app: CarillonSetup.App
        /// Where phones send to.
        let place: PhonePlace
        /// Has the next import bring a new event of a kind; returns its title.
        let announce: @Sendable (EventKind) async throws -> String
    }

    /// The Carillon server.
    let carillon: OperatorClient
    /// The control API of the APNs simulator.
    let simulator: URL
    /// The simulator's push key.
    let pushKey: CarillonSetup.PushKey
    /// The App's bundle id.
    var bundleID = "com.example.fun-art"
    /// The port of the pages; 0 for any that is free.
    var port = 0
    /// How much sample data there is.
    var size = OpenData.Size()

    /// Sets the app up and runs it while a body runs.
    ///
    /// - Parameter body: Receives what runs, as soon as the sample data are imported.
    /// - Throws: When a port is in use, what the Carillon server refuses, and what the body throws.
    func whileRunning(_ body: @escaping @Sendable (Running) async throws -> Void) async throws {
        let data = OpenData(size: size, today: Day(of: Date()))
        let router = Router()
        OpenDataRoutes(data: data).routes(on: router)
        PictureRoutes().routes(on: router)
        try await Listener.run(router, port: 0) { dataPort in
            let host = try Self.url(dataPort)
            await data.setPictures(host.appendingPathComponent("pictures").absoluteString)
            let setup = CarillonSetup(
                api: carillon,
                bundleID: bundleID,
                openData: host.appendingPathComponent("open-data")
            )
            let app = try await setup.run(pushKey)
            try await setup.waitForSources(of: app.id)
            try await runSite(setup, app, data, pictures: host, body)
        }
    }

    // MARK: - Private

    private func runSite(
        _ setup: CarillonSetup,
        _ app: CarillonSetup.App,
        _ data: OpenData,
        pictures: URL,
        _ body: @escaping @Sendable (Running) async throws -> Void
    ) async throws {
        let place = PhonePlace(server: carillon.server, appKey: app.key, simulator: simulator, topic: bundleID)
        let announce = { @Sendable (kind: EventKind) async throws -> String in
            let title = await data.announce(kind: kind.rawValue)
            try await setup.importEvents(of: app.id)
            return title
        }
        let phones = WebPhones(at: place)
        let site = FunArtSite(
            phones: phones,
            renderer: try await PageRenderer(),
            pictures: pictures,
            announce: announce
        )
        let router = Router()
        router.add(middleware: OwnForms())
        site.routes(on: router)
        PictureRoutes().routes(on: router)
        try await Listener.run(router, port: port) { port in
            try await body(Running(url: try Self.url(port), app: app, place: place, announce: announce))
        }
        await phones.switchOff()
    }

    private static func url(_ port: Int) throws -> URL {
        guard let url = URL(string: "http://127.0.0.1:\(port)") else { throw URLError(.badURL) }
        return url
    }
}
#endif
