import Carillon
import Foundation

/// An app with the SDK: `fill FOLDER COUNT` leaves events in its spool, `start FOLDER` does what an app does at launch and
/// says how many events wait and how many nanoseconds of the main thread it took.
@main
enum WithSDK {
    static func main() async throws {
        let arguments = CommandLine.arguments
        guard arguments.count > 2, let server = URL(string: "https://push.example.com") else { return }
        var configuration = CarillonConfiguration(server: server, appKey: "app-key")
        configuration.storage = URL(fileURLWithPath: arguments[2])
        if arguments[1] == "fill" {
            try await fill(configuration, count: Int(arguments.last ?? "") ?? 0)
        } else {
            let begin = processorNanoseconds()
            let client = try CarillonClient(configuration)
            let end = processorNanoseconds()
            print(await client.waitingEventCount, end - begin)
        }
    }

    /// The processor time of this thread so far.
    private static func processorNanoseconds() -> Int {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Int(time.tv_sec) * 1_000_000_000 + Int(time.tv_nsec)
    }

    private static func fill(_ configuration: CarillonConfiguration, count: Int) async throws {
        let client = try CarillonClient(configuration)
        for index in 0..<count {
            let occurrence = OccurrenceID(rawValue: Int64(index + 1))
            let payload = ["carillon": ["o": "\(occurrence)", "r": String(repeating: "A", count: 24)]]
            guard let push = ReceivedPush(userInfo: payload) else { continue }
            await client.report(.received, of: push)
        }
    }
}
