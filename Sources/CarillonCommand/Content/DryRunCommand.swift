import ArgumentParser
import CarillonModel
import CarillonOperatorModel
import Foundation

/// `carillon dry-run`: renders a Campaign, without storing anything.
struct DryRunCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "dry-run",
        abstract: "Render a campaign without storing or sending anything.",
        discussion: "Ends with status 1 when the campaign would be refused."
    )

    @OptionGroup var options: OperatorOptions
    @Option(help: "A Device to try it with, a UUID.") var device: String?
    @Argument(help: "A file with the campaign as JSON, as for POST /v1/campaigns; - for standard input.")
    var campaign: String

    func run() async throws {
        let request = try OperatorInput.decode(CampaignRequest.self, from: campaign)
        let body = try JSONEncoder().encode(request)
        let answer = try await options.run { api in
            let data = try await api.call("POST", "/v1/dry-run", ["app": options.app, "device": device], body: body)
            return try JSONDecoder().decode(DryRun.self, from: data)
        }
        if options.json { try OperatorOutput.print(answer) } else { show(answer) }
        if !answer.problems.isEmpty { throw ExitCode.failure }
    }

    private func show(_ answer: DryRun) {
        for problem in answer.problems { print("refused: \(problem.field) \(problem.problem)") }
        var table = TextTable("VARIANT", "LANGUAGE", "FOR ADS", "BYTES", "MOST", "LIMIT")
        for rendering in answer.renderings {
            table.add(
                rendering.variant,
                rendering.language,
                rendering.hasAdWords ? "yes" : "",
                String(rendering.bytes),
                String(rendering.mostBytes),
                String(rendering.limit)
            )
        }
        table.print()
        for rendering in answer.renderings {
            let names = [rendering.variant, rendering.language, rendering.hasAdWords ? "for ads" : nil]
            print("\n" + names.compactMap(\.self).joined(separator: ", "))
            print(rendering.payload)
        }
        guard let sample = answer.sample else { return }
        print("\n\(sample.device): \(sample.reason ?? "\(sample.bytes ?? 0) bytes")")
        if let payload = sample.payload { print(payload) }
    }
}
