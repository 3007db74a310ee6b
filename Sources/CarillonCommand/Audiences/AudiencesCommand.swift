import ArgumentParser
import CarillonModel
import CarillonOperatorModel
import Foundation

/// `carillon audiences`: saved rules, and counts of rules.
struct AudiencesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "audiences",
        abstract: "Save, check and count rules that pick Devices.",
        discussion: """
            A rule is a text such as: language in [ja, ko] and consent.ads and lastSeen > now-30d
            The language is described in docs/audiences.md.
            """,
        subcommands: [List.self, Save.self, Change.self, Delete.self, Parse.self, Estimate.self]
    )

    static func rule(_ text: String) throws -> AudienceRule {
        do throws(AudienceTextError) {
            return try AudienceRule(text: text)
        } catch {
            throw ValidationError(Self.mark(error, in: text))
        }
    }

    /// The line with the error, and a mark under its position.
    static func mark(_ error: AudienceTextError, in text: String) -> String {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        let line = lines.indices.contains(error.line - 1) ? String(lines[error.line - 1]) : ""
        return "\(error)\n  \(line)\n  " + String(repeating: " ", count: max(0, error.column - 1)) + "^"
    }
}

extension AudiencesCommand {
    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(commandName: "list", abstract: "List saved audiences.")

        @OptionGroup var options: OperatorOptions

        func run() async throws {
            var table = TextTable("ID", "NAME", "RULE")
            var cursor: String?
            repeat {
                let page: Page<SavedAudience> = try await options.run { api in
                    try await api.get("/v1/audiences", ["app": options.app, "cursor": cursor, "limit": "200"])
                }
                if options.json { for audience in page.items { try OperatorOutput.print(audience) } }
                for audience in page.items { table.add("\(audience.id)", audience.name, audience.rule) }
                cursor = page.nextCursor
            } while cursor != nil
            if !options.json { table.print() }
        }
    }

    struct Save: AsyncParsableCommand {
        static let configuration = CommandConfiguration(commandName: "save", abstract: "Save a rule under a name.")

        @OptionGroup var options: OperatorOptions

        @Argument(help: "1 through 200 characters.")
        var name: String

        @Argument(help: "The rule.")
        var rule: String

        func run() async throws {
            let request = AudienceRequest(
                name: name,
                rule: try AudiencesCommand.rule(rule)
            )
            try OperatorOutput.print(
                try await options.run {
                    try await $0.post("/v1/audiences", ["app": options.app], request, as: SavedAudience.self)
                }
            )
        }
    }

    struct Change: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "change",
            abstract: "Change a saved audience's name or rule."
        )

        @OptionGroup var options: OperatorOptions

        @Argument(help: "Its id, aud_….")
        var id: String

        @Option(help: "Its new name.")
        var name: String?

        @Option(help: "Its new rule.")
        var rule: String?

        func run() async throws {
            let update = AudienceUpdate(name: name, rule: try rule.map(AudiencesCommand.rule))
            let path = "/v1/audiences/" + OperatorAPI.segment(id)
            try OperatorOutput.print(try await options.run { try await $0.patch(path, update, as: SavedAudience.self) })
        }
    }

    struct Delete: AsyncParsableCommand {
        static let configuration = CommandConfiguration(commandName: "delete", abstract: "Delete a saved audience.")

        @OptionGroup var options: OperatorOptions

        @Argument(help: "Its id, aud_….")
        var id: String

        func run() async throws {
            try await options.run { try await $0.delete("/v1/audiences/" + OperatorAPI.segment(id)) }
        }
    }

    struct Parse: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "parse",
            abstract: "Check a rule, and print it as JSON, without a server."
        )

        @Argument(help: "The rule.")
        var rule: String

        func run() throws { try OperatorOutput.print(try AudiencesCommand.rule(rule)) }
    }

    struct Estimate: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "estimate",
            abstract: "Count the Devices of a rule, and those that a message would reach."
        )

        @OptionGroup var options: OperatorOptions

        @Argument(help: "The rule; everybody when it is missing.")
        var rule: String?

        @Option(help: "A saved audience's id, aud_…, in place of a rule.")
        var saved: String?

        func run() async throws {
            let audience: Audience
            switch (rule, saved) {
            case (nil, nil): audience = .all
            case (let rule?, nil): audience = .rule(try AudiencesCommand.rule(rule))
            case (nil, let saved?):
                guard let id = AudienceID(saved) else { throw ValidationError("--saved must be an audience's id.") }
                audience = .saved(id)
            case (_?, _?): throw ValidationError("Give a rule or --saved, not both.")
            }
            let request = AudienceEstimateRequest(audience: audience)
            let estimate = try await options.run {
                try await $0.post("/v1/audience-estimate", ["app": options.app], request, as: AudienceEstimate.self)
            }
            if options.json { return try OperatorOutput.print(estimate) }
            for line in estimate.lines { print(line) }
        }
    }
}

extension AudienceEstimate {
    /// The counts as lines of text.
    var lines: [String] {
        let devices = isExact ? "\(devices) devices" : "about \(devices) devices (give or take \(margin))"
        return [
            devices,
            "  a notification reaches \(reach.notifications)",
            "  an ad \(reach.ads), at night \(reach.nightAds)",
            "  a call \(reach.voip)",
        ]
    }
}
