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
        subcommands: [
            List.self, Create.self, Show.self, Update.self, Delete.self, Count.self, Parse.self,
            Estimate.self,
        ]
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
        @OptionGroup var pages: PageOptions

        func run() async throws {
            try await options.list(
                OperatorRequest("GET", "/v1/audiences", app: .filter),
                pages,
                [Column("ID", "id"), Column("NAME", "name"), Column("CHANGED", "changedAt"), Column("RULE", "rule")]
            )
        }
    }

    struct Create: AsyncParsableCommand {
        static let configuration = CommandConfiguration(commandName: "create", abstract: "Save a rule under a name.")

        @OptionGroup var options: OperatorOptions

        @Argument(help: "1 through 200 characters.")
        var name: String

        @Argument(help: "The rule.")
        var rule: String

        func run() async throws {
            _ = try AudiencesCommand.rule(rule)
            let body = JSONValue.object(["name": .string(name), "rule": .string(rule)])
            try await options.show(OperatorRequest("POST", "/v1/audiences", body: body, app: .query))
        }
    }

    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(commandName: "show", abstract: "Show a saved audience.")

        @OptionGroup var options: OperatorOptions

        @Argument(help: "Its id, aud_….")
        var id: String

        func run() async throws { try await options.show(OperatorRequest("GET", "/v1/audiences/\(id)")) }
    }

    struct Count: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "count",
            abstract: "Count the Devices of a saved audience and keep the number with its time."
        )

        @OptionGroup var options: OperatorOptions

        @Argument(help: "Its id, aud_….")
        var id: String

        func run() async throws { try await options.show(OperatorRequest("POST", "/v1/audiences/\(id)/count")) }
    }

    struct Update: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "update",
            abstract: "Change a saved audience's name or rule."
        )

        @OptionGroup var options: OperatorOptions

        @Argument(help: "Its id, aud_….")
        var id: String

        @Option(help: "Its new name.")
        var name: String?

        @Option(help: "Its new rule.")
        var rule: String?

        func validate() throws {
            guard name != nil || rule != nil else { throw ValidationError("Give --name, --rule or both.") }
        }

        func run() async throws {
            _ = try rule.map(AudiencesCommand.rule)
            var body: [String: JSONValue] = [:]
            body["name"] = name.map(JSONValue.string)
            body["rule"] = rule.map(JSONValue.string)
            try await options.show(OperatorRequest("PATCH", "/v1/audiences/\(id)", body: .object(body)))
        }
    }

    struct Delete: AsyncParsableCommand {
        static let configuration = CommandConfiguration(commandName: "delete", abstract: "Delete a saved audience.")

        @OptionGroup var options: OperatorOptions

        @Argument(help: "Its id, aud_….")
        var id: String

        func run() async throws {
            try await options.show(OperatorRequest("DELETE", "/v1/audiences/\(id)"), done: "The audience is deleted.")
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
            let audience: JSONValue
            switch (rule, saved) {
            case (nil, nil): audience = .object(["all": .bool(true)])
            case (let rule?, nil):
                _ = try AudiencesCommand.rule(rule)
                audience = .object(["rule": .string(rule)])
            case (nil, let saved?): audience = .object(["saved": .string(saved)])
            case (_?, _?): throw ValidationError("Give a rule or --saved, not both.")
            }
            let body = JSONValue.object(["audience": audience])
            let request = OperatorRequest("POST", "/v1/audience-estimate", body: body, app: .query)
            let data = try await options.run { try await options.send(request, $0) }
            guard !options.json, options.field == nil else { return try options.show(try JSONValue(response: data)) }
            let estimate: AudienceEstimate
            do {
                estimate = try JSONDecoder().decode(AudienceEstimate.self, from: data)
            } catch {
                throw CommandFailure.described(error)
            }
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
