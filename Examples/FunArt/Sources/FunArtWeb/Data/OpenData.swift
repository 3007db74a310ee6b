import Foundation

/// The sample data as other people's servers would publish them, and what was announced since.
actor OpenData {
    /// How much there is.
    struct Size: Sendable {
        var events = 400
        var stops = 2_000
        var routes = 80

        /// Enough for a test.
        static let small = Size(events: 130, stops: 600, routes: 30)
    }

    private var events: SampleEvents
    private let realtime: RealtimeDay
    private let buses: [UInt8]
    private var extras: [String] = []

    /// Creates the data.
    ///
    /// - Parameters:
    ///   - size: How much there is.
    ///   - today: The first day of the events.
    init(size: Size = Size(), today: Day) {
        let network = BusNetwork(stopCount: size.stops, routeCount: size.routes)
        events = SampleEvents(today: today, count: size.events)
        realtime = RealtimeDay(network: network)
        buses = GTFSArchive(network: network, today: today).file
    }

    /// Says where the pictures are; without it the events have none.
    func setPictures(_ pictures: String) { events.pictures = pictures }

    /// The events' file and its entity tag.
    func eventsFile() throws -> (bytes: [UInt8], tag: String) {
        (Array(try events.file(extras: extras)), "\"events-\(events.today.digits)-\(extras.count)\"")
    }

    /// The archive of the buses and its entity tag.
    func busesFile() -> (bytes: [UInt8], tag: String) { (buses, "\"buses-\(events.today.digits)\"") }

    /// What the buses tell at an instant.
    func realtimeFeed(at now: Date) -> [UInt8] { realtime.feed(at: now) }

    /// Announces one event more, which the next import finds.
    ///
    /// - Parameter kind: The ministry's number of its kind.
    /// - Returns: Its title.
    func announce(kind: String) -> String {
        extras.append(kind)
        return events.all(extras: extras).last?.title ?? ""
    }
}
