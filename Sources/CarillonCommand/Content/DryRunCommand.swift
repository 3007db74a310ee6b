import ArgumentParser
import CarillonModel
import Foundation

/// `carillon dry-run`: checks and renders a Campaign, without storing anything.
struct DryRunCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "dry-run",
        abstract: "Check and render a campaign without storing or sending anything.",
        discussion: """
            It prints why the campaign would be refused, whom it would reach, when its first and last notifications would be \
            sent, and each rendered payload. The exit codes are those of carillon campaigns create: 65 when the campaign would \
            be refused.
            """
    )

    @OptionGroup var options: OperatorOptions

    @Option(help: "A device to try it with, a UUID.")
    var device: String?

    @Argument(
        help: "A file with the campaign as JSON, as for POST /v1/campaigns; - for standard input.",
        completion: .file(extensions: ["json"])
    )
    var campaign: String

    func run() async throws {
        let body = JSONValue.object(try OperatorInput.object(from: campaign))
        let request = OperatorRequest(
            "POST",
            "/v1/dry-run",
            query: ["device": device],
            body: body,
            app: .query
        )
        let answer = try await options.run { try JSONValue(response: try await options.send(request, $0)) }
        if options.json || options.field != nil {
            try options.show(answer)
        } else {
            for line in DryRunView(answer: answer).lines { print(Terminal.escaped(line, keepsLines: true)) }
        }
        guard let problems = answer["problems"]?.array, !problems.isEmpty else { return }
        throw ExitCode(CommandFailure.Kind.data.rawValue)
    }
}

/// The result of a dry run as text.
struct DryRunView {
    var answer: JSONValue

    /// Problems, then everything that the server estimates, then the sizes and the payloads.
    var lines: [String] {
        problems + facts + sizes + payloads + sample
    }

    private var problems: [String] {
        (answer["problems"]?.array ?? []).map { problem in
            "refused: \(problem["field"]?.cell ?? "") \(problem["problem"]?.cell ?? "")"
        }
    }

    /// What is neither a list of payloads nor a problem: times and counts, whatever their names.
    private var facts: [String] {
        let rest = (answer.object ?? [:]).filter { !["problems", "renderings", "sample"].contains($0.key) }
        guard !rest.isEmpty else { return [] }
        return OperatorOptions.table(.object(rest)).lines
    }

    private var renderings: [JSONValue] { answer["renderings"]?.array ?? [] }

    private var sizes: [String] {
        guard !renderings.isEmpty else { return [] }
        var table = TextTable("VARIANT", "LANGUAGE", "FOR ADS", "BYTES", "MOST", "LIMIT")
        for rendering in renderings {
            table.add(
                rendering["variant"]?.cell,
                rendering["language"]?.cell,
                rendering["hasAdWords"]?.bool == true ? "yes" : "",
                rendering["bytes"]?.cell,
                rendering["mostBytes"]?.cell,
                rendering["limit"]?.cell
            )
        }
        return [""] + table.lines
    }

    private var payloads: [String] {
        renderings.flatMap { rendering in
            let names = [
                rendering["variant"]?.cell, rendering["language"]?.cell,
                rendering["hasAdWords"]?.bool == true ? "for ads" : nil,
            ]
            return ["", names.compactMap(\.self).joined(separator: ", "), rendering["payload"]?.cell ?? ""]
        }
    }

    private var sample: [String] {
        guard let sample = answer["sample"] else { return [] }
        let result = sample["reason"]?.cell ?? "\(sample["bytes"]?.cell ?? "0") bytes"
        return ["", "\(sample["device"]?.cell ?? ""): \(result)"] + [sample["payload"]?.cell].compactMap(\.self)
    }
}
