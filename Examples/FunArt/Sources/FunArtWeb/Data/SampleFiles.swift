import Foundation

/// The sample data as files, to look at or to import by hand.
enum SampleFiles {
    /// Writes the events, the archive of the buses, and what the buses tell at each quarter of an hour of today.
    ///
    /// - Parameter folder: The folder, which is created.
    /// - Throws: When it cannot be written to.
    static func write(to folder: URL) async throws {
        let today = Day(of: Date())
        let data = OpenData(today: today)
        let live = folder.appendingPathComponent("realtime", isDirectory: true)
        try FileManager.default.createDirectory(at: live, withIntermediateDirectories: true)
        try Data(try await data.eventsFile().bytes).write(to: folder.appendingPathComponent("events.json"))
        try Data(await data.busesFile().bytes).write(to: folder.appendingPathComponent("buses.zip"))
        for quarter in 0..<96 {
            let time = today.start.addingTimeInterval(Double(quarter) * 900)
            let feed = await data.realtimeFeed(at: time)
            let name = String(quarter / 4 * 100 + quarter % 4 * 15 + 10_000).suffix(4)
            try Data(feed).write(to: live.appendingPathComponent("\(name).pb"))
        }
    }
}
