import ArgumentParser
import CarillonModel
import CarillonOperatorModel
import Foundation

extension CampaignsCommand {
    struct Reach: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "reach",
            abstract: "Count whom a campaign would reach, and why others get nothing, without sending it."
        )

        @OptionGroup var options: OperatorOptions

        @Argument(
            help: "A file with the campaign as JSON, as for POST /v1/campaigns; - for standard input.",
            completion: .file(extensions: ["json"])
        )
        var file: String

        @Flag(help: "Count all devices, however long it takes.")
        var exact = false

        func run() async throws {
            let request = OperatorRequest(
                "POST",
                "/v1/campaign-reach",
                query: ["exact": exact ? "true" : nil],
                body: .object(try OperatorInput.object(from: file)),
                app: .query
            )
            let data = try await options.run { try await options.send(request, $0) }
            guard !options.json, options.field == nil else { return try options.show(try JSONValue(response: data)) }
            let estimate: ReachEstimate
            do { estimate = try JSONDecoder().decode(ReachEstimate.self, from: data) } catch {
                throw CommandFailure.described(error)
            }
            for line in estimate.lines { print(Terminal.escaped(line)) }
        }
    }
}

extension ReachEstimate {
    /// How many languages and zones are printed; `--json` has all.
    private static let shownParts = 10

    /// The counts as lines of text, from those that match to those that are reached.
    var lines: [String] {
        let about = isExact ? "" : "about "
        return ["\(about)\(matched) devices match"]
            + skipped.map { "  - \($0.devices) \($0.reason)" }
            + ["\(about)\(reach) devices of \(users) users get it"]
            + deferred.map { "  \($0.devices) later: \($0.reason)" }
            + Self.lines(languages) + Self.lines(zones)
    }

    private static func lines(_ counts: [String: Int]) -> [String] {
        counts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.prefix(shownParts)
            .map { "  \($0.value) \($0.key.isEmpty ? "unknown" : $0.key)" }
    }
}
